-- Messages that receivers of some firmware drop or misread
SELECT mesh, platform, what, count(DISTINCT id) AS messages, count(DISTINCT node) AS senders
FROM receiver GROUP BY mesh, platform, what ORDER BY messages DESC, mesh, platform, what
