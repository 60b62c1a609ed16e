extension SQLiteSchema {
  /// Views that answer what people ask, each named after its question (cli.md, "SQLite").
  static let questions = """
    CREATE INDEX emergency_node_node ON emergency_node(node);
    CREATE VIEW never_acked AS SELECT
      e.id AS emergency, e.source, e.callsign AS source_callsign, e.raised,
      n.node, n.callsign, n.outcome, n.why, n.text, n.file, n.frames
    FROM emergency_node n JOIN emergency e ON e.id = n.emergency
    WHERE n.audience AND n.outcome <> 'acked'
    ORDER BY e.id, CASE n.outcome WHEN 'not_reached' THEN 0 WHEN 'carried' THEN 1 ELSE 2 END, n.node;
    CREATE VIEW acknowledgement_time AS SELECT
      e.id AS emergency, e.source, n.node, n.callsign, n.acked, n.through,
      round((julianday(n.acked) - julianday(e.raised)) * 86400, 3) AS seconds
    FROM emergency_node n JOIN emergency e ON e.id = n.emergency
    WHERE n.acked IS NOT NULL ORDER BY e.id, n.acked;
    CREATE VIEW link_down_in_emergency AS SELECT
      e.id AS emergency, e.source, e.raised, d.node, d.other, d.link, d.down, d.up, d.seconds,
      d.reason, d.ended_by, d.file, d.frames
    FROM emergency_down d JOIN emergency e ON e.id = d.emergency ORDER BY e.id, d.down;
    CREATE VIEW unfinished_update AS SELECT
      "update", origin, author, first, sum(known) AS knew, sum(NOT known) AS never,
      group_concat(CASE WHEN NOT known THEN node END, ';') AS nodes
    FROM update_spread WHERE node IS NOT NULL GROUP BY "update", first HAVING never > 0
    ORDER BY first;
    CREATE VIEW node_activity AS SELECT
      node, max(callsign) AS callsign, count(*) AS messages, sum(changed) AS changes,
      min(time) AS first, max(time) AS last, sum(bytes) AS bytes
    FROM message WHERE node IS NOT NULL GROUP BY node ORDER BY messages DESC, node;
    CREATE VIEW link_use AS SELECT
      l.id AS link, l.file, l.local, l.peer, l.up, l.down, l.reason, count(m.id) AS messages,
      coalesce(sum(m.bytes), 0) AS bytes, coalesce(sum(m.changed), 0) AS changes
    FROM link l LEFT JOIN message m ON m.link = l.id GROUP BY l.id ORDER BY l.id;

    """
}
