/* The alpha-beta bot in C: the strongest bot here.
 *
 * The same search and the same estimates as ../alphabeta.py and ../games.py, which explain the
 * ideas at more leisure, ten to seventy times as fast. `--nodes N` makes it look at N positions per
 * move instead of at the clock: then the same turn always gets the same answer.
 *
 * From top to bottom: sets of cells, the five games, the search, the protocol.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WON = 1000000,       /* the value of a won game, however long it takes */
    TO_THE_END = 1000000 /* a depth that nothing is deeper than */
};

/* ---- Sets of cells -------------------------------------------------------------------------
 *
 * Cell number 16 * row + col is a bit, whatever the size of the board. So a row is always 16 bits
 * up or down, and what would leave the board on any side is cut off by `everything`. */

enum { CELLS = 256 };

typedef struct {
    uint64_t word[4];
} Set;

/* The four words are written out and the functions always inlined, because at -O2 compilers do
 * neither by themselves: it makes the bot three times as fast. */
#define INLINE static inline __attribute__((always_inline))

INLINE Set both(Set a, Set b) {
    return (Set){{a.word[0] | b.word[0], a.word[1] | b.word[1], a.word[2] | b.word[2],
                  a.word[3] | b.word[3]}};
}

INLINE Set common(Set a, Set b) {
    return (Set){{a.word[0] & b.word[0], a.word[1] & b.word[1], a.word[2] & b.word[2],
                  a.word[3] & b.word[3]}};
}

INLINE Set without(Set a, Set b) {
    return (Set){{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1], a.word[2] & ~b.word[2],
                  a.word[3] & ~b.word[3]}};
}

INLINE bool is_empty(Set a) { return !(a.word[0] | a.word[1] | a.word[2] | a.word[3]); }

INLINE bool overlap(Set a, Set b) { return !is_empty(common(a, b)); }

INLINE bool equal(Set a, Set b) {
    return !((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1]) | (a.word[2] ^ b.word[2]) |
             (a.word[3] ^ b.word[3]));
}

INLINE bool has(Set a, int cell) { return a.word[cell >> 6] >> (cell & 63) & 1; }

INLINE Set only(int cell) {
    Set a = {{0}};
    a.word[cell >> 6] = (uint64_t)1 << (cell & 63);
    return a;
}

/* How many bits are set: in pairs, in fours, in bytes, and the sum of the bytes. Faster than what
 * a compiler does if it cannot count on a processor of the last fifteen years. */
INLINE int count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return x * 0x0101010101010101 >> 56;
}

INLINE int count(Set a) {
    return count_bits(a.word[0]) + count_bits(a.word[1]) + count_bits(a.word[2]) +
           count_bits(a.word[3]);
}

/* Take the first cell out of a set that is not empty. */
INLINE int take_first(Set *a) {
    int i = 0;
    while (!a->word[i]) i++;
    int bit = __builtin_ctzll(a->word[i]);
    a->word[i] &= a->word[i] - 1;
    return 64 * i + bit;
}

INLINE Set shifted_down(Set a) {
    return (Set){{a.word[0] << 16, a.word[1] << 16 | a.word[0] >> 48,
                  a.word[2] << 16 | a.word[1] >> 48, a.word[3] << 16 | a.word[2] >> 48}};
}

INLINE Set shifted_up(Set a) {
    return (Set){{a.word[0] >> 16 | a.word[1] << 48, a.word[1] >> 16 | a.word[2] << 48,
                  a.word[2] >> 16 | a.word[3] << 48, a.word[3] >> 16}};
}

INLINE uint64_t sideways(uint64_t word) {
    return (word & 0xfffefffefffefffe) >> 1 | (word & 0x7fff7fff7fff7fff) << 1;
}

INLINE Set shifted_sideways(Set a) {
    return (Set){{sideways(a.word[0]), sideways(a.word[1]), sideways(a.word[2]),
                  sideways(a.word[3])}};
}

INLINE uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
    return x ^ x >> 29;
}

INLINE uint64_t hash_set(Set a, uint64_t seed) {
    seed = scramble(scramble(seed + a.word[0]) + a.word[1]);
    return scramble(scramble(seed + a.word[2]) + a.word[3]);
}

/* ---- The games ----------------------------------------------------------------------------- */

typedef enum { STANDOFF, BARRICADE, LOCKDOWN, RUNNER, CROSSFIRE } Variant;

static const char *const NAMES[] = {"standoff", "barricade", "lockdown", "runner", "crossfire"};

enum { MAX_PLIES = 500, MAX_MOVES = CELLS + 8, NOWHERE = CELLS, LARGEST_GROUP = 16 };

