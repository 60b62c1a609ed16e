-- Nodes whose last word of their battery was 15 % or less
WITH told AS (
  SELECT mesh, day, node, callsign, battery, at_us,
    row_number() OVER (PARTITION BY mesh, day, node ORDER BY at_us DESC, id) AS place
  FROM aligned WHERE battery IS NOT NULL AND node IS NOT NULL AND at_us IS NOT NULL
)
SELECT mesh, day, node, callsign, battery FROM told WHERE place = 1 AND battery <= 15 ORDER BY mesh, day, node
