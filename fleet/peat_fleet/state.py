"""The state of each mesh from the lake: a reduce that does not depend on the order of captures.

Counters are maxima; emergencies are kept by time and source with their acks united (cli.md, "Mergeable states")."""

COUNTERS = "SELECT mesh, origin, max(value) AS n FROM counter GROUP BY mesh, origin ORDER BY mesh, origin"
ACKS = """SELECT mesh, emergency_time, emergency_source, acker, max(CASE WHEN given THEN 1 ELSE 0 END) AS given
FROM ack GROUP BY mesh, emergency_time, emergency_source, acker ORDER BY mesh, emergency_time, emergency_source, acker"""
EMERGENCIES = """SELECT DISTINCT mesh, emergency_time, emergency_source FROM message
WHERE emergency_source IS NOT NULL AND version IS NOT NULL AND refused IS NULL AND captured IS NULL
ORDER BY mesh, emergency_time, emergency_source"""


def states(lake):
    """One object a mesh, ascending by name. The emergency that is shown is the latest, of the lowest source."""
    found = {}

    def mesh(name):
        return found.setdefault(name, {"mesh": name, "counter": {}, "total": 0, "emergencies": {}})

    for name, origin, count in lake.rows(COUNTERS):
        mesh(name)["counter"][origin] = int(count)
    for name, time, source in lake.rows(EMERGENCIES):
        mesh(name)["emergencies"][(int(time), source)] = {"source": source, "time": int(time), "acked": [], "pending": []}
    for name, time, source, acker, given in lake.rows(ACKS):
        mesh(name)["emergencies"][(int(time), source)]["acked" if given else "pending"].append(acker)
    result = []
    for name in sorted(found):
        one = found[name]
        emergencies = one.pop("emergencies")
        one["total"] = sum(one["counter"].values()) % (1 << 64)
        if emergencies:
            latest = max(time for time, _ in emergencies)
            one["emergency"] = emergencies[min(k for k in emergencies if k[0] == latest)]
        one["emergencies"] = [emergencies[k] for k in sorted(emergencies)]
        result.append(one)
    return result
