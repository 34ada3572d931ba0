// @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
//
// The referee writes lines to standard input and reads the answers from standard output. Print
// debugging text to standard error, or as a line that starts with `info`.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

public class Bot {
    /** The move to play. */
    static String choose(Map<String, String> game, Map<String, String> turn) {
        String variant = game.get("variant"); // standoff, barricade, lockdown, runner or crossfire
        int rows = Integer.parseInt(game.get("rows"));
        int cols = Integer.parseInt(game.get("cols"));
        int origin = Integer.parseInt(game.get("origin")); // the first row and column, 0 or 1
        int seat = Integer.parseInt(game.get("seat")); // 1 or 2; seat 1 moves first
        int ply = Integer.parseInt(turn.get("ply")); // turn.get("moves") has those before it
        long timeMs = Long.parseLong(turn.get("time_ms")); // the most that this answer may take
        // The rows from the top, joined by '/'; '.' is empty. The cell row,col is
        // board.charAt((row - origin) * (cols + 1) + col - origin).
        String board = turn.get("board");
        long empty = board.chars().filter(cell -> cell == '.').count();
        String[] legal = turn.get("legal").split(";");
        say("info " + variant + " " + rows + "x" + cols + " from " + origin + ", seat " + seat
                + ", ply " + ply + ", " + timeMs + " ms, " + empty + " empty cells, "
                + legal.length + " legal moves");

        // >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
        int seed = (game.get("seed") + " " + ply).hashCode(); // the same game gives the same numbers
        SplittableRandom dice = new SplittableRandom(seed);
        return legal[dice.nextInt(legal.length)];
    }

    /** Send a line, at once: what stays in a buffer is never seen. */
    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> game = new HashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            Map<String, String> fields = new HashMap<>();
            for (String word : words) {
                int equals = word.indexOf('=');
                if (equals >= 0) {
                    fields.put(word.substring(0, equals), word.substring(equals + 1));
                }
            }
            if (words[0].equals("game")) { // a new game: the same process may play many
                game = fields;
                say("ready");
            } else if (words[0].equals("turn")) {
                say("move " + choose(game, fields));
            } else if (words[0].equals("quit")) {
                break;
            }
            // `end` has the outcome; ignore it, and verbs of later versions of the protocol.
        }
    }
}
