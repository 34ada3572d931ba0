#!/bin/sh
# The bot that rolls dice, in plain shell: as weak as random_bot.py, in any language you like.
#
# Only what is built into the shell is used, so that no turn waits for another program to start.
# The dice come from the game's seed and the ply: the same fixture always gives the same game.

set -f # a move is never a file name pattern
seed=0

while read -r verb fields; do
    for field in $fields; do
        case $field in
            seed=*) seed=${field#*=} ;;
            ply=*) ply=${field#*=} ;;
            legal=*) legal=${field#*=} ;;
        esac
    done
    case $verb in
        game)
            # The last nine digits fit into any shell's numbers; the 1 keeps 012 from being octal.
            long=000000000$seed
            seed=1${long#"${long%?????????}"}
            echo ready
            ;;
        turn)
            # A step of a linear congruential generator; its low bits are poor, so drop them.
            roll=$(((seed * 1103515245 + ply * 12820163 + 12345) % 2147483648))
            roll=$(((roll * 1103515245 + 12345) % 2147483648 / 65536))
            old_ifs=$IFS
            IFS=';'
            set -- $legal
            IFS=$old_ifs
            shift $((roll % $#))
            echo "move $1"
            ;;
        quit) exit ;;
    esac
done