static struct {
    Variant variant;
    int rows, cols, origin;
    bool diagonal; /* does what a mark closes, or a piece's way, go by eight neighbours? */
    Set everything;
    Set near4[CELLS], near8[CELLS];
    Set goals[2]; /* barricade and runner: where seat 1 and seat 2 want to go */
} game;

/* A move: a cell to place on or step to, and a cell to block; either may be NOWHERE. */
typedef int Move;

enum { MOVE_CODES = (NOWHERE + 1) * (NOWHERE + 1) };

static Move make_move(int to, int block) { return to * (NOWHERE + 1) + block; }
static int move_to(Move move) { return move / (NOWHERE + 1); }
static int move_block(Move move) { return move % (NOWHERE + 1); }

/* A position, seen by the player to move. */
typedef struct {
    int ply;
    Set mine, theirs; /* standoff, lockdown, crossfire: the cells open to each player */
    Set blocks;       /* barricade, runner */
    int here, there;  /* barricade, runner: the cells of the piece to move and of the other */
    int since;        /* runner: the ply of the last block, nothing before it can come back */
    uint64_t seen;    /* runner: a sum over all positions since then, in whatever order */
} Position;

/* runner: what stood on the board at each ply of the line that is being looked at. */
static int path[MAX_PLIES + 1];

INLINE Set neighbours(Set cells, bool diagonal) {
    Set sides = shifted_sideways(cells);
    Set row = diagonal ? both(cells, sides) : cells;
    return common(both(sides, both(shifted_up(row), shifted_down(row))), game.everything);
}

static Set row_of_cells(int row) {
    Set a = {{0}};
    for (int col = 0; col < game.cols; col++) a = both(a, only(16 * row + col));
    return a;
}

static void set_up(Variant variant, int rows, int cols, int origin) {
    game.variant = variant;
    game.rows = rows;
    game.cols = cols;
    game.origin = origin;
    game.diagonal = variant != BARRICADE && variant != CROSSFIRE;
    game.everything = (Set){{0}};
    for (int row = 0; row < rows; row++) game.everything = both(game.everything, row_of_cells(row));
    for (int cell = 0; cell < CELLS; cell++) {
        game.near4[cell] = neighbours(only(cell), false);
        game.near8[cell] = neighbours(only(cell), true);
    }
    if (variant == BARRICADE) {
        game.goals[0] = only(16 * (rows - 1) + cols - 1);
        game.goals[1] = only(0);
    } else {
        game.goals[0] = row_of_cells(rows - 1);
        game.goals[1] = row_of_cells(0);
    }
}

static void remember(Position *p) {
    path[p->ply] = (p->here * CELLS + p->there) * 2 + (p->ply & 1);
    p->seen += scramble(path[p->ply] + 1);
}

static Position start(void) {
    Position p = {0};
    p.mine = p.theirs = game.everything;
    if (game.variant == BARRICADE) {
        p.there = 16 * (game.rows - 1) + game.cols - 1;
    } else if (game.variant == RUNNER) {
        p.here = (game.cols + 1) / 2 - 1;
        p.there = 16 * (game.rows - 1) + p.here;
        remember(&p);
    }
    return p;
}

static int list_moves(const Position *p, Move *moves) {
    int n = 0;
    if (game.variant != BARRICADE && game.variant != RUNNER) {
        for (Set left = p->mine; !is_empty(left);)
            moves[n++] = make_move(take_first(&left), NOWHERE);
        return n;
    }
    Set free = without(game.everything, both(p->blocks, only(p->there)));
    Set steps = common(game.variant == RUNNER ? game.near8[p->here] : game.near4[p->here], free);
    while (!is_empty(steps)) {
        int to = take_first(&steps);
        if (game.variant == RUNNER || has(game.goals[p->ply & 1], to)) {
            moves[n++] = make_move(to, NOWHERE);
            continue;
        }
        for (Set left = common(game.near8[to], free); !is_empty(left);)
            moves[n++] = make_move(to, take_first(&left));
    }
    if (game.variant == RUNNER) {
        Set touched = both(game.near8[p->here], game.near8[p->there]);
        for (Set left = without(free, both(touched, only(p->here))); !is_empty(left);)
            moves[n++] = make_move(NOWHERE, take_first(&left));
    }
    return n;
}

