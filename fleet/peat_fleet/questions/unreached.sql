-- Emergencies that somebody did not acknowledge, and why
WITH named AS (
  SELECT mesh, emergency_source, emergency_time, acker AS node, max(CASE WHEN given THEN 1 ELSE 0 END) AS given
  FROM ack GROUP BY mesh, emergency_source, emergency_time, acker
), carried AS (
  SELECT DISTINCT mesh, emergency_source, emergency_time, node FROM message
  WHERE emergency_source IS NOT NULL AND refused IS NULL AND captured IS NULL
), brought AS (
  SELECT m.mesh, m.emergency_source, m.emergency_time, c.recorder_node AS node,
    sum(CASE WHEN m.refused IS NULL THEN 1 ELSE 0 END) AS taken
  FROM message m JOIN capture c ON m.capture = c.capture
  WHERE m.direction = 'received' AND m.emergency_source IS NOT NULL AND m.captured IS NULL
  GROUP BY m.mesh, m.emergency_source, m.emergency_time, c.recorder_node
), recorded AS (
  SELECT DISTINCT mesh, recorder_node AS node FROM capture WHERE recorder_node IS NOT NULL
)
SELECT n.mesh, n.emergency_source, n.emergency_time, n.node,
  CASE WHEN k.node IS NOT NULL THEN 'carried it and did not acknowledge'
    WHEN b.taken > 0 THEN 'received it and did not carry it'
    WHEN b.taken = 0 THEN 'refused it'
    WHEN r.node IS NOT NULL THEN 'no message brought it'
    ELSE 'there is no capture of its own' END AS reason
FROM named n
LEFT JOIN carried k ON k.mesh = n.mesh AND k.emergency_source = n.emergency_source
  AND k.emergency_time = n.emergency_time AND k.node = n.node
LEFT JOIN brought b ON b.mesh = n.mesh AND b.emergency_source = n.emergency_source
  AND b.emergency_time = n.emergency_time AND b.node = n.node
LEFT JOIN recorded r ON r.mesh = n.mesh AND r.node = n.node
WHERE n.given = 0
ORDER BY n.mesh, n.emergency_time, n.emergency_source, n.node
