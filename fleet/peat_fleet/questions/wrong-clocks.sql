-- Captures whose clock is more than a minute off: against the others of their group, else against their own documents
WITH middle AS (
  SELECT mesh, reference, median(offset_us) AS offset_us FROM clock GROUP BY mesh, reference
), stamped AS (
  SELECT capture, median(time_us / 1e6 - CAST(peripheral_time AS DOUBLE) / 1e3) AS seconds FROM message
  WHERE direction = 'sent' AND peripheral_time > 0 AND time_us IS NOT NULL GROUP BY capture
), off AS (
  SELECT c.capture, (c.offset_us - m.offset_us) / 1e6 AS seconds, 'other captures' AS told_by
  FROM clock c JOIN middle m ON m.mesh = c.mesh AND m.reference = c.reference
  UNION ALL
  SELECT s.capture, s.seconds, 'its own documents' AS told_by FROM stamped s
  WHERE s.capture NOT IN (SELECT capture FROM clock WHERE capture IS NOT NULL)
)
SELECT k.mesh, k.day, k.file, o.seconds, o.told_by FROM off o JOIN capture k ON k.capture = o.capture
WHERE abs(o.seconds) > 60 ORDER BY k.mesh, k.day, k.file
