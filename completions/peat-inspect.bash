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
      -f|--format|-o|--output|--color|--from|--to|--node|--peer|--kind|--event|--handle|--characteristic|--keys|--mesh|--secret|--progress|--hci|-w|--write|--duration|--node-id|--callsign|--period)
        [[ ${COMP_WORDS[index + 1]} == '=' ]] && ((index++))
        ((index++)) ;;
      -?*) ;;
      inspect|node|completions)
        [[ -z $command ]] && command=$word ;;
      *) [[ -z $command ]] && command=inspect ;;
    esac
  done
  COMPREPLY=()
  if [[ -z $plain ]]; then
    case "${command:-inspect} $prev" in
        'inspect -f'|'inspect --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'inspect -o'|'inspect --output') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'inspect --from') :; return ;;
        'inspect --to') :; return ;;
        'inspect --node') :; return ;;
        'inspect --peer') :; return ;;
        'inspect --kind') mapfile -t COMPREPLY < <(compgen -W 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -- "$cur"); return ;;
        'inspect --event') mapfile -t COMPREPLY < <(compgen -W 'ping need_assist emergency moving in_position ack' -- "$cur"); return ;;
        'inspect --handle') :; return ;;
        'inspect --characteristic') :; return ;;
        'inspect --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'inspect --mesh') :; return ;;
        'inspect --secret') :; return ;;
        'inspect --progress') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        'node --hci') :; return ;;
        'node -w'|'node --write') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'node --duration') :; return ;;
        'node --node-id') :; return ;;
        'node --callsign') :; return ;;
        'node --mesh') :; return ;;
        'node --keys') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        'node --secret') :; return ;;
        'node --period') :; return ;;
        'node -f'|'node --format') mapfile -t COMPREPLY < <(compgen -W 'text csv ndjson' -- "$cur"); return ;;
        'node --color') mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
      esac
    if [[ $cur == -* ]]; then
      case "${command:-inspect}" in
          inspect) mapfile -t COMPREPLY < <(compgen -W '-f --format -o --output --utc --local --relative --color --from --to --node --peer --kind --event --changed --handle --characteristic --all-characteristics --keys --mesh --secret --strict --progress -q --quiet -v --verbose -h --help --version' -- "$cur") ;;
          node) mapfile -t COMPREPLY < <(compgen -W '--hci -w --write --duration --public-address --private-address --legacy --scan --no-scan --advertise --no-advertise --node-id --callsign --mesh --keys --secret --strict-encryption --observe --participate --relay --period --compat -f --format --utc --local --relative --color -q --quiet -v --verbose -h --help --version' -- "$cur") ;;
          completions) mapfile -t COMPREPLY < <(compgen -W '-h --help --version' -- "$cur") ;;
      esac
      return
    fi
  fi
  if [[ -z $command && -z $plain ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'inspect node completions' -- "$cur")
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
    node) : ;;
    completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur") ;;
  esac
}

complete -F _peat_inspect peat-inspect
