// @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
//
// The referee writes lines to standard input and reads the answers from standard output. Print
// debugging text to standard error, or as a line that starts with `info`.

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Fields = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

// The move to play.
std::string choose(const Fields &game, const Fields &turn)
{
    std::string variant = game.at("variant");   // standoff, barricade, lockdown, runner, crossfire
    int rows = std::stoi(game.at("rows"));
    int cols = std::stoi(game.at("cols"));
    int origin = std::stoi(game.at("origin"));  // the number of the first row and column, 0 or 1
    int seat = std::stoi(game.at("seat"));      // 1 or 2; seat 1 moves first
    int ply = std::stoi(turn.at("ply"));        // the number of this move; turn.at("moves")
                                                // has those before it
    long time_ms = std::stol(turn.at("time_ms"));  // the most that this answer may take
    // The rows from the top, joined by '/'; '.' is empty. The cell row,col is
    // board[(row - origin) * (cols + 1) + col - origin].
    std::string board = turn.at("board");
    auto empty = std::count(board.begin(), board.end(), '.');
    std::vector<std::string> legal = split(turn.at("legal"), ';');
    std::cout << "info " << variant << ' ' << rows << 'x' << cols << " from " << origin
              << ", seat " << seat << ", ply " << ply << ", " << time_ms << " ms, "
              << empty << " empty cells, " << legal.size() << " legal moves" << std::endl;

    // >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    std::string text = game.at("seed") + " " + turn.at("ply");  // the same game gives the same numbers
    std::seed_seq seed(text.begin(), text.end());
    std::mt19937 dice(seed);
    return legal[dice() % legal.size()];
}

int main()
{
    Fields game;
    for (std::string line; std::getline(std::cin, line);) {
        Fields fields;
        std::vector<std::string> words = split(line, ' ');
        for (const std::string &word : words) {
            auto equals = word.find('=');
            if (equals != std::string::npos)
                fields[word.substr(0, equals)] = word.substr(equals + 1);
        }
        std::string verb = words.empty() ? "" : words[0];
        // std::endl also flushes: what stays in the buffer is never seen.
        if (verb == "game") {  // a new game: the same process may play many
            game = fields;
            std::cout << "ready" << std::endl;
        } else if (verb == "turn") {
            std::string move = choose(game, fields);  // which may print, before we do
            std::cout << "move " << move << std::endl;
        } else if (verb == "quit") {
            break;
        }
        // `end` has the outcome; ignore it, and verbs of later versions of the protocol.
    }
}