static Position play(const Position *p, Move move) {
    int to = move_to(move), block = move_block(move);
    Position next = *p;
    next.ply++;
    if (game.variant != BARRICADE && game.variant != RUNNER) {
        Set closed = both(only(to), game.diagonal ? game.near8[to] : game.near4[to]);
        next.mine = without(p->theirs, closed);
        next.theirs = without(p->mine, game.variant == STANDOFF ? only(to) : closed);
        return next;
    }
    next.here = p->there;
    next.there = to == NOWHERE ? p->here : to;
    if (block != NOWHERE) {
        next.blocks = both(p->blocks, only(block));
        next.since = next.ply;
        next.seen = 0;
    }
    if (game.variant == RUNNER) remember(&next);
    return next;
}

/* Steps over free cells to the nearest cell of the goal; CELLS if there is no way. */
static int distance(int piece, Set goal, Set free) {
    Set reached = only(piece);
    for (int steps = 0;; steps++) {
        if (overlap(reached, goal)) return steps;
        Set grown = both(reached, common(neighbours(reached, game.diagonal), free));
        if (equal(grown, reached)) return CELLS;
        reached = grown;
    }
}

static bool is_shut_out(const Position *p) {
    Set free = without(game.everything, p->blocks);
    return distance(p->here, game.goals[p->ply & 1], free) == CELLS &&
           distance(p->there, game.goals[1 - (p->ply & 1)], free) == CELLS;
}

static bool is_third_time(const Position *p) {
    int times = 0;
    for (int ply = p->ply; ply >= p->since; ply -= 2) times += path[ply] == path[p->ply];
    return times >= 3;
}

/* 1 if the player to move has won, -1 if lost, 0 while the game goes on. */
static int result(const Position *p) {
    if (game.variant != BARRICADE && game.variant != RUNNER) return is_empty(p->mine) ? -1 : 0;
    if (has(game.goals[1 - (p->ply & 1)], p->there)) return -1;
    bool runner = game.variant == RUNNER;
    if (runner && p->ply && p->since == p->ply && is_shut_out(p)) return 1;
    Set taken = both(p->blocks, only(p->there));
    if (is_empty(without(runner ? game.near8[p->here] : game.near4[p->here], taken))) return -1;
    if (runner && is_third_time(p)) return 1;
    return runner && p->ply >= MAX_PLIES ? -1 : 0; /* seat 1 loses, whose turn it would be */
}

/* lockdown and crossfire: a group of open cells is worth a heap of Nim (Sprague and Grundy). */

enum { HEAPS = 1 << 18 };
static struct {
    Set group;
    int heap;
} heaps[HEAPS]; /* what is known; a group that is not empty never equals an unused entry */

static Set take_group(Set *open) {
    Set group = only(take_first(open)), fresh = group;
    while (!is_empty(fresh)) {
        fresh = common(neighbours(fresh, game.diagonal), *open);
        *open = without(*open, fresh);
        group = both(group, fresh);
    }
    return group;
}

static int heap_of(Set group);

static int nim_sum(Set open) {
    int sum = 0;
    while (!is_empty(open)) sum ^= heap_of(take_group(&open));
    return sum;
}

/* The smallest heap that no move leads to. */
static int heap_of(Set group) {
    unsigned slot = hash_set(group, 0) % HEAPS;
    if (equal(heaps[slot].group, group)) return heaps[slot].heap;
    uint64_t reached = 0; /* a group of up to 16 cells has no heap near 64 */
    for (Set left = group; !is_empty(left);) {
        int cell = take_first(&left);
        Set closed = both(only(cell), game.diagonal ? game.near8[cell] : game.near4[cell]);
        reached |= (uint64_t)1 << nim_sum(without(group, closed));
    }
    heaps[slot].group = group;
    heaps[slot].heap = __builtin_ctzll(~reached);
    return heaps[slot].heap;
}

static int estimate_nim(const Position *p) {
    for (Set open = p->mine; !is_empty(open);)
        if (count(take_group(&open)) > LARGEST_GROUP) return 0;
    return nim_sum(p->mine) ? WON : -WON;
}

/* barricade: how many more cells the player to move reaches first than the other does. */
static int more_room(Set mine, Set theirs, Set free) {
    int more = 0;
    free = without(free, both(mine, theirs));
    while (!is_empty(mine) || !is_empty(theirs)) {
        mine = common(neighbours(mine, false), free);
        free = without(free, mine);
        theirs = common(neighbours(theirs, false), free);
        free = without(free, theirs);
        more += count(mine) - count(theirs);
    }
    return more;
}

static int min(int a, int b) { return a < b ? a : b; }

