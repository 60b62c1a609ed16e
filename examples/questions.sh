#!/bin/sh
# Questions to the database: its views each answer one (docs/cli.md, "SQLite").
#   questions.sh CAPTURE...
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PEAT_INSPECT:-peat-inspect}" -q -f sqlite -o "$folder/mesh.db" "$@"
sqlite3 -header -column "$folder/mesh.db" <<'SQL'
.print Who never acknowledged an emergency
SELECT emergency, source, node, callsign, outcome, why, frames FROM never_acked;
.print Links that were down in an emergency
SELECT emergency, node, link, substr(down, 12, 12) AS down, substr(up, 12, 12) AS up, reason FROM link_down_in_emergency;
.print The slowest updates
SELECT "update", round(delay, 1) AS seconds, knew, never FROM slowest_update LIMIT 5;
.print The busiest links
SELECT link, peer, messages, bytes, changes FROM link_use ORDER BY messages DESC LIMIT 3;
SQL
