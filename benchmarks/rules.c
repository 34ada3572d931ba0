/* The five games: see rules.h. */

#include "rules.h"

#include <stdio.h>
#include <string.h>

const char *const variant_names[VARIANTS] = {"standoff", "barricade", "lockdown", "runner",
                                             "crossfire"};

static int is_placing(const Rules *rules) {
    return rules->variant != BARRICADE && rules->variant != RUNNER;
}

static uint64_t bit(int cell) { return (uint64_t)1 << cell; }

int make_rules(Rules *rules, const char *variant, int rows, int cols) {
    memset(rules, 0, sizeof *rules);
    while (strcmp(variant_names[rules->variant], variant))
        if (++rules->variant == VARIANTS) return 0;
    if (rows * cols > MAX_CELLS) return 0;
    rules->rows = rows;
    rules->cols = cols;
    rules->cells = rows * cols;
    rules->origin = rules->variant != BARRICADE && rules->variant != CROSSFIRE;
    rules->everything = rules->cells == 64 ? ~(uint64_t)0 : bit(rules->cells) - 1;
    for (int cell = 0; cell < rules->cells; cell++) {
        int row = cell / cols, col = cell % cols;
        rules->name_length[cell] =
            sprintf(rules->name[cell], "%d,%d", row + rules->origin, col + rules->origin);
        for (int r = row - 1; r <= row + 1; r++)
            for (int c = col - 1; c <= col + 1; c++) {
                if (r < 0 || c < 0 || r >= rows || c >= cols || (r == row && c == col)) continue;
                rules->near8[cell] |= bit(r * cols + c);
                if (r == row || c == col) rules->near4[cell] |= bit(r * cols + c);
            }
    }
    return 1;
}

static uint16_t position(const State *state) {
    return (uint16_t)(state->piece[0] << 8 | state->piece[1] << 1 | (state->ply & 1));
}

void start(const Rules *rules, State *state) {
    state->ply = 0;
    state->marks[0] = state->marks[1] = state->closed[0] = state->closed[1] = state->blocks = 0;
    state->piece[0] = 0;
    state->piece[1] = rules->cells - 1;
    if (rules->variant == RUNNER) {
        state->piece[0] = (rules->cols + 1) / 2 - 1;
        state->piece[1] = state->piece[0] + (rules->rows - 1) * rules->cols;
    }
    state->seen_count = 1;
    state->seen[0] = position(state);
}

static int reaches(const Rules *rules, int from, uint64_t goal, uint64_t free) {
    uint64_t reached = bit(from), edge = reached;
    while (edge) {
        if (reached & goal) return 1;
        uint64_t grown = 0;
        for (uint64_t rest = edge; rest; rest &= rest - 1)
            grown |= rules->near8[__builtin_ctzll(rest)];
        edge = grown & free & ~reached;
        reached |= edge;
    }
    return 0;
}

static const char *runner_outcome(const Rules *rules, const State *state, int *winner) {
    uint64_t top = bit(rules->cols) - 1, bottom = top << (rules->rows - 1) * rules->cols;
    int turn = state->ply & 1;
    if (bit(state->piece[0]) & bottom) return *winner = 1, "goal";
    if (bit(state->piece[1]) & top) return *winner = 2, "goal";
    if (state->blocks && state->seen_count == 1) {
        uint64_t free = rules->everything & ~state->blocks;
        if (!reaches(rules, state->piece[0], bottom, free) &&
            !reaches(rules, state->piece[1], top, free))
            return *winner = turn + 1, "shut-out";
    }
    if (!(rules->near8[state->piece[turn]] & ~(state->blocks | bit(state->piece[1 - turn]))))
        return *winner = 2 - turn, "no-moves";
    int count = 0;
    for (int i = 0; i < state->seen_count; i++)
        count += state->seen[i] == state->seen[state->seen_count - 1];
    if (count >= 3) return *winner = turn + 1, "repetition";
    if (state->ply >= MOVE_LIMIT) return *winner = 2, "move-limit";
    return NULL;
}

const char *outcome(const Rules *rules, const State *state, int *winner) {
    int turn = state->ply & 1;
    if (is_placing(rules)) {
        if (state->closed[turn] != rules->everything) return NULL;
        return *winner = 2 - turn, "no-moves";
    }
    if (rules->variant == RUNNER) return runner_outcome(rules, state, winner);
    if (state->piece[0] == rules->cells - 1) return *winner = 1, "goal";
    if (state->piece[1] == 0) return *winner = 2, "goal";
    if (rules->near4[state->piece[turn]] & ~(state->blocks | bit(state->piece[1 - turn])))
        return NULL;
    return *winner = 2 - turn, "no-moves";
}

