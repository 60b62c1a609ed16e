-- How long updates of counters took by hops: 1 came from the node itself, 2 through another, and so on (5: or more)
WITH heard AS (
  SELECT c.mesh, c.day, c.origin, c.value, k.recorder_node AS node, c.node AS parent, c.at_us,
    row_number() OVER (PARTITION BY c.mesh, c.day, c.origin, c.value, k.recorder_node ORDER BY c.at_us, c.id) AS place
  FROM counter c JOIN capture k ON c.capture = k.capture
  WHERE c.direction = 'received' AND c.value > 0 AND k.recorder_node IS NOT NULL AND k.recorder_node <> c.origin
    AND (c.is_aligned OR c.mesh NOT IN (SELECT mesh FROM clock WHERE mesh IS NOT NULL))
), earliest AS (
  SELECT mesh, day, origin, value, node, parent, at_us FROM heard WHERE place = 1
), born AS (
  SELECT mesh, day, origin, value, min(at_us) AS born_us FROM counter
  WHERE node = origin AND value > 0
    AND (is_aligned OR mesh NOT IN (SELECT mesh FROM clock WHERE mesh IS NOT NULL))
  GROUP BY mesh, day, origin, value
), hop AS (
  SELECT a.mesh, a.day, a.origin, a.value, a.at_us,
    CASE WHEN a.parent = a.origin THEN 1 WHEN b.parent = a.origin THEN 2
      WHEN d.parent = a.origin THEN 3 WHEN e.parent = a.origin THEN 4 ELSE 5 END AS hops
  FROM earliest a
  LEFT JOIN earliest b ON b.mesh = a.mesh AND b.day = a.day AND b.origin = a.origin AND b.value = a.value AND b.node = a.parent
  LEFT JOIN earliest d ON d.mesh = a.mesh AND d.day = a.day AND d.origin = a.origin AND d.value = a.value AND d.node = b.parent
  LEFT JOIN earliest e ON e.mesh = a.mesh AND e.day = a.day AND e.origin = a.origin AND e.value = a.value AND e.node = d.parent
)
SELECT h.mesh, h.hops, count(*) AS updates, median((h.at_us - o.born_us) / 1e6) AS median_seconds,
  max((h.at_us - o.born_us) / 1e6) AS slowest_seconds
FROM hop h JOIN born o ON o.mesh = h.mesh AND o.day = h.day AND o.origin = h.origin AND o.value = h.value
GROUP BY h.mesh, h.hops ORDER BY h.mesh, h.hops