/* A guess at how much better off the player to move is; WON or -WON if that is certain. */
static int estimate(const Position *p) {
    if (game.variant == STANDOFF) return count(p->mine) - count(p->theirs);
    if (game.variant == LOCKDOWN || game.variant == CROSSFIRE) return estimate_nim(p);
    Set free = without(game.everything, p->blocks);
    int my_way = distance(p->here, game.goals[p->ply & 1], free);
    int their_way = distance(p->there, game.goals[1 - (p->ply & 1)], free);
    if (game.variant == BARRICADE) {
        int far = game.rows + game.cols;
        int nearer = min(far, their_way) - min(far, my_way);
        return nearer + 4 * more_room(only(p->here), only(p->there), free);
    }
    int freer = count(common(game.near8[p->here], free));
    freer -= count(common(game.near8[p->there], free));
    return 10 * (their_way - my_way) + freer;
}

/* Positions with the same key are worth the same (but for chance, once in many years). */
static uint64_t key_of(const Position *p) {
    if (game.variant == STANDOFF) return hash_set(p->theirs, hash_set(p->mine, 1));
    if (game.variant != BARRICADE && game.variant != RUNNER) return hash_set(p->mine, 1);
    uint64_t pieces = (uint64_t)p->ply << 16 | p->here << 8 | p->there;
    return hash_set(p->blocks, scramble(pieces + 1) + p->seen);
}

/* ---- The search ---------------------------------------------------------------------------- */

typedef struct {
    uint64_t key;
    int age; /* entries of another age are forgotten */
    int depth, low, high; /* how deep it was searched, the least and the most it can be worth */
    Move first;
} Entry;

enum { ENTRIES = 1 << 20 };
static Entry table[ENTRIES]; /* 32 MB: well within what a tournament allows a bot */
static int age = 1;

static int history[MOVE_CODES]; /* how much each move has cut off, wherever it was played */

static struct {
    long limit, nodes; /* limit 0: as many nodes as the time allows */
    double deadline;
    bool stopped;
    int depth, score;
    Move best;
} search;

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void count_node(void) {
    search.nodes++;
    if (search.limit)
        search.stopped = search.nodes >= search.limit;
    else if (search.nodes % 32 == 0)
        search.stopped = now_ms() > search.deadline;
}

/* Swap the most promising of the moves from i on to place i, and return it. Most moves are never
 * looked at, so this is cheaper than sorting. */
static Move pick(Move *moves, int n, int i) {
    int best = i;
    for (int j = i + 1; j < n; j++)
        if (history[moves[j]] > history[moves[best]]) best = j;
    Move move = moves[best];
    moves[best] = moves[i];
    return moves[i] = move;
}

static void put_first(Move *moves, int n, Move first) {
    for (int i = 0; i < n; i++) {
        if (moves[i] != first) continue;
        moves[i] = moves[0];
        moves[0] = first;
        return;
    }
}

/* The worth for the player to move: exact between alpha and beta, else on the right side of them.
 * WON and -WON are exact in any case. Means nothing once the search is stopped. */
static int value_of(const Position *p, int depth, int alpha, int beta) {
    count_node();
    if (search.stopped) return 0;
    int over = result(p);
    if (over) return over * WON;
    if (depth == 0) return estimate(p);

    uint64_t key = key_of(p);
    Entry *entry = &table[key % ENTRIES];
    bool known = entry->key == key && entry->age == age;
    Move first = known ? entry->first : -1;
    if (known && entry->depth >= depth) {
        if (entry->low >= beta || entry->low == entry->high) return entry->low;
        if (entry->high <= alpha) return entry->high;
    }

    Move moves[MAX_MOVES], best = -1;
    int n = list_moves(p, moves), highest = -WON - 1, floor = alpha;
    put_first(moves, n, first);
    for (int i = 0; i < n; i++) {
        /* Just above the leaves, choosing an order would take longer than it saves. */
        Move move = depth == 1 || (i == 0 && known) ? moves[i] : pick(moves, n, i);
        Position next = play(p, move);
        int value = -value_of(&next, depth - 1, -beta, -floor);
        if (search.stopped) return 0;
        if (value <= highest) continue;
        highest = value;
        best = move;
        if (value > floor) floor = value;
        if (value >= beta || value == WON) {
            history[move] += depth * depth;
            break;
        }
    }

    *entry = (Entry){key, age, depth, -WON, WON, best};
    if (highest > alpha || highest == -WON) entry->low = highest;
    if (highest < beta || highest == WON) entry->high = highest;
    if (abs(highest) == WON) entry->low = entry->high = highest, entry->depth = TO_THE_END;
    return highest;
}

/* Search all moves, the best so far first, so that stopping half-way does no harm. If all moves
 * lose, the one from the last round stays: its loss took longest to see. */
