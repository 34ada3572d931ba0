#!/usr/bin/env bash
# An honest bot that uses helper processes, a job in the background and scratch files.
while read -r line; do
  case $line in
    game*) echo ready ;;
    turn*)
      legal=${line##* legal=}
      (echo "$legal" | tr ';' '\n' | sort | head -n 1 > "$TMPDIR/control") &
      wait
      echo "move $(cat "$TMPDIR/control")" ;;
    quit*) break ;;
  esac
done
