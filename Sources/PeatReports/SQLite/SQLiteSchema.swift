/// The tables of the database, with the units of their columns as comments (cli.md, "SQLite").
///
/// Times are UTC text that sorts, `elapsed` and spans are seconds, times inside documents are
/// milliseconds since 1970. Node ids are 8 upper-case digits. A number above 2^63-1 is its decimal
/// text, since SQLite has no unsigned integers: such columns have no type, or it would become a float.
enum SQLiteSchema {
  static let tables = """
    CREATE TABLE capture(
      id INTEGER PRIMARY KEY,
      file TEXT NOT NULL,       -- as it was given
      packets INTEGER NOT NULL,
      first TEXT, last TEXT     -- UTC
    );
    CREATE TABLE link(
      id INTEGER PRIMARY KEY,   -- counts connections over the whole run
      file TEXT NOT NULL,
      adapter INTEGER NOT NULL, -- monitor index or pcapng interface
      connection INTEGER NOT NULL, -- HCI handle, or access address of an air capture
      local TEXT, peer TEXT, peer_type TEXT, identity TEXT, role TEXT,
      up TEXT, down TEXT,       -- UTC; down is empty where the capture ends first
      reason TEXT, ended_by TEXT, -- local or peer
      mtu INTEGER,              -- of ATT, in bytes
      encrypted INTEGER         -- 0 or 1, at the end
    );
    CREATE TABLE message(
      id INTEGER PRIMARY KEY,   -- in the order of the timeline
      file TEXT NOT NULL,
      frame INTEGER NOT NULL,   -- counts packets of the file from 1
      time TEXT, elapsed REAL,  -- UTC; seconds from the first packet
      link INTEGER REFERENCES link(id), -- none for a beacon
      direction TEXT NOT NULL, opcode TEXT NOT NULL, handle INTEGER,
      characteristic TEXT, service TEXT, resolved_by TEXT,
      mtu INTEGER, outcome TEXT, error INTEGER, -- ATT error code of a refusal
      local TEXT, peer TEXT,
      kind TEXT NOT NULL, node TEXT, decrypted_with TEXT, unopened TEXT, reason TEXT,
      bytes INTEGER NOT NULL,   -- length of the attribute value
      captured INTEGER,         -- only where fewer were recorded
      version INTEGER,
      total,                    -- sum of the counter; text above 2^63-1
      peripheral_id TEXT, parent TEXT, peripheral_type TEXT, callsign TEXT,
      battery INTEGER,          -- percent
      activity TEXT, alerts TEXT, heart_rate INTEGER, -- beats per minute
      event TEXT, event_time, -- milliseconds since 1970, as the sender wrote them
      latitude REAL, longitude REAL,  -- degrees
      altitude REAL, accuracy REAL,   -- metres
      emergency_source TEXT, emergency_time, -- milliseconds since 1970
      changed INTEGER NOT NULL, -- 1 where the mesh's counters or emergency changed
      mesh_total,               -- after it; text above 2^63-1
      payload BLOB NOT NULL
    );
    CREATE TABLE counter(
      message INTEGER NOT NULL REFERENCES message(id),
      node TEXT NOT NULL,
      count NOT NULL,           -- text above 2^63-1
      PRIMARY KEY(message, node)
    ) WITHOUT ROWID;
    CREATE TABLE acknowledgement(
      message INTEGER NOT NULL REFERENCES message(id),
      node TEXT NOT NULL,
      acked INTEGER NOT NULL,   -- 1 acknowledged, 0 pending
      PRIMARY KEY(message, node)
    ) WITHOUT ROWID;
    CREATE TABLE finding(
      id INTEGER PRIMARY KEY,
      message INTEGER REFERENCES message(id), -- none where it is of the capture as a whole
      file TEXT NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL,
      node TEXT, link INTEGER, frame INTEGER, time TEXT,
      text TEXT NOT NULL
    );
    CREATE TABLE update_spread(
      id INTEGER PRIMARY KEY,
      "update" TEXT NOT NULL,   -- counter:NODE=5, ack:NODE=SOURCE@MS, emergency:NODE@MS
      origin TEXT NOT NULL, author TEXT NOT NULL, -- whose it is; who was first heard with it
      first TEXT NOT NULL,      -- UTC
      node TEXT,                -- one row a node that knew or should have; none where nobody else was there
      known INTEGER, known_time TEXT,
      delay REAL                -- seconds from first
    );
    CREATE TABLE emergency(
      id INTEGER PRIMARY KEY,   -- by time of raising
      mesh TEXT,                -- as its source announces it
      source TEXT NOT NULL, callsign TEXT,
      stamp NOT NULL,           -- the source's own, milliseconds since 1970; text above 2^63-1
      first_seen TEXT, first_file TEXT NOT NULL, first_frame INTEGER NOT NULL, -- UTC
      raised_by TEXT NOT NULL,  -- stamp or sighting: by what raised is known
      raised TEXT,              -- UTC
      type TEXT NOT NULL,       -- the source's event then
      acked INTEGER NOT NULL,   -- nodes that acknowledged
      audience INTEGER NOT NULL, -- nodes that it is for
      all_acked REAL,           -- seconds from raised until the last acknowledgement, where all did
      superseded_by TEXT,       -- source of the later emergency that took its place
      verdict TEXT NOT NULL
    );
    CREATE TABLE emergency_node(
      emergency INTEGER NOT NULL REFERENCES emergency(id),
      node TEXT NOT NULL, callsign TEXT,
      outcome TEXT NOT NULL,    -- acked, carried, not_reached, unknown
      audience INTEGER NOT NULL, -- 1 where the emergency is for it or it was heard, else known from counters
      hearsay INTEGER NOT NULL, -- 1 where only others' documents tell of it
      told_by TEXT, told TEXT, told_frame INTEGER, told_link INTEGER, -- UTC
      carried TEXT, carried_file TEXT, carried_frame INTEGER, carried_link INTEGER, -- UTC
      acked TEXT, acked_file TEXT, acked_frame INTEGER, acked_link INTEGER, through TEXT, -- UTC
      cleared TEXT,             -- UTC; when it put the emergency off for good
      why TEXT,                 -- a reason of peat-inspect-findings(7)
      why_from TEXT, why_until TEXT, -- UTC
      why_reason TEXT,          -- how the link ended
      file TEXT, frames TEXT,   -- the packets that show it, by spaces
      text TEXT,
      PRIMARY KEY(emergency, node)
    ) WITHOUT ROWID;
    CREATE TABLE emergency_down(
      emergency INTEGER NOT NULL REFERENCES emergency(id),
      node TEXT NOT NULL, other TEXT, -- the nodes at both ends
      link INTEGER NOT NULL,    -- the connection that ended
      file TEXT NOT NULL,
      down TEXT NOT NULL, up TEXT, -- UTC; up is empty where they did not meet again
      seconds REAL,
      reason TEXT, ended_by TEXT,
      frames TEXT               -- of the end and of the next connection, by a space
    );

    """

