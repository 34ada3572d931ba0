// @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
//
// The referee writes lines to standard input and reads the answers from standard output. Print
// debugging text to standard error, or as a line that starts with `info`.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

type Fields = HashMap<String, String>;

/// The move to play.
fn choose(game: &Fields, turn: &Fields) -> String {
    let variant = &game["variant"]; // standoff, barricade, lockdown, runner or crossfire
    let rows = number(game, "rows");
    let cols = number(game, "cols");
    let origin = number(game, "origin"); // the number of the first row and column, 0 or 1
    let seat = number(game, "seat"); // 1 or 2; seat 1 moves first
    let ply = number(turn, "ply"); // the number of this move; turn["moves"] has those before it
    let time_ms = number(turn, "time_ms"); // the most that this answer may take

    // The rows from the top, joined by '/'; '.' is empty. The cell row,col is
    // board.as_bytes()[((row - origin) * (cols + 1) + col - origin) as usize].
    let board = &turn["board"];
    let empty = board.matches('.').count();
    let legal: Vec<&str> = turn["legal"].split(';').collect();
    let count = legal.len();
    let place = format!("{variant} {rows}x{cols} from {origin}, seat {seat}, ply {ply}");
    say(&format!(
        "info {place}, {time_ms} ms, {empty} empty cells, {count} legal moves"
    ));

    // >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    let seed = number(game, "seed"); // the same game gives the same numbers
    let mut dice = Dice(seed.wrapping_mul(1000).wrapping_add(ply) as u64);
    legal[dice.roll(count)].to_string()
}

/// The generator splitmix64.
struct Dice(u64);

impl Dice {
    /// A number from 0 to sides - 1.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}

/// A field as a number, 0 if it is none.
fn number(fields: &Fields, key: &str) -> i64 {
    fields
        .get(key)
        .map_or(0, |value| value.parse().unwrap_or(0))
}

/// Send a line, at once: what stays in a buffer is never seen.
fn say(line: &str) {
    println!("{line}");
    io::stdout().flush().unwrap();
}

fn main() {
    let mut game = Fields::new();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or("");
        let fields: Fields = words
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        match verb {
            "game" => {
                // A new game: the same process may play many.
                game = fields;
                say("ready");
            }
            "turn" => say(&format!("move {}", choose(&game, &fields))),
            "quit" => break,
            // `end` has the outcome; ignore it, and verbs of later versions of the protocol.
            _ => {}
        }
    }
}
