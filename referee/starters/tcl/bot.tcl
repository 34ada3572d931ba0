#!/usr/bin/env tclsh
# @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
#
# The referee writes lines to standard input and reads the answers from standard output. Print
# debugging text to stderr, or as a line that starts with `info`.

# The move to play.
proc choose {game turn} {
    set variant [dict get $game variant] ;# standoff, barricade, lockdown, runner or crossfire
    set rows [dict get $game rows]
    set cols [dict get $game cols]
    set origin [dict get $game origin]   ;# the number of the first row and column, 0 or 1
    set seat [dict get $game seat]       ;# 1 or 2; seat 1 moves first
    set ply [dict get $turn ply]         ;# the number of this move; `moves` has those before it
    set time_ms [dict get $turn time_ms] ;# the most that this answer may take
    # The rows from the top, joined by "/"; "." is empty. The cell row,col is
    # [string index $board [expr {($row - $origin) * ($cols + 1) + $col - $origin}]].
    set board [dict get $turn board]
    set empty [regexp -all {\.} $board]
    set legal [split [dict get $turn legal] ";"]
    set note "$variant ${rows}x$cols from $origin, seat $seat, ply $ply, $time_ms ms"
    puts "info $note, $empty empty cells, [llength $legal] legal moves"

    # >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    # The same game gives the same numbers; each ply has its own seed.
    expr {srand([dict get $game seed] % 2147483647)}
    for {set skipped 0} {$skipped < $ply + 2} {incr skipped} {expr {rand()}}
    return [lindex $legal [expr {int(rand() * [llength $legal])}]]
}

fconfigure stdout -buffering line        ;# what stays in a buffer is never seen
set game {}
while {[gets stdin line] >= 0} {
    set words [lassign [split $line] verb]
    set fields {}
    foreach word $words {
        if {[regexp {^([^=]+)=(.*)$} $word whole key value]} {
            dict set fields $key $value
        }
    }
    switch -- $verb {
        game {
            # A new game: the same process may play many.
            set game $fields
            puts ready
        }
        turn { puts "move [choose $game $fields]" }
        quit { break }
    }
    # `end` has the outcome; ignore it, and verbs of later versions of the protocol.
}