  /// Made behind the rows, which is faster than keeping them in step.
  static let behindRows = """
    CREATE INDEX message_time ON message(time);
    CREATE INDEX message_node ON message(node, time);
    CREATE INDEX finding_code ON finding(code);
    CREATE INDEX update_node ON update_spread(node);
    CREATE VIEW timeline AS SELECT
      m.file, m.frame, m.time, m.elapsed, l.adapter, l.connection, m.local, m.peer, l.role, m.direction,
      m.opcode, m.handle, m.characteristic, m.resolved_by, m.kind, m.node, m.version, m.bytes, m.total,
      (SELECT group_concat(node || '=' || count, ';') FROM counter WHERE message = m.id) AS counter,
      m.peripheral_id, m.parent, m.peripheral_type, m.callsign, m.battery, m.activity, m.alerts,
      m.heart_rate, m.event, m.event_time, m.latitude, m.longitude, m.altitude, m.accuracy,
      m.emergency_source, m.emergency_time,
      (SELECT group_concat(node, ';') FROM acknowledgement WHERE message = m.id AND acked) AS acked,
      (SELECT group_concat(node, ';') FROM acknowledgement WHERE message = m.id AND NOT acked) AS pending,
      m.changed, m.mesh_total,
      (SELECT group_concat(code, ';') FROM finding WHERE message = m.id) AS findings,
      lower(hex(m.payload)) AS payload
    FROM message m LEFT JOIN link l ON l.id = m.link ORDER BY m.id;
    CREATE VIEW slowest_update AS SELECT
      "update", origin, first, max(delay) AS delay, sum(known) AS knew, sum(NOT known) AS never
    FROM update_spread WHERE node IS NOT NULL GROUP BY "update", first
    ORDER BY delay DESC, never DESC;
    CREATE VIEW finding_count AS SELECT
      severity, code, node, count(*) AS count, min(frame) AS first_frame, min(text) AS text
    FROM finding GROUP BY severity, code, node
    ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, count DESC;

    """
}
