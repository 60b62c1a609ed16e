-- Links that drop: three connections or more of one pair of devices in one capture
SELECT mesh, day, file, local, peer, count(DISTINCT link) AS connections FROM message
WHERE link IS NOT NULL AND peer IS NOT NULL GROUP BY mesh, day, file, local, peer
HAVING count(DISTINCT link) >= 3 ORDER BY connections DESC, mesh, day, file, local, peer
