# The all-to-all shuffle of `netsim shuffle` on ns-2 2.35: one-way TCP (Sack1), delayed acknowledgements, drop-tail
# queues, two racks and a core switch; no Energy Efficient Ethernet. It is a rival in speed, not a referee.
#   ns shuffle.tcl nodes 24 bytes 182000 reducers 2 copiers 5 ... output FILE
# Arguments are pairs of a name below and its value; the results are lines "name value" in the file `output`.
array set o {
    nodes 24 bytes 100000 reducers 2 copiers 5
    edge_bps 1e9 core_bps 1e10 edge_s 150e-6 core_s 50e-6
    buffer_bytes 131072 mss 1460 window_segments 44 initial_window 10
    delayed_ack_s 0.04 rto_min_s 0.2 jitter_s 1e-5 seed 1 output ""
}
foreach {name value} $argv {
    if {![info exists o($name)]} {
        puts stderr "shuffle.tcl: no argument is called $name"
        exit 2
    }
    set o($name) $value
}
if {$o(output) eq ""} {
    puts stderr "shuffle.tcl: argument output is missing"
    exit 2
}

# A packet has all headers that ns-2 knows unless told otherwise; that alone costs much time and memory.
remove-all-packet-headers
add-packet-header IP TCP Flags

# Sizes on the wire: 1460 + 40 of headers + 38 of Ethernet, 84 for an acknowledgement.
Agent/TCP set packetSize_ [expr {$o(mss) + 38}]
Agent/TCP set useHeaders_ true
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ $o(window_segments)
Agent/TCP set windowInit_ $o(initial_window)
Agent/TCP set minrto_ $o(rto_min_s)
Agent/TCP set rtxcur_init_ 1.0
Agent/TCP set tcpTick_ 0.001
Agent/TCP set overhead_ $o(jitter_s)
Agent/TCPSink set packetSize_ 84
Agent/TCPSink/DelAck set interval_ $o(delayed_ack_s)
Agent/TCPSink/Sack1/DelAck set interval_ $o(delayed_ack_s)
Queue/DropTail set queue_in_bytes_ true
Queue/DropTail set mean_pktsize_ 1538

set ns [new Simulator]
$ns use-scheduler Calendar
ns-random $o(seed)

# In bytes the limit is that of packets times their mean size.
proc link {a b bps delay} {
    global ns o
    $ns duplex-link $a $b $bps $delay DropTail
    set limit [expr {max(1, int($o(buffer_bytes) / 1538))}]
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

set core [$ns node]
foreach rack {0 1} {
    set switch($rack) [$ns node]
    link $switch($rack) $core $o(core_bps) $o(core_s)
}
for {set i 0} {$i < $o(nodes)} {incr i} {
    set host($i) [$ns node]
    link $host($i) $switch([expr {$i % 2}]) $o(edge_bps) $o(edge_s)
}

set left 0
set idle {}
set hops 0
set resent 0
set timeouts 0
# An even number: ns-2 tells of the end when the sender has the last acknowledgement, which after an odd segment waits
# for the timer; elsewhere a transfer ends when the receiver has the last byte.
set segments [expr {2 * int(ceil($o(bytes) / 2.0 / $o(mss)))}]

# One copier of a reducer: fetches the next map output when the last has come.
proc next {reducer} {
    global ns host sources segments idle
    if {[llength $sources($reducer)] == 0} {
        return
    }
    set client [lindex [split $reducer .] 0]
    set server [lindex $sources($reducer) 0]
    set sources($reducer) [lrange $sources($reducer) 1 end]
    # Making a pair of agents takes milliseconds, so that ended ones serve again.
    if {[llength $idle] == 0} {
        set tcp [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1/DelAck]
    } else {
        foreach {tcp sink} [lindex $idle end] {}
        set idle [lrange $idle 0 end-1]
        $tcp reset
        $sink reset
    }
    $ns attach-agent $host($server) $tcp
    $ns attach-agent $host($client) $sink
    $ns connect $tcp $sink
    set length [expr {$client % 2 == $server % 2 ? 2 : 4}]
    $tcp proc done {} "ended \$self $sink $server $client $reducer $length"
    $tcp advance $segments
}

proc ended {tcp sink server client reducer length} {
    global ns host left hops resent timeouts
    # A packet that was dropped counts with its whole way: with deep buffers there is none.
    incr hops [expr {$length * ([$tcp set ndatapack_] + [$tcp set nackpack_])}]
    incr resent [$tcp set nrexmitpack_]
    incr timeouts [$tcp set nrexmit_]
    # Not within the agent's own call.
    $ns at [$ns now] "part $tcp $sink $server $client $reducer"
    if {[incr left -1] == 0} {
        finish
    }
}

proc part {tcp sink server client reducer} {
    global ns host idle
    $ns detach-agent $host($server) $tcp
    $ns detach-agent $host($client) $sink
    lappend idle [list $tcp $sink]
    next $reducer
}

proc finish {} {
    global ns o hops resent timeouts
    set file [open $o(output) w]
    puts $file "makespan [$ns now]\nhops $hops\nretransmits $resent\ntimeouts $timeouts"
    close $file
    exit 0
}

for {set i 1} {$i < $o(nodes)} {incr i} {
    for {set k 0} {$k < $o(reducers)} {incr k} {
        set sources($i.$k) {}
        for {set from 1} {$from < $o(nodes)} {incr from} {
            # Beginning after itself, so that not all ask the same host first.
            set server [expr {($i + $from - 1) % ($o(nodes) - 1) + 1}]
            if {$server != $i} {
                lappend sources($i.$k) $server
                incr left
            }
        }
        for {set c 0} {$c < $o(copiers)} {incr c} {
            $ns at 0.0 "next $i.$k"
        }
    }
}
if {$left == 0 || $segments == 0} {
    finish
}
$ns run
