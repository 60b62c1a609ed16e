# bash completion for peat-inspect; generated from its option table.
_peat_inspect() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' plain='' word index
  # '=' is a word of its own here: --option = value.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    case $word in
      --) plain=1; break ;;
      -f|--format|-o|--output|--color|--from|--to|--node|--peer|--kind|--event|--filter|--mesh-id|--handle|--characteristic|--keys|--mesh|--secret|--clocks|--offset|--anonymize-key|--positions|--bond-cache|--name|--progress|--cdb|--jobs|--time-limit|--at|--between|--against|--of|--graph|--interval|--fail-on|--only|--ignore|--severity|--as|-i|--interface|--replay|--speed|-w|--write|--rotate|--files|--on|--exec|--metrics|--count|--duration|--until|--hci|--pairing|--node-id|--callsign|--period)
        [[ ${COMP_WORDS[index + 1]} == '=' ]] && ((index++))
        ((index++)) ;;
      -?*) ;;
      inspect|state|diff|convergence|emergencies|links|stats|align|mesh|upgrades|check|decode|merge|monitor|node|interfaces|completions|help|version)
        [[ -z $command ]] && command=$word ;;
      *) [[ -z $command ]] && command=inspect ;;
    esac
  done
  COMPREPLY=()
  if [[ -z $plain ]]; then
    case "${command:-inspect} $prev" in
        'inspect -f'|'inspect --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson html sqlite markdown geojson kml pcapng pcap btsnoop' -- "$cur"); return ;;
        'inspect -o'|'inspect --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'inspect --from') :; return ;;
        'inspect --to') :; return ;;
        'inspect --node') :; return ;;
        'inspect --peer') :; return ;;
        'inspect --kind') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -- "$cur"); return ;;
        'inspect --event') mapfile -t COMPREPLY < <(compgen -W 'ping need_assist emergency moving in_position ack' -- "$cur"); return ;;
        'inspect --filter') :; return ;;
        'inspect --mesh-id') :; return ;;
        'inspect --handle') :; return ;;
        'inspect --characteristic') :; return ;;
        'inspect --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --mesh') :; return ;;
        'inspect --secret') :; return ;;
        'inspect --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --offset') :; return ;;
        'inspect --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'inspect --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --name') :; return ;;
        'inspect --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'inspect --cdb') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --jobs') :; return ;;
        'inspect --time-limit') :; return ;;
        'state -f'|'state --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson markdown geojson kml' -- "$cur"); return ;;
        'state -o'|'state --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'state --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'state --at') :; return ;;
        'state --mesh-id') :; return ;;
        'state --handle') :; return ;;
        'state --characteristic') :; return ;;
        'state --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'state --mesh') :; return ;;
        'state --secret') :; return ;;
        'state --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'state --offset') :; return ;;
        'state --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'state --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'state --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'state --name') :; return ;;
        'state --jobs') :; return ;;
        'state --time-limit') :; return ;;
        'state --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'diff -f'|'diff --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'diff -o'|'diff --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'diff --from') :; return ;;
        'diff --to') :; return ;;
        'diff --between') :; return ;;
        'diff --against') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --of') mapfile -t COMPREPLY < <(compgen -W 'emergencies convergence findings' -- "$cur"); return ;;
        'diff --handle') :; return ;;
        'diff --characteristic') :; return ;;
        'diff --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --mesh') :; return ;;
        'diff --secret') :; return ;;
        'diff --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --offset') :; return ;;
        'diff --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'diff --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'diff --name') :; return ;;
        'diff --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'convergence -f'|'convergence --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson markdown dot' -- "$cur"); return ;;
        'convergence -o'|'convergence --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'convergence --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'convergence --graph') mapfile -t COMPREPLY < <(compgen -W 'dot' -- "$cur"); return ;;
        'convergence --from') :; return ;;
        'convergence --to') :; return ;;
        'convergence --node') :; return ;;
        'convergence --mesh-id') :; return ;;
        'convergence --handle') :; return ;;
        'convergence --characteristic') :; return ;;
        'convergence --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'convergence --mesh') :; return ;;
        'convergence --secret') :; return ;;
        'convergence --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'convergence --offset') :; return ;;
        'convergence --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'convergence --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'convergence --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'convergence --name') :; return ;;
        'convergence --jobs') :; return ;;
        'convergence --time-limit') :; return ;;
        'convergence --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'emergencies -f'|'emergencies --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson markdown' -- "$cur"); return ;;
        'emergencies -o'|'emergencies --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'emergencies --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'emergencies --node') :; return ;;
        'emergencies --mesh-id') :; return ;;
        'emergencies --handle') :; return ;;
        'emergencies --characteristic') :; return ;;
        'emergencies --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'emergencies --mesh') :; return ;;
        'emergencies --secret') :; return ;;
        'emergencies --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'emergencies --offset') :; return ;;
        'emergencies --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'emergencies --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'emergencies --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'emergencies --name') :; return ;;
        'emergencies --jobs') :; return ;;
        'emergencies --time-limit') :; return ;;
        'emergencies --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'links -f'|'links --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson markdown' -- "$cur"); return ;;
        'links -o'|'links --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'links --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'links --node') :; return ;;
        'links --peer') :; return ;;
        'links --mesh-id') :; return ;;
        'links --handle') :; return ;;
        'links --characteristic') :; return ;;
        'links --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'links --mesh') :; return ;;
        'links --secret') :; return ;;
        'links --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'links --offset') :; return ;;
        'links --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'links --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'links --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'stats -f'|'stats --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'stats -o'|'stats --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'stats --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'stats --interval') :; return ;;
        'stats --from') :; return ;;
        'stats --to') :; return ;;
        'stats --node') :; return ;;
        'stats --peer') :; return ;;
        'stats --kind') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -- "$cur"); return ;;
        'stats --event') mapfile -t COMPREPLY < <(compgen -W 'ping need_assist emergency moving in_position ack' -- "$cur"); return ;;
        'stats --filter') :; return ;;
        'stats --mesh-id') :; return ;;
        'stats --handle') :; return ;;
        'stats --characteristic') :; return ;;
        'stats --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'stats --mesh') :; return ;;
        'stats --secret') :; return ;;
        'stats --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'stats --offset') :; return ;;
        'stats --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'stats --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'stats --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'stats --name') :; return ;;
        'stats --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'align -f'|'align --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'align -o'|'align --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'align --handle') :; return ;;
        'align --characteristic') :; return ;;
        'align --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'align --mesh') :; return ;;
        'align --secret') :; return ;;
        'align --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'align --offset') :; return ;;
        'align --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'align --name') :; return ;;
        'align --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'mesh -f'|'mesh --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'mesh -o'|'mesh --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'mesh --cdb') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --handle') :; return ;;
        'mesh --characteristic') :; return ;;
        'mesh --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --mesh') :; return ;;
        'mesh --secret') :; return ;;
        'mesh --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --offset') :; return ;;
        'mesh --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'mesh --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'mesh --name') :; return ;;
        'mesh --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'upgrades -f'|'upgrades --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'upgrades -o'|'upgrades --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'upgrades --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'upgrades --peer') :; return ;;
        'upgrades --handle') :; return ;;
        'upgrades --characteristic') :; return ;;
        'upgrades --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'upgrades --mesh') :; return ;;
        'upgrades --secret') :; return ;;
        'upgrades --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'upgrades --offset') :; return ;;
        'upgrades --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'upgrades --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'upgrades --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'check -f'|'check --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson markdown' -- "$cur"); return ;;
        'check -o'|'check --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'check --fail-on') mapfile -t COMPREPLY < <(compgen -W 'error warning note' -- "$cur"); return ;;
        'check --only') mapfile -t COMPREPLY < <(compgen -W 'malformed-message section-dropped section-cut uptime-timestamp activity-out-of-range heart-rate-out-of-range battery-out-of-range location-dropped over-receiver-limit content-not-dispatched write-refused lost-by-mtu wrong-key damaged-frame counter-regression own-counter-raised cut-by-mtu cut-by-capture unknown-section entry-skipped value-clamped codec-misread long-write delta-unmerged node-id-zero peripheral-of-other counter-leap version-collision version-reused old-document node-restart ack-withdrawn emergency-not-acked emergency-not-seen emergency-unknown emergency-link-down emergency-tie emergency-returned plaintext-in-encrypted-mesh decrypted-resent replayed-frame counter-jump unopened-wrapper relay-expired relay-loop relay-orphan write-cancelled read-refused no-subscription never-heard silent-peer silent-gap node-silent hearsay-node receiver-drops battery-low link-flapping one-way-link clock-skew redundant-link self-talk mesh-mismatch service-data-shapes smp-refused smp-unanswered smp-offset-rewind smp-resumed smp-upload-short smp-upload-repeated smp-not-confirmed smp-no-return smp-reverted smp-already-pending smp-mtu-too-small smp-hash-mismatch smp-bad-cbor smp-cut smp-slow dropped-packets acl-overrun acl-abandoned-start acl-orphan-continuation hci-malformed-event bad-crc encrypted-link unreadable-air-header air-length-fault connection-not-followed discovery-cut connection-limit clock-step recorder-clock mesh-no-key mesh-no-key-opens mesh-no-app-key mesh-no-device-key mesh-mic-damaged mesh-wrong-iv mesh-replay mesh-seq-reset mesh-relay-altered mesh-ttl-zero mesh-segments-unacked mesh-ack-cancelled mesh-config-unanswered mesh-request-unanswered mesh-config-refused mesh-filter-drops mesh-filter-mismatch mesh-sar-order mesh-sar-timeout mesh-beacon-forged mesh-iv-backwards mesh-kr-mixed mesh-not-bound mesh-unknown-opcode mesh-bad-length mesh-default-key mesh-provisioning-failed mesh-provisioning-stopped mesh-malformed' -- "$cur"); return ;;
        'check --ignore') mapfile -t COMPREPLY < <(compgen -W 'malformed-message section-dropped section-cut uptime-timestamp activity-out-of-range heart-rate-out-of-range battery-out-of-range location-dropped over-receiver-limit content-not-dispatched write-refused lost-by-mtu wrong-key damaged-frame counter-regression own-counter-raised cut-by-mtu cut-by-capture unknown-section entry-skipped value-clamped codec-misread long-write delta-unmerged node-id-zero peripheral-of-other counter-leap version-collision version-reused old-document node-restart ack-withdrawn emergency-not-acked emergency-not-seen emergency-unknown emergency-link-down emergency-tie emergency-returned plaintext-in-encrypted-mesh decrypted-resent replayed-frame counter-jump unopened-wrapper relay-expired relay-loop relay-orphan write-cancelled read-refused no-subscription never-heard silent-peer silent-gap node-silent hearsay-node receiver-drops battery-low link-flapping one-way-link clock-skew redundant-link self-talk mesh-mismatch service-data-shapes smp-refused smp-unanswered smp-offset-rewind smp-resumed smp-upload-short smp-upload-repeated smp-not-confirmed smp-no-return smp-reverted smp-already-pending smp-mtu-too-small smp-hash-mismatch smp-bad-cbor smp-cut smp-slow dropped-packets acl-overrun acl-abandoned-start acl-orphan-continuation hci-malformed-event bad-crc encrypted-link unreadable-air-header air-length-fault connection-not-followed discovery-cut connection-limit clock-step recorder-clock mesh-no-key mesh-no-key-opens mesh-no-app-key mesh-no-device-key mesh-mic-damaged mesh-wrong-iv mesh-replay mesh-seq-reset mesh-relay-altered mesh-ttl-zero mesh-segments-unacked mesh-ack-cancelled mesh-config-unanswered mesh-request-unanswered mesh-config-refused mesh-filter-drops mesh-filter-mismatch mesh-sar-order mesh-sar-timeout mesh-beacon-forged mesh-iv-backwards mesh-kr-mixed mesh-not-bound mesh-unknown-opcode mesh-bad-length mesh-default-key mesh-provisioning-failed mesh-provisioning-stopped mesh-malformed' -- "$cur"); return ;;
        'check --severity') mapfile -t COMPREPLY < <(compgen -W 'error warning note' -- "$cur"); return ;;
        'check --from') :; return ;;
        'check --to') :; return ;;
        'check --node') :; return ;;
        'check --peer') :; return ;;
        'check --kind') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -- "$cur"); return ;;
        'check --event') mapfile -t COMPREPLY < <(compgen -W 'ping need_assist emergency moving in_position ack' -- "$cur"); return ;;
        'check --filter') :; return ;;
        'check --mesh-id') :; return ;;
        'check --handle') :; return ;;
        'check --characteristic') :; return ;;
        'check --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --mesh') :; return ;;
        'check --secret') :; return ;;
        'check --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --offset') :; return ;;
        'check --anonymize-key') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --positions') mapfile -t COMPREPLY < <(compgen -W 'keep-shape shift drop' -- "$cur"); return ;;
        'check --cdb') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'check --name') :; return ;;
        'check --jobs') :; return ;;
        'check --time-limit') :; return ;;
        'check --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'decode -f'|'decode --format') mapfile -t COMPREPLY < <(compgen -W 'text ndjson' -- "$cur"); return ;;
        'decode -o'|'decode --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'decode --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'decode --as') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon smp' -- "$cur"); return ;;
        'decode --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'decode --mesh') :; return ;;
        'decode --secret') :; return ;;
        'merge -f'|'merge --format') mapfile -t COMPREPLY < <(compgen -W 'text ndjson' -- "$cur"); return ;;
        'merge -o'|'merge --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'merge --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'merge --as') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon smp' -- "$cur"); return ;;
        'merge --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'merge --mesh') :; return ;;
        'merge --secret') :; return ;;
        'monitor -i'|'monitor --interface') :; return ;;
        'monitor --replay') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'monitor --speed') :; return ;;
        'monitor -w'|'monitor --write') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'monitor --rotate') :; return ;;
        'monitor --files') :; return ;;
        'monitor --on') :; return ;;
        'monitor --exec') :; return ;;
        'monitor --metrics') :; return ;;
        'monitor --count') :; return ;;
        'monitor --duration') :; return ;;
        'monitor --until') :; return ;;
        'monitor -f'|'monitor --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'monitor --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'monitor --node') :; return ;;
        'monitor --peer') :; return ;;
        'monitor --kind') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -- "$cur"); return ;;
        'monitor --event') mapfile -t COMPREPLY < <(compgen -W 'ping need_assist emergency moving in_position ack' -- "$cur"); return ;;
        'monitor --filter') :; return ;;
        'monitor --handle') :; return ;;
        'monitor --characteristic') :; return ;;
        'monitor --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'monitor --mesh') :; return ;;
        'monitor --secret') :; return ;;
        'monitor --clocks') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'monitor --bond-cache') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'monitor --name') :; return ;;
        'node --hci') :; return ;;
        'node -w'|'node --write') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'node --duration') :; return ;;
        'node --pairing') mapfile -t COMPREPLY < <(compgen -W 'none just-works' -- "$cur"); return ;;
        'node --node-id') :; return ;;
        'node --callsign') :; return ;;
        'node --mesh') :; return ;;
        'node --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'node --secret') :; return ;;
        'node --period') :; return ;;
        'node -f'|'node --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'node --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'interfaces -f'|'interfaces --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
      esac
    if [[ $cur == -* ]]; then
      case "${command:-inspect}" in
          inspect) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --from --to --node --peer --kind --event --changed --filter --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --events --follow --progress -q --quiet -v --verbose --cdb --all-packets --include-opened --apply-clocks --wireshark-filter --each --jobs --time-limit --facts -h --help -V --version' -- "$cur") ;;
          state) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --at --apply-deltas --mergeable --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --each --jobs --time-limit --facts --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          diff) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --from --to --between --against --of --exit-code --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          convergence) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --graph --from --to --node --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --each --jobs --time-limit --facts --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          emergencies) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --node --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --each --jobs --time-limit --facts --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          links) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --node --peer --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          stats) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --interval --from --to --node --peer --kind --event --changed --filter --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          align) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --bond-cache --all-members --name --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          mesh) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --cdb --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --bond-cache --all-members --name --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          upgrades) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --peer --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          check) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --no-config --fail-on --only --ignore --severity --list --from --to --node --peer --kind --event --changed --filter --mesh-id --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --align --no-align --offset --strict --anonymize --anonymize-key --anonymize-time --positions --keep-foreign --cdb --bond-cache --all-members --name --each --jobs --time-limit --facts --progress -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          decode) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --color --no-config --as --keys --mesh --secret -q --quiet -h --help -V --version' -- "$cur") ;;
          merge) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --color --no-config --as --keys --mesh --secret -q --quiet --states --mergeable -h --help -V --version' -- "$cur") ;;
          monitor) mapfile -t COMPREPLY < <(compgen -W '-i --interface --replay --speed -w --write --rotate --files --comments --on --exec --bell --metrics --count --duration --until -f --format --utc --local --relative --color --no-config --node --peer --kind --event --changed --filter --handle --characteristic --all-characteristics --keys --mesh --secret --clocks --strict --bond-cache --name --events -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          node) mapfile -t COMPREPLY < <(compgen -W '--hci -w --write --duration --public-address --private-address --pairing --legacy --scan --no-scan --advertise --no-advertise --node-id --callsign --mesh --keys --secret --strict-encryption --observe --participate --relay --period --compat --no-compat --screen -f --format --utc --local --relative --color --no-config -q --quiet -v --verbose -h --help -V --version' -- "$cur") ;;
          interfaces) mapfile -t COMPREPLY < <(compgen -W '-f --format -h --help -V --version' -- "$cur") ;;
          completions) mapfile -t COMPREPLY < <(compgen -W '-h --help -V --version' -- "$cur") ;;
          help) mapfile -t COMPREPLY < <(compgen -W '-h --help -V --version' -- "$cur") ;;
          version) mapfile -t COMPREPLY < <(compgen -W '-h --help -V --version' -- "$cur") ;;
      esac
      return
    fi
  fi
  if [[ -z $command && -z $plain ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node interfaces completions help version' -- "$cur")
    local -a found=("${COMPREPLY[@]}")
    _peat_inspect_arguments inspect "$cur"
    COMPREPLY=("${found[@]}" "${COMPREPLY[@]}")
    return
  fi
  _peat_inspect_arguments "${command:-inspect}" "$cur"
}

_peat_inspect_arguments() {
  local cur=$2
  COMPREPLY=()
  case "$1" in
    inspect) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    state) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    diff) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    convergence) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    emergencies) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    links) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    stats) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    align) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    mesh) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    upgrades) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    check) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    decode) : ;;
    merge) : ;;
    monitor) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    node) : ;;
    interfaces) : ;;
    completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur") ;;
    help) : ;;
    version) : ;;
  esac
}

complete -F _peat_inspect peat-inspect
