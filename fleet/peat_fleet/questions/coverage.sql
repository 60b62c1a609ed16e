-- Where messages were sent from: cells of a hundredth of a degree
SELECT mesh, floor(latitude * 100) / 100 AS south, floor(longitude * 100) / 100 AS west,
  count(DISTINCT id) AS messages, count(DISTINCT node) AS nodes
FROM message WHERE latitude IS NOT NULL AND longitude IS NOT NULL
GROUP BY mesh, floor(latitude * 100) / 100, floor(longitude * 100) / 100 ORDER BY mesh, south, west
