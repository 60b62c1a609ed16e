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
            case -f --format -o --output --color --from --to --node --peer --kind --event --handle --characteristic --keys --mesh --secret --progress --hci -w --write --duration --node-id --callsign --period
                set skip 1
            case '-?*'
            case inspect node completions
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
complete -c peat-inspect -n '__peat_inspect_none' -a 'node' -d 'take part in a mesh as a node'
complete -c peat-inspect -n '__peat_inspect_none' -a 'completions' -d 'a completion script for bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_in node' -f
complete -c peat-inspect -n '__peat_inspect_in completions' -a 'bash zsh fish' -d 'bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_in completions' -f
complete -c peat-inspect -n '__peat_inspect_in inspect node' -s f -l format -x -a 'text\\t\'for reading\' csv\\t\'one row a message\' ndjson\\t\'one JSON object a line\'' -d 'how to print'
complete -c peat-inspect -n '__peat_inspect_in inspect' -s o -l output -r -F -d 'write there instead of to standard output'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l utc -d 'show times in UTC'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l local -d 'show times in the local zone (default)'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l relative -d 'show seconds from the first packet'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l color -x -a 'auto always never' -d 'when to use colour'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l from -x -d 'only messages from then on'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l to -x -d 'only messages until then'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l node -x -d 'only messages by this node'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l peer -x -d 'only messages on links to this address'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l kind -x -a 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -d 'only messages of this kind, wrapped ones included'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l event -x -a 'ping need_assist emergency moving in_position ack' -d 'only messages that carry this event'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l changed -d 'only messages that changed the mesh\'s state'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l handle -x -d 'take this attribute handle for the document characteristic'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l characteristic -x -d 'another document characteristic, besides the known ones'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l all-characteristics -d 'show values of the other characteristics of Peat services too'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l keys -r -F -d 'secrets for decryption'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l mesh -x -d 'the mesh that --secret belongs to'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -l secret -x -d 'a mesh\'s secret of 32 bytes; a keys file keeps it out of the process list'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l strict -d 'stop at the first damaged record instead of going on'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l progress -x -a 'auto always never' -d 'when to show progress on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -s q -l quiet -d 'no warnings on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect node' -s v -l verbose -d 'say more: about the file on stderr, and every message in text output'
complete -c peat-inspect -n '__peat_inspect_in node' -l hci -x -d 'the controller: hci0, tcp:HOST:PORT, or serial:PATH[,BAUD]'
complete -c peat-inspect -n '__peat_inspect_in node' -s w -l write -r -F -d 'record all HCI packets, as .btsnoop or .pcapng'
complete -c peat-inspect -n '__peat_inspect_in node' -l duration -x -d 'end after so long'
complete -c peat-inspect -n '__peat_inspect_in node' -l public-address -d 'use the controller\'s public address, not a static random one'
complete -c peat-inspect -n '__peat_inspect_in node' -l private-address -d 'use a new private address at each start, not the one kept'
complete -c peat-inspect -n '__peat_inspect_in node' -l legacy -d 'use legacy advertising and scanning commands on every controller'
complete -c peat-inspect -n '__peat_inspect_in node' -l scan -d 'look for others and connect to them (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l no-scan -d 'look for others and connect to them (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l advertise -d 'let others find this node (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l no-advertise -d 'let others find this node (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l node-id -x -d 'this node\'s id'
complete -c peat-inspect -n '__peat_inspect_in node' -l callsign -x -d 'what others call this node, at most 12 bytes'
complete -c peat-inspect -n '__peat_inspect_in node' -l strict-encryption -d 'with a secret, refuse messages in clear'
complete -c peat-inspect -n '__peat_inspect_in node' -l observe -d 'send nothing by itself and count nothing; serve what was heard'
complete -c peat-inspect -n '__peat_inspect_in node' -l participate -d 'be a node like any other (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l relay -d 'also pass relayed messages on'
complete -c peat-inspect -n '__peat_inspect_in node' -l period -x -d 'time between two sends of the document on a link'
complete -c peat-inspect -n '__peat_inspect_in node' -l compat -d 'serve the 16-bit alias and the Linux service too'
complete -c peat-inspect -s h -l help -d 'show help: -h on one screen, --help in full'
complete -c peat-inspect -l version -d 'show the version'
