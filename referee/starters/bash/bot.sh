#!/usr/bin/env bash
# @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
#
# The referee writes lines to standard input and reads the answers from standard output. Print
# debugging text to standard error (>&2), or as a line that starts with `info`.

set -f # a move is never a file name pattern
declare -A game turn

# Puts the move to play into `move`.
choose() {
    local variant=${game[variant]} # standoff, barricade, lockdown, runner or crossfire
    local rows=${game[rows]} cols=${game[cols]}
    local origin=${game[origin]}   # the number of the first row and column, 0 or 1
    local seat=${game[seat]}       # 1 or 2; seat 1 moves first
    local ply=${turn[ply]}         # the number of this move; ${turn[moves]} has those before it
    local time_ms=${turn[time_ms]} # the most that this answer may take
    # The rows from the top, joined by "/"; "." is empty. The cell row,col is
    # ${board:(row - origin) * (cols + 1) + col - origin:1}.
    local board=${turn[board]}
    local empty=${board//[^.]/}
    local legal=(${turn[legal]//;/ })
    local note="$variant ${rows}x$cols from $origin, seat $seat, ply $ply, $time_ms ms"
    echo "info $note, ${#empty} empty cells, ${#legal[@]} legal moves"

    # >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    # The same game gives the same numbers; each ply has its own seed.
    dice=$((game[seed] & 0x7fffffff))
    for ((skipped = 0; skipped < ply + 2; skipped++)); do roll 1; done
    roll ${#legal[@]}
    move=${legal[rolled]}
}

# Puts a number from 0 to $1 - 1 into `rolled`. (RANDOM differs from one Bash to another.)
roll() {
    dice=$(((dice * 1103515245 + 12345) & 0x7fffffff))
    rolled=$(((dice >> 16) % $1))
}

# Puts words like key=value into an array with this name.
read_fields() {
    local -n fields=$1
    local word
    fields=()
    for word in "${@:2}"; do
        case $word in
            ?*=*) fields[${word%%=*}]=${word#*=} ;;
        esac
    done
}

while read -r verb line; do
    case $verb in
        game) # a new game: the same process may play many
            read_fields game $line
            echo ready
            ;;
        turn)
            read_fields turn $line
            choose
            echo "move $move"
            ;;
        quit) exit ;;
    esac
    # `end` has the outcome; ignore it, and verbs of later versions of the protocol.
done