static void look(const Position *p, Move *moves, int n) {
    int highest = -WON - 1;
    put_first(moves, n, search.best);
    for (int i = 0; i < n && highest < WON; i++) {
        Move move = i == 0 ? moves[0] : pick(moves, n, i);
        Position next = play(p, move);
        int value = -value_of(&next, search.depth - 1, -WON, -highest);
        if (search.stopped) return;
        if (value > highest) {
            highest = search.score = value;
            search.best = move;
        }
    }
}

static Move best_move(const Position *p) {
    Move moves[MAX_MOVES];
    int n = list_moves(p, moves);
    memset(history, 0, sizeof history);
    search.nodes = search.score = 0;
    search.stopped = false;
    search.best = moves[0];
    for (search.depth = 1;; search.depth++) {
        look(p, moves, n);
        if (search.stopped || abs(search.score) == WON || n == 1) return search.best;
    }
}

/* ---- The protocol --------------------------------------------------------------------------- */

/* The value of a field, up to the next space or the end of the line; NULL if it is not there. */
static const char *field(const char *line, const char *key) {
    size_t length = strlen(key);
    for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
        if (!strncmp(at + 1, key, length) && at[1 + length] == '=') return at + length + 2;
    return NULL;
}

static long number(const char *line, const char *key, long otherwise) {
    const char *value = field(line, key);
    return value ? strtol(value, NULL, 10) : otherwise;
}

/* Read `row,col`, and step past it. */
static int read_cell(const char **text) {
    char *end;
    long row = strtol(*text, &end, 10) - game.origin;
    long col = strtol(end + 1, &end, 10) - game.origin;
    *text = end;
    return 16 * row + col;
}

static Position replay(const char *moves) {
    Position p = start();
    if (*moves == '-') return p;
    for (;; moves++) {
        int to = *moves == 'x' ? NOWHERE : read_cell(&moves);
        int block = NOWHERE;
        if (*moves == 'x') {
            moves++;
            block = read_cell(&moves);
        }
        p = play(&p, make_move(to, block));
        if (*moves != ';') return p;
    }
}

static void print_cell(int cell) {
    printf("%d,%d", cell / 16 + game.origin, cell % 16 + game.origin);
}

static void print_move(Move move) {
    printf("move ");
    if (move_to(move) != NOWHERE) print_cell(move_to(move));
    if (move_block(move) != NOWHERE) {
        printf("x");
        print_cell(move_block(move));
    }
    printf("\n");
}

/* How long to think: a share of the clock, never so long that a slow moment loses the game. */
static double thinking_ms(bool fixed_time, long increment, long left, int ply) {
    double safe = 0.9 * left - 30;
    double share = 10000;
    if (!fixed_time) {
        int turns_to_come = (game.rows * game.cols - ply) / 4;
        turns_to_come = turns_to_come < 4 ? 4 : min(turns_to_come, 25);
        share = (double)left / turns_to_come + 0.8 * increment;
    }
    return share < safe ? share : safe;
}

static bool set_up_game(const char *line) {
    const char *name = field(line, "variant");
    for (Variant variant = STANDOFF; name && variant <= CROSSFIRE; variant++) {
        size_t length = strcspn(name, " \r\n");
        if (length != strlen(NAMES[variant]) || strncmp(name, NAMES[variant], length)) continue;
        set_up(variant, number(line, "rows", 0), number(line, "cols", 0),
               number(line, "origin", 0));
        memset(heaps, 0, sizeof heaps); /* they depend on the game and its size */
        return true;
    }
    return false;
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t size = 0;
    bool fixed_time = false;
    long increment = 0;
    if (argc == 3 && !strcmp(argv[1], "--nodes")) {
        search.limit = strtol(argv[2], NULL, 10);
    } else if (argc != 1) {
        fprintf(stderr, "usage: %s [--nodes N]\n", argv[0]);
        return 2;
    }
    while (getline(&line, &size, stdin) > 0) {
        double arrived = now_ms();
        char verb[8] = "";
        sscanf(line, "%7s", verb);
        if (!strcmp(verb, "game")) {
            fixed_time = !field(line, "time_ms");
            increment = number(line, "inc_ms", 0);
            age++;
            puts(set_up_game(line) ? "ready" : "decline I do not know this game");
        } else if (!strcmp(verb, "turn")) {
            Position p = replay(field(line, "moves"));
            long left = number(line, "time_ms", 1000);
            search.deadline = arrived + thinking_ms(fixed_time, increment, left, p.ply);
            if (search.limit) age++; /* the answer must depend on this turn alone */
            Move move = best_move(&p);
            printf("info depth=%d score=%d nodes=%ld\n", search.depth, search.score, search.nodes);
            print_move(move);
        } else if (!strcmp(verb, "quit")) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
