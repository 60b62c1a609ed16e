-- The slowest updates of counters: how long until every node that is known to say them did, by aligned clocks
WITH said AS (
  SELECT mesh, day, clock_reference, origin, value, node, min(at_us) AS at_us FROM counter
  WHERE value > 0 AND at_us IS NOT NULL AND node IS NOT NULL
    AND (is_aligned OR mesh NOT IN (SELECT mesh FROM clock WHERE mesh IS NOT NULL))
  GROUP BY mesh, day, clock_reference, origin, value, node
), spread AS (
  SELECT mesh, day, clock_reference, origin, value, count(*) AS nodes, min(at_us) AS first_us, max(at_us) AS last_us
  FROM said GROUP BY mesh, day, clock_reference, origin, value
)
SELECT mesh, day, origin, value, nodes, (last_us - first_us) / 1e6 AS seconds
FROM spread WHERE nodes > 1
ORDER BY seconds DESC, mesh, day, origin, value LIMIT 100
