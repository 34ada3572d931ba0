/* The five games on boards of up to 64 cells, for the reference referee in C. */

#ifndef RULES_H
#define RULES_H

#include <stdint.h>

#define MAX_CELLS 64
#define MAX_MOVES 128
#define MOVE_LIMIT 500
#define NONE (-1)

enum variant { STANDOFF, BARRICADE, LOCKDOWN, RUNNER, CROSSFIRE, VARIANTS };

extern const char *const variant_names[VARIANTS];

/* What depends on the variant and the size alone. */
typedef struct {
    enum variant variant;
    int rows, cols, origin, cells;
    uint64_t everything;
    uint64_t near8[MAX_CELLS], near4[MAX_CELLS];
    char name[MAX_CELLS][8];
    int name_length[MAX_CELLS];
} Rules;

typedef struct {
    int ply;
    uint64_t marks[2], closed[2]; /* placing games, by seat - 1 */
    int piece[2];                 /* barricade and runner */
    uint64_t blocks;
    int seen_count; /* runner: positions since the last block */
    uint16_t seen[MOVE_LIMIT + 1];
} State;

typedef struct {
    int8_t to, block; /* cells, or NONE */
    uint16_t at, length; /* of its text in the buffer that `write_legal` filled */
} Move;

int make_rules(Rules *rules, const char *variant, int rows, int cols);
void start(const Rules *rules, State *state);

/* The reason why the game is over and the seat that won; NULL while it goes on. */
const char *outcome(const Rules *rules, const State *state, int *winner);

/* Write all legal moves, joined by `;`; how many there are, and where the text ends. */
int write_legal(const Rules *rules, const State *state, char *text, Move *moves, char **end);
char *write_board(const Rules *rules, const State *state, char *text);
void apply(const Rules *rules, State *state, Move move);

#endif
