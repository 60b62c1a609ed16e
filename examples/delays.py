"""How late nodes learn of updates: for each node the share that it knew after so many seconds.

  peat-inspect convergence -f ndjson CAPTURE | python3 delays.py PICTURE
"""

import collections
import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

delays = collections.defaultdict(list)
for line in sys.stdin:
    record = json.loads(line)
    if record["scope"] == "update":
        for knower in record["known_by"]:
            if "delay" in knower and knower["node"] != record["author"]:
                delays[knower["node"]].append(knower["delay"])

figure, axes = pyplot.subplots(figsize=(8, 4.5))
for node, seconds in sorted(delays.items()):
    seconds.sort()
    axes.step(seconds, [100 * (place + 1) / len(seconds) for place in range(len(seconds))], where="post", label=node)
    print(f"{node} learnt {len(seconds)} updates of others, half of them within {seconds[(len(seconds) - 1) // 2]:.1f} s")
axes.set(xlabel="seconds from an update's first appearance", ylabel="percent that the node knew", ylim=(0, 100))
axes.grid(alpha=0.3)
if delays:
    axes.legend()
figure.savefig(sys.argv[1], dpi=120, bbox_inches="tight")
