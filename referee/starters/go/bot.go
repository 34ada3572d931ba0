// @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
//
// The referee writes lines to standard input and reads the answers from standard output. Print
// debugging text to standard error, or as a line that starts with `info`.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

type Fields map[string]string

// choose returns the move to play.
func choose(game, turn Fields) string {
	variant := game["variant"] // standoff, barricade, lockdown, runner or crossfire
	rows, cols := number(game, "rows"), number(game, "cols")
	origin := number(game, "origin")  // the number of the first row and column, 0 or 1
	seat := number(game, "seat")      // 1 or 2; seat 1 moves first
	ply := number(turn, "ply")        // the number of this move; turn["moves"] has those before it
	timeMs := number(turn, "time_ms") // the most that this answer may take
	// The rows from the top, joined by '/'; '.' is empty. The cell row,col is
	// board[(row-origin)*(cols+1)+col-origin].
	board := turn["board"]
	empty := strings.Count(board, ".")
	legal := strings.Split(turn["legal"], ";")
	fmt.Printf("info %s %dx%d from %d, seat %d, ply %d, %d ms, %d empty cells, %d legal moves\n",
		variant, rows, cols, origin, seat, ply, timeMs, empty, len(legal))

	// >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
	seed := number(game, "seed")*1000 + ply // the same game gives the same numbers
	dice := rand.New(rand.NewSource(seed))
	return legal[dice.Intn(len(legal))]
}

// number is a field as a number, 0 if it is none.
func number(fields Fields, key string) int64 {
	value, _ := strconv.ParseInt(fields[key], 10, 64)
	return value
}

func main() {
	game := Fields{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		fields := Fields{}
		for _, word := range words[1:] {
			if key, value, found := strings.Cut(word, "="); found {
				fields[key] = value
			}
		}
		// fmt prints at once. If you use a bufio.Writer, flush it after every line.
		switch words[0] {
		case "game": // a new game: the same process may play many
			game = fields
			fmt.Println("ready")
		case "turn":
			fmt.Println("move " + choose(game, fields))
		case "quit":
			return
		}
		// `end` has the outcome; ignore it, and verbs of later versions of the protocol.
	}
}
