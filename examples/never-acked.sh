#!/bin/sh
# Who did not acknowledge an emergency, and why: one line each, and nothing where all did.
#   never-acked.sh CAPTURE...
set -eu
"${PEAT_INSPECT:-peat-inspect}" emergencies -f ndjson "$@" | jq -r '
  . as $emergency | .nodes[]
  | select(.outcome != "acked" and .node != $emergency.source and .text)
  | "\($emergency.callsign // $emergency.source): \(.callsign // .node) \(.outcome) (\(.why)): \(.text)"'
