-- Which node's messages told the mesh something new: reads timeline.ndjson in the working folder.
--   peat-inspect -f ndjson -o timeline.ndjson CAPTURE && duckdb < useful.sql
SELECT node,
       count(*) AS messages,
       count(*) FILTER (effect.changed) AS changed,
       round(100.0 * count(*) FILTER (effect.changed) / count(*), 1) AS percent,
       sum(bytes) AS bytes
FROM read_ndjson('timeline.ndjson', columns = {node: 'VARCHAR', effect: 'STRUCT(changed BOOLEAN)', bytes: 'BIGINT'})
WHERE node IS NOT NULL
GROUP BY node
ORDER BY messages DESC, node;
