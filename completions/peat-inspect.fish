# fish completion for peat-inspect; generated from its option table.

# The command on the line; nothing where none has been typed yet.
function __peat_inspect_command
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case --
                echo inspect
                return
            case -f --format -o --output --color --from --to --node --peer --kind --event --handle --characteristic --keys --mesh --secret --progress -i --interface --replay --speed -w --write --rotate --files --on --exec --count --duration --until
                set skip 1
            case '-?*'
            case inspect monitor interfaces completions
                echo $word
                return
            case '*'
                echo inspect
                return
        end
    end
end

function __peat_inspect_none
    test -z (__peat_inspect_command | string collect)
end

# The default command's options hold as long as no command has been typed.
function __peat_inspect_in
    set -l command (__peat_inspect_command)
    test -n "$command"; or set command inspect
    contains -- "$command" $argv
end

complete -c peat-inspect -e
complete -c peat-inspect -n '__peat_inspect_none' -a 'inspect' -d 'the timeline of every Peat message'
complete -c peat-inspect -n '__peat_inspect_none' -a 'monitor' -d 'messages as they come, from an adapter, a pipe or a growing file'
complete -c peat-inspect -n '__peat_inspect_none' -a 'interfaces' -d 'what can be captured from on this machine, and what it lacks'
complete -c peat-inspect -n '__peat_inspect_none' -a 'completions' -d 'a completion script for bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_in interfaces' -f
complete -c peat-inspect -n '__peat_inspect_in completions' -a 'bash zsh fish' -d 'bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_in completions' -f
complete -c peat-inspect -n '__peat_inspect_in inspect monitor interfaces' -s f -l format -x -a 'text\\t\'for reading\' csv\\t\'one row a message\' ndjson\\t\'one JSON object a line\'' -d 'how to print'
complete -c peat-inspect -n '__peat_inspect_in inspect' -s o -l output -r -F -d 'write there instead of to standard output'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l utc -d 'show times in UTC'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l local -d 'show times in the local zone (default)'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l relative -d 'show seconds from the first packet'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l color -x -a 'auto always never' -d 'when to use colour'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l from -x -d 'only messages from then on'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l to -x -d 'only messages until then'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l node -x -d 'only messages by this node'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l peer -x -d 'only messages on links to this address'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l kind -x -a 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -d 'only messages of this kind, wrapped ones included'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l event -x -a 'ping need_assist emergency moving in_position ack' -d 'only messages that carry this event'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l changed -d 'only messages that changed the mesh\'s state'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l handle -x -d 'take this attribute handle for the document characteristic'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l characteristic -x -d 'another document characteristic, besides the known ones'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l all-characteristics -d 'show values of the other characteristics of Peat services too'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l keys -r -F -d 'secrets for decryption'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l mesh -x -d 'the mesh that --secret belongs to'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l secret -x -d 'a mesh\'s secret of 32 bytes; a keys file keeps it out of the process list'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l strict -d 'stop at the first damaged record instead of going on'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l progress -x -a 'auto always never' -d 'when to show progress on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -s q -l quiet -d 'no warnings on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -s v -l verbose -d 'say more: about the file on stderr, and every message in text output'
complete -c peat-inspect -n '__peat_inspect_in monitor' -s i -l interface -x -d 'capture from this device; see the command interfaces'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l replay -r -F -d 'play a capture as if it came now'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l speed -x -d 'play N times as fast; max plays without pauses'
complete -c peat-inspect -n '__peat_inspect_in monitor' -s w -l write -r -F -d 'record every packet to FILE.pcapng or FILE.btsnoop'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l rotate -x -d 'begin a new file after a size (100M) or a time (1h)'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l files -x -d 'keep at most N files; the oldest is removed'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l on -x -d 'what to alert of: emergency, finding, silence=30s'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l exec -x -d 'run a program at each alert: --exec CMD ARG... \\;'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l bell -d 'ring the terminal\'s bell at each alert'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l count -x -d 'end after N shown messages'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l duration -x -d 'end after so long, such as 60, 90s, 10m or 12h'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l until -x -d 'end when this holds; status 1 where it never did'
complete -c peat-inspect -s h -l help -d 'show help: -h on one screen, --help in full'
complete -c peat-inspect -l version -d 'show the version'
