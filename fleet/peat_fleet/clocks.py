"""Clocks of captures that share messages.

No message arrives before it was sent, so every pair bounds the difference of two clocks from one side; the line in the
middle of the widest strip between the bounds is the offset and the drift, as `peat-inspect align` takes it. Captures are
put on the clock of the first of their group, those with the most common messages first."""
import os

# Messages in each direction and half of the span that a drift needs, its shortest span, its largest value.
DRIFT_MESSAGES, DRIFT_SPAN, DRIFT_LIMIT = 6, 120.0, 1e-3

# A message has one name at both ends. One that many captures hold is an answer that is always the same.
PAIRS = """SELECT a.mesh, a.capture AS sender, b.capture AS receiver, a.time_us AS sent, b.time_us AS received
FROM message a JOIN message b ON a.mesh = b.mesh AND a.id = b.id
WHERE a.direction = 'sent' AND b.direction = 'received' AND a.capture <> b.capture
  AND a.time_us IS NOT NULL AND b.time_us IS NOT NULL AND a.captured IS NULL AND b.captured IS NULL
  AND a.id NOT IN (SELECT id FROM message WHERE direction = 'sent' AND id IS NOT NULL GROUP BY id HAVING count(*) > 4)"""


def _hull(points, sign):
    """The lower corners (sign 1) or the upper ones (-1), by Andrew's monotone chain."""
    corners = []
    for p in sorted(points, key=lambda q: (q[0], sign * q[1])):
        while len(corners) >= 2:
            a, b = corners[-2], corners[-1]
            if sign * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) > 0:
                break
            corners.pop()
        corners.append(p)
    return corners


def _edges(upper, lower, slope):
    top = min((d - slope * t for t, d in upper), default=None)
    bottom = max((d - slope * t for t, d in lower), default=None)
    return top, bottom


def fit(pairs):
    """pairs: (reference time, own time, whether the reference's end sent it), in microseconds.

    Gives origin, offset, drift, uncertainty (None where messages went one way only) and the number of messages."""
    differences = sorted(own - reference for reference, own, _ in pairs)
    median = differences[len(differences) // 2]
    times = [p[0] for p in pairs]
    origin, span = min(times), (max(times) - min(times)) / 1e6
    tolerance = 2e6 + span * 1e6 / 5000
    # Equal bytes that were not one message lie seconds off.
    kept = [p for p in pairs if abs(p[1] - p[0] - median) <= tolerance]
    origin = min(p[0] for p in kept)
    points = [((r - origin) / 1e6, (o - r - median) / 1e6, s) for r, o, s in kept]
    last = max(p[0] for p in points)
    upper = _hull([p[:2] for p in points if p[2]], 1)
    lower = _hull([p[:2] for p in points if not p[2]], -1)
    slope = 0.0
    halves = [sum(1 for t, _, s in points if s == way and (t < last / 2) == early)
              for way in (True, False) for early in (True, False)]
    if last >= DRIFT_SPAN and min(halves) >= DRIFT_MESSAGES:
        low, high = -DRIFT_LIMIT, DRIFT_LIMIT
        for _ in range(64):
            third = (high - low) / 3
            (t1, b1), (t2, b2) = _edges(upper, lower, low + third), _edges(upper, lower, high - third)
            if t1 - b1 < t2 - b2:
                low += third
            else:
                high -= third
        slope = (low + high) / 2
    top, bottom = _edges(upper, lower, slope)
    if top is None or bottom is None:
        middle, uncertainty = (top if bottom is None else bottom), None
    else:
        middle, uncertainty = (top + bottom) / 2, abs(top - bottom) / 2 * 1e6
    return origin, median + middle * 1e6, slope, uncertainty, len(kept)


def reference_time(clock, time):
    origin, offset, drift = clock
    shifted = time - offset
    return shifted - (shifted - origin) * drift / (1 + drift)


def solve(mesh, rows):
    """rows: (sender, receiver, sent, received). Gives a row of the clock table for each capture."""
    shared = {}
    for sender, receiver, sent, received in rows:
        shared.setdefault(sender, {}).setdefault(receiver, []).append((sent, received, False))
        shared.setdefault(receiver, {}).setdefault(sender, []).append((received, sent, True))
    left, result = set(shared), []
    while left:
        reference = min(left)
        known = {reference: (0.0, 0.0, 0.0)}
        result.append((reference, mesh, reference, 0.0, 0.0, 0.0, 0.0, 0))
        left.discard(reference)
        scores = {c: len(p) for c, p in shared[reference].items() if c in left}
        while scores:
            best = max(sorted(scores), key=scores.get)
            del scores[best]
            pairs = []
            for other, common in shared[best].items():
                if other in known:
                    pairs += [(reference_time(known[other], theirs), own, sent_by_other)
                              for own, theirs, sent_by_other in common]
            origin, offset, drift, uncertainty, count = fit(pairs)
            known[best] = (origin, offset, drift)
            left.discard(best)
            result.append((best, mesh, reference, offset, origin, drift, uncertainty, count))
            for other, common in shared[best].items():
                if other in left:
                    scores[other] = scores.get(other, 0) + len(common)
    return result


def write(rows, folder):
    """Writes the clock table: a file that appears whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    names = ["capture", "mesh", "reference", "offset_us", "origin_us", "drift", "uncertainty_us", "messages"]
    kinds = [pa.string(), pa.string(), pa.string(), pa.float64(), pa.float64(), pa.float64(), pa.float64(), pa.int64()]
    table = pa.table([pa.array([r[i] for r in rows], k) for i, k in enumerate(kinds)], names=names)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "clock.parquet")
    pq.write_table(table, path + ".part")
    os.replace(path + ".part", path)
