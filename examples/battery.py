"""How each node's battery went: the last percentage of every minute, nodes side by side.

  peat-inspect -f csv CAPTURE | python3 battery.py
"""

import sys

import pandas

rows = pandas.read_csv(sys.stdin, parse_dates=["time"], dtype={"node": str, "payload": str, "total": object, "mesh_total": object})
told = rows[rows.kind.eq("document") & rows.battery.notna() & rows.battery.gt(0)]
table = (
    told.assign(minute=told.time.dt.floor("min"), name=told.callsign.fillna(told.node))
    .groupby(["minute", "name"]).battery.last().unstack()
)
print(table.to_string(float_format="%.0f", na_rep="-"))
