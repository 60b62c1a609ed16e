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
            case -f --format -o --output --color --from --to --node --peer --kind --event --filter --mesh-id --handle --characteristic --keys --mesh --secret --clocks --offset --anonymize-key --positions --bond-cache --name --progress --cdb --jobs --time-limit --at --between --against --of --graph --interval --fail-on --only --ignore --severity --as -i --interface --replay --speed -w --write --rotate --files --on --exec --metrics --count --duration --until --hci --pairing --node-id --callsign --period
                set skip 1
            case '-?*'
            case inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node interfaces completions help version
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
complete -c peat-inspect -n '__peat_inspect_none' -a 'state' -d 'the CRDT state of the mesh, and of each node, at one moment'
complete -c peat-inspect -n '__peat_inspect_none' -a 'diff' -d 'what differs between moments, nodes or captures'
complete -c peat-inspect -n '__peat_inspect_none' -a 'convergence' -d 'how each update spread: who knew it, when'
complete -c peat-inspect -n '__peat_inspect_none' -a 'emergencies' -d 'every emergency: who carried it, who acknowledged it, who not and why'
complete -c peat-inspect -n '__peat_inspect_none' -a 'links' -d 'every connection: devices, life, MTU, handles and what went over them'
complete -c peat-inspect -n '__peat_inspect_none' -a 'stats' -d 'how much was sent, by node, connection, kind and time, and how much was useful'
complete -c peat-inspect -n '__peat_inspect_none' -a 'align' -d 'the clock of each capture against the others'
complete -c peat-inspect -n '__peat_inspect_none' -a 'mesh' -d 'Bluetooth meshes: nodes, IV index, proxies, provisioning, unanswered requests'
complete -c peat-inspect -n '__peat_inspect_none' -a 'upgrades' -d 'every firmware upgrade over SMP (mcumgr): how far it got, and how it ended'
complete -c peat-inspect -n '__peat_inspect_none' -a 'check' -d 'findings: protocol faults, CRDT violations, waste, risks'
complete -c peat-inspect -n '__peat_inspect_none' -a 'decode' -d 'decode messages given as hexadecimal text'
complete -c peat-inspect -n '__peat_inspect_none' -a 'merge' -d 'merge documents as a receiving node does'
complete -c peat-inspect -n '__peat_inspect_none' -a 'monitor' -d 'messages as they come, live'
complete -c peat-inspect -n '__peat_inspect_none' -a 'node' -d 'take part in a mesh as a node'
complete -c peat-inspect -n '__peat_inspect_none' -a 'interfaces' -d 'what can be captured from, and what it lacks'
complete -c peat-inspect -n '__peat_inspect_none' -a 'completions' -d 'a completion script for bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_none' -a 'help' -d 'the help of a command, or of the tool'
complete -c peat-inspect -n '__peat_inspect_none' -a 'version' -d 'name and version'
complete -c peat-inspect -n '__peat_inspect_in decode' -f
complete -c peat-inspect -n '__peat_inspect_in merge' -f
complete -c peat-inspect -n '__peat_inspect_in node' -f
complete -c peat-inspect -n '__peat_inspect_in interfaces' -f
complete -c peat-inspect -n '__peat_inspect_in completions' -a 'bash zsh fish' -d 'bash, zsh or fish'
complete -c peat-inspect -n '__peat_inspect_in completions' -f
complete -c peat-inspect -n '__peat_inspect_in help' -f
complete -c peat-inspect -n '__peat_inspect_in version' -f
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node interfaces' -s f -l format -x -a 'text\\t\'for reading\' csv\\t\'one row a message\' ndjson\\t\'one JSON object a line\' html\\t\'one page that shows everything, for a ticket or a debrief\' sqlite\\t\'a database of messages, links, findings and how updates spread\' markdown\\t\'tables for a ticket, with times in UTC\' geojson\\t\'positions for a map (RFC 7946)\' kml\\t\'positions for a map (KML 2.2)\' pcapng\\t\'the packets again that matter, with the decoding as comments\' pcap\\t\'the same without comments\' btsnoop\\t\'the same without comments\'' -d 'how to print'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge' -s o -l output -r -F -d 'write there instead of to standard output'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check monitor node' -l utc -d 'show times in UTC'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check monitor node' -l local -d 'show times in the local zone (default)'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check monitor node' -l relative -d 'show seconds from the first packet'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check decode merge monitor node' -l color -x -a 'auto always never' -d 'when to use colour'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check decode merge monitor node' -l no-config -d 'go on without the settings file'
complete -c peat-inspect -n '__peat_inspect_in inspect diff convergence stats check' -l from -x -d 'only messages from then on'
complete -c peat-inspect -n '__peat_inspect_in inspect diff convergence stats check' -l to -x -d 'only messages until then'
complete -c peat-inspect -n '__peat_inspect_in inspect convergence emergencies links stats check monitor' -l node -x -d 'only messages by this node, an id or a callsign'
complete -c peat-inspect -n '__peat_inspect_in inspect links stats upgrades check monitor' -l peer -x -d 'only messages on links to this address'
complete -c peat-inspect -n '__peat_inspect_in inspect stats check monitor' -l kind -x -a 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon incomplete malformed' -d 'only messages of this kind, wrapped ones included'
complete -c peat-inspect -n '__peat_inspect_in inspect stats check monitor' -l event -x -a 'ping need_assist emergency moving in_position ack' -d 'only messages that carry this event'
complete -c peat-inspect -n '__peat_inspect_in inspect stats check monitor' -l changed -d 'only messages that changed the mesh\'s state'
complete -c peat-inspect -n '__peat_inspect_in inspect stats check monitor' -l filter -x -d 'only messages of which this expression is true'
complete -c peat-inspect -n '__peat_inspect_in inspect state convergence emergencies links stats check' -l mesh-id -x -d 'read the messages of this Peat mesh only'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor' -l handle -x -d 'take this attribute handle for the document characteristic'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor' -l characteristic -x -d 'another document characteristic, besides the known ones'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor' -l all-characteristics -d 'show values of the other characteristics of Peat services too'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node' -l keys -r -F -d 'secrets for decryption'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node' -l mesh -x -d 'the mesh that --secret belongs to'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node' -l secret -x -d 'a mesh\'s secret of 32 bytes; a keys file keeps it out of the process list'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor' -l clocks -r -F -d 'put captures on the clocks that align -f ndjson found'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check' -l align -d 'put several captures on the first one\'s clock (default)'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check' -l no-align -d 'put several captures on the first one\'s clock (default)'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check' -l offset -x -d 'say how far a capture\'s clock is ahead of the first one\'s'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor' -l strict -d 'stop at the first damaged record instead of going on'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check' -l anonymize -d 'put pseudonyms in the place of names, addresses, keys and texts'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check' -l anonymize-key -r -F -d 'with --anonymize: the same pseudonyms as in every run with this key'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check' -l anonymize-time -d 'with --anonymize: move all times by one number of days'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check' -l positions -x -a 'keep-shape\\t\'turn all on the globe by one rotation: distances stay\' shift\\t\'the same as keep-shape\' drop\\t\'put 0 for each\'' -d 'with --anonymize: what becomes of positions'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats mesh upgrades check' -l keep-foreign -d 'with --anonymize: keep values of other characteristics as they are'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies stats align mesh check monitor' -l bond-cache -r -F -d 'remember handles by peer address in this file'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies stats align mesh check' -l all-members -d 'read every capture of an archive, earlier sessions too'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies stats align mesh check monitor' -l name -x -d 'what records call standard input (default -)'
complete -c peat-inspect -n '__peat_inspect_in inspect monitor' -l events -d 'show what happened to connections as rows of their own'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l follow -d 'keep reading a file that grows, through rotation'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check' -l progress -x -a 'auto always never' -d 'when to show progress on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check decode merge monitor node' -s q -l quiet -d 'no warnings on stderr'
complete -c peat-inspect -n '__peat_inspect_in inspect state diff convergence emergencies links stats align mesh upgrades check monitor node' -s v -l verbose -d 'say more: about the file on stderr, and every message in text output'
complete -c peat-inspect -n '__peat_inspect_in inspect mesh check' -l cdb -r -F -d 'keys and names of a Bluetooth mesh, as its app exports them'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l all-packets -d 'with -f pcapng, pcap or btsnoop: keep every packet'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l include-opened -d 'with -f pcapng: put what keys open of encrypted frames into the comments'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l apply-clocks -d 'with -f pcapng, pcap or btsnoop: stamp packets by the first capture\'s clock'
complete -c peat-inspect -n '__peat_inspect_in inspect' -l wireshark-filter -d 'in text, name the filter that shows each message in Wireshark'
complete -c peat-inspect -n '__peat_inspect_in inspect state convergence emergencies check' -l each -d 'take every capture for itself, not as one mesh'
complete -c peat-inspect -n '__peat_inspect_in inspect state convergence emergencies check' -l jobs -x -d 'with --each: read with so many processes'
complete -c peat-inspect -n '__peat_inspect_in inspect state convergence emergencies check' -l time-limit -x -d 'with --each: give a capture up after so long; 0: never'
complete -c peat-inspect -n '__peat_inspect_in inspect state convergence emergencies check' -l facts -d 'close each capture with a record of its own'
complete -c peat-inspect -n '__peat_inspect_in state' -l at -x -d 'the moment; default: the end'
complete -c peat-inspect -n '__peat_inspect_in state' -l apply-deltas -d 'join delta documents too, which no Rust receiver does'
complete -c peat-inspect -n '__peat_inspect_in state merge' -l mergeable -d 'print a snapshot that merge --states takes'
complete -c peat-inspect -n '__peat_inspect_in diff' -l between -x -d 'compare what two nodes know, at --to or the end'
complete -c peat-inspect -n '__peat_inspect_in diff' -l against -r -F -d 'compare with another capture'
complete -c peat-inspect -n '__peat_inspect_in diff' -l of -x -a 'emergencies\\t\'who acknowledged, and how fast; the nth of a source with its nth\' convergence\\t\'how far and how fast news spread\' findings\\t\'what check finds, by code and node\'' -d 'with --against: compare these of two runs'
complete -c peat-inspect -n '__peat_inspect_in diff' -l exit-code -d 'end with status 1 where there are differences'
complete -c peat-inspect -n '__peat_inspect_in convergence' -l graph -x -a 'dot\\t\'the same as -f dot\'' -d 'who told whom as a graph, instead of the tables'
complete -c peat-inspect -n '__peat_inspect_in stats' -l interval -x -d 'length of an interval, such as 500ms, 10 or 5m'
complete -c peat-inspect -n '__peat_inspect_in check' -l fail-on -x -a 'error\\t\'what loses or falsifies data\' warning\\t\'what may\' note\\t\'anything\'' -d 'the least severity that makes the exit status 1'
complete -c peat-inspect -n '__peat_inspect_in check' -l only -x -a 'malformed-message section-dropped section-cut uptime-timestamp activity-out-of-range heart-rate-out-of-range battery-out-of-range location-dropped over-receiver-limit content-not-dispatched write-refused lost-by-mtu wrong-key damaged-frame counter-regression own-counter-raised cut-by-mtu cut-by-capture unknown-section entry-skipped value-clamped codec-misread long-write delta-unmerged node-id-zero peripheral-of-other counter-leap version-collision version-reused old-document node-restart ack-withdrawn emergency-not-acked emergency-not-seen emergency-unknown emergency-link-down emergency-tie emergency-returned plaintext-in-encrypted-mesh decrypted-resent replayed-frame counter-jump unopened-wrapper relay-expired relay-loop relay-orphan write-cancelled read-refused no-subscription never-heard silent-peer silent-gap node-silent hearsay-node receiver-drops battery-low link-flapping one-way-link clock-skew redundant-link self-talk mesh-mismatch service-data-shapes smp-refused smp-unanswered smp-offset-rewind smp-resumed smp-upload-short smp-upload-repeated smp-not-confirmed smp-no-return smp-reverted smp-already-pending smp-mtu-too-small smp-hash-mismatch smp-bad-cbor smp-cut smp-slow dropped-packets acl-overrun acl-abandoned-start acl-orphan-continuation hci-malformed-event bad-crc encrypted-link unreadable-air-header air-length-fault connection-not-followed discovery-cut connection-limit clock-step recorder-clock mesh-no-key mesh-no-key-opens mesh-no-app-key mesh-no-device-key mesh-mic-damaged mesh-wrong-iv mesh-replay mesh-seq-reset mesh-relay-altered mesh-ttl-zero mesh-segments-unacked mesh-ack-cancelled mesh-config-unanswered mesh-request-unanswered mesh-config-refused mesh-filter-drops mesh-filter-mismatch mesh-sar-order mesh-sar-timeout mesh-beacon-forged mesh-iv-backwards mesh-kr-mixed mesh-not-bound mesh-unknown-opcode mesh-bad-length mesh-default-key mesh-provisioning-failed mesh-provisioning-stopped mesh-malformed' -d 'only findings of this code; repeatable'
complete -c peat-inspect -n '__peat_inspect_in check' -l ignore -x -a 'malformed-message section-dropped section-cut uptime-timestamp activity-out-of-range heart-rate-out-of-range battery-out-of-range location-dropped over-receiver-limit content-not-dispatched write-refused lost-by-mtu wrong-key damaged-frame counter-regression own-counter-raised cut-by-mtu cut-by-capture unknown-section entry-skipped value-clamped codec-misread long-write delta-unmerged node-id-zero peripheral-of-other counter-leap version-collision version-reused old-document node-restart ack-withdrawn emergency-not-acked emergency-not-seen emergency-unknown emergency-link-down emergency-tie emergency-returned plaintext-in-encrypted-mesh decrypted-resent replayed-frame counter-jump unopened-wrapper relay-expired relay-loop relay-orphan write-cancelled read-refused no-subscription never-heard silent-peer silent-gap node-silent hearsay-node receiver-drops battery-low link-flapping one-way-link clock-skew redundant-link self-talk mesh-mismatch service-data-shapes smp-refused smp-unanswered smp-offset-rewind smp-resumed smp-upload-short smp-upload-repeated smp-not-confirmed smp-no-return smp-reverted smp-already-pending smp-mtu-too-small smp-hash-mismatch smp-bad-cbor smp-cut smp-slow dropped-packets acl-overrun acl-abandoned-start acl-orphan-continuation hci-malformed-event bad-crc encrypted-link unreadable-air-header air-length-fault connection-not-followed discovery-cut connection-limit clock-step recorder-clock mesh-no-key mesh-no-key-opens mesh-no-app-key mesh-no-device-key mesh-mic-damaged mesh-wrong-iv mesh-replay mesh-seq-reset mesh-relay-altered mesh-ttl-zero mesh-segments-unacked mesh-ack-cancelled mesh-config-unanswered mesh-request-unanswered mesh-config-refused mesh-filter-drops mesh-filter-mismatch mesh-sar-order mesh-sar-timeout mesh-beacon-forged mesh-iv-backwards mesh-kr-mixed mesh-not-bound mesh-unknown-opcode mesh-bad-length mesh-default-key mesh-provisioning-failed mesh-provisioning-stopped mesh-malformed' -d 'no findings of this code; repeatable'
complete -c peat-inspect -n '__peat_inspect_in check' -l severity -x -a 'error\\t\'errors alone\' warning\\t\'errors and warnings\' note\\t\'everything\'' -d 'only findings from this severity on'
complete -c peat-inspect -n '__peat_inspect_in check' -l list -d 'print the table of findings, and read nothing'
complete -c peat-inspect -n '__peat_inspect_in decode merge' -l as -x -a 'document encrypted peer_encrypted key_exchange relay delta canned app markers chat node_id node_info sync_state command status chunk lite beacon encrypted_beacon smp\\t\'a message of a firmware upgrade\'' -d 'read the bytes as this kind, whatever their first byte says'
complete -c peat-inspect -n '__peat_inspect_in merge' -l states -d 'merge the snapshots in these files, which state --mergeable printed'
complete -c peat-inspect -n '__peat_inspect_in monitor' -s i -l interface -x -d 'capture from this device; see the command interfaces'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l replay -r -F -d 'play a capture as if it came now'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l speed -x -d 'play N times as fast; max plays without pauses'
complete -c peat-inspect -n '__peat_inspect_in monitor node' -s w -l write -r -F -d 'record every packet to FILE.pcapng or FILE.btsnoop'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l rotate -x -d 'begin a new file after a size (100M) or a time (1h)'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l files -x -d 'keep at most N files; the oldest is removed'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l comments -d 'with -w FILE.pcapng: tell each message in a comment on its packet'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l on -x -d 'what to alert of: emergency, finding, silence=30s'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l exec -x -d 'run a program at each alert: --exec CMD ARG... \\;'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l bell -d 'ring the terminal\'s bell at each alert'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l metrics -x -d 'serve counts for Prometheus at http://ADDRESS:PORT/metrics'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l count -x -d 'end after N shown messages'
complete -c peat-inspect -n '__peat_inspect_in monitor node' -l duration -x -d 'end after so long, such as 60, 90s, 10m or 12h'
complete -c peat-inspect -n '__peat_inspect_in monitor' -l until -x -d 'end when this holds; status 1 where it never did'
complete -c peat-inspect -n '__peat_inspect_in node' -l hci -x -d 'the controller: hci0, tcp:HOST:PORT, or serial:PATH[,BAUD]'
complete -c peat-inspect -n '__peat_inspect_in node' -l public-address -d 'use the controller\'s public address, not a static random one'
complete -c peat-inspect -n '__peat_inspect_in node' -l private-address -d 'use private addresses that change every 15 minutes'
complete -c peat-inspect -n '__peat_inspect_in node' -l pairing -x -a 'none\\t\'refuse it as not supported\' just-works\\t\'pair without asking anybody\'' -d 'what to do where a peer wants to pair'
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
complete -c peat-inspect -n '__peat_inspect_in node' -l compat -d 'serve the Linux nodes\' service too (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l no-compat -d 'serve the Linux nodes\' service too (default)'
complete -c peat-inspect -n '__peat_inspect_in node' -l screen -d 'show nodes and messages on the full screen, as monitor does'
complete -c peat-inspect -s h -l help -d 'show help: -h on one screen, --help in full'
complete -c peat-inspect -s V -l version -d 'show the version'