/* Legal moves and their texts, as they are found. */
typedef struct {
    const Rules *rules;
    char *text, *at;
    Move *moves;
    int count;
} List;

static void add_name(List *list, int cell) {
    memcpy(list->at, list->rules->name[cell], sizeof list->rules->name[cell]);
    list->at += list->rules->name_length[cell];
}

static void add(List *list, int to, int block) {
    if (list->count) *list->at++ = ';';
    char *begin = list->at;
    if (to != NONE) add_name(list, to);
    if (block != NONE) {
        *list->at++ = 'x';
        add_name(list, block);
    }
    list->moves[list->count++] = (Move){(int8_t)to, (int8_t)block, (uint16_t)(begin - list->text),
                                        (uint16_t)(list->at - begin)};
}

static void add_steps(List *list, const State *state) {
    const Rules *rules = list->rules;
    int turn = state->ply & 1, goal = turn ? 0 : rules->cells - 1;
    int here = state->piece[turn], there = state->piece[1 - turn];
    uint64_t taken = state->blocks | bit(there);
    uint64_t steps = rules->variant == RUNNER ? rules->near8[here] : rules->near4[here];
    for (uint64_t rest = steps & ~taken; rest; rest &= rest - 1) {
        int to = __builtin_ctzll(rest);
        if (rules->variant == RUNNER || to == goal) {
            add(list, to, NONE);
            continue;
        }
        for (uint64_t cells = rules->near8[to] & ~taken; cells; cells &= cells - 1)
            add(list, to, __builtin_ctzll(cells));
    }
    if (rules->variant != RUNNER) return;
    uint64_t closed =
        state->blocks | bit(here) | bit(there) | rules->near8[here] | rules->near8[there];
    for (uint64_t rest = rules->everything & ~closed; rest; rest &= rest - 1)
        add(list, NONE, __builtin_ctzll(rest));
}

int write_legal(const Rules *rules, const State *state, char *text, Move *moves, char **end) {
    List list = {rules, text, text, moves, 0};
    if (is_placing(rules)) {
        uint64_t open = rules->everything & ~state->closed[state->ply & 1];
        for (; open; open &= open - 1) add(&list, __builtin_ctzll(open), NONE);
    } else {
        add_steps(&list, state);
    }
    *end = list.at;
    return list.count;
}

static void mark_cells(const Rules *rules, char *text, uint64_t mask, char mark) {
    for (; mask; mask &= mask - 1) {
        int cell = __builtin_ctzll(mask);
        text[cell + cell / rules->cols] = mark;
    }
}

char *write_board(const Rules *rules, const State *state, char *text) {
    int length = rules->rows * (rules->cols + 1) - 1;
    memset(text, '.', (size_t)length);
    for (int at = rules->cols; at < length; at += rules->cols + 1) text[at] = '/';
    if (is_placing(rules)) {
        uint64_t marks = state->marks[0] | state->marks[1];
        mark_cells(rules, text, state->marks[0], 'X');
        mark_cells(rules, text, state->marks[1], 'O');
        if (rules->variant != STANDOFF) mark_cells(rules, text, state->closed[0] & ~marks, '#');
    } else {
        const char *marks = rules->variant == RUNNER ? "12" : "AB";
        mark_cells(rules, text, bit(state->piece[0]), marks[0]);
        mark_cells(rules, text, bit(state->piece[1]), marks[1]);
        mark_cells(rules, text, state->blocks, 'X');
    }
    return text + length;
}

void apply(const Rules *rules, State *state, Move move) {
    int turn = state->ply++ & 1;
    if (is_placing(rules)) {
        uint64_t cell = bit(move.to);
        uint64_t near =
            rules->variant == CROSSFIRE ? rules->near4[move.to] : rules->near8[move.to];
        state->marks[turn] |= cell;
        state->closed[turn] |= cell | (rules->variant == STANDOFF ? 0 : near);
        state->closed[1 - turn] |= cell | near;
        return;
    }
    if (move.to != NONE) state->piece[turn] = move.to;
    if (move.block != NONE) {
        state->blocks |= bit(move.block);
        state->seen_count = 0;
    }
    if (rules->variant == RUNNER) state->seen[state->seen_count++] = position(state);
}
