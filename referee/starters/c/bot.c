/* @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
 *
 * The referee writes lines to standard input and reads the answers from standard output. Print
 * debugging text to standard error, or as a line that starts with `info`. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MOVES 4096     /* far more than the five games ever have */

struct game {
    char variant[64];       /* standoff, barricade, lockdown, runner or crossfire */
    int rows, cols;
    int origin;             /* the number of the first row and column, 0 or 1 */
    int seat;               /* 1 or 2; seat 1 moves first */
    uint64_t seed;          /* for the dice */
};

struct turn {
    int ply;                /* the number of this move, counted over both players */
    long time_ms;           /* the most that this answer may take */
    const char *moves;      /* every move so far, joined by ';', or "-" */
    const char *board;      /* the rows from the top, joined by '/'; '.' is empty. The cell row,col
                               is board[(row - origin) * (cols + 1) + col - origin] */
    const char *legal[MAX_MOVES];
    int legal_count;
};

/* A number from 0 to sides - 1, by the generator splitmix64. */
static int roll(uint64_t *dice, int sides)
{
    uint64_t z = *dice += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (int)((z ^ (z >> 31)) % (uint64_t)sides);
}

/* The move to play. */
static const char *choose(const struct game *game, const struct turn *turn)
{
    int empty = 0;
    for (const char *cell = turn->board; *cell; cell++)
        empty += *cell == '.';
    printf("info %s %dx%d from %d, seat %d, ply %d, %ld ms, %d empty cells, %d legal moves\n",
           game->variant, game->rows, game->cols, game->origin, game->seat, turn->ply,
           turn->time_ms, empty, turn->legal_count);

    /* >>> YOUR CODE GOES HERE: return a better move than this random one. <<< */
    uint64_t dice = game->seed * 1000 + (uint64_t)turn->ply; /* the same game gives the same numbers */
    return turn->legal[roll(&dice, turn->legal_count)];
}

static void read_game(struct game *game)
{
    for (char *word; (word = strtok(NULL, " \n"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        if (!strcmp(word, "variant"))
            snprintf(game->variant, sizeof game->variant, "%s", value);
        else if (!strcmp(word, "rows"))
            game->rows = atoi(value);
        else if (!strcmp(word, "cols"))
            game->cols = atoi(value);
        else if (!strcmp(word, "origin"))
            game->origin = atoi(value);
        else if (!strcmp(word, "seat"))
            game->seat = atoi(value);
        else if (!strcmp(word, "seed"))
            game->seed = strtoull(value, NULL, 10);
    }
}

static void read_turn(struct turn *turn)
{
    char *legal = NULL;
    turn->moves = turn->board = "";
    for (char *word; (word = strtok(NULL, " \n"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        if (!strcmp(word, "ply"))
            turn->ply = atoi(value);
        else if (!strcmp(word, "time_ms"))
            turn->time_ms = atol(value);
        else if (!strcmp(word, "moves"))
            turn->moves = value;
        else if (!strcmp(word, "board"))
            turn->board = value;
        else if (!strcmp(word, "legal"))
            legal = value;
    }
    turn->legal_count = 0;
    for (char *move = strtok(legal, ";"); move && turn->legal_count < MAX_MOVES;
         move = strtok(NULL, ";"))
        turn->legal[turn->legal_count++] = move;
}

int main(void)
{
    static char line[65536]; /* eight times the longest line of the five games */
    static struct game game;
    static struct turn turn;

    while (fgets(line, sizeof line, stdin)) {
        const char *verb = strtok(line, " \n");
        if (!verb)
            continue;
        if (!strcmp(verb, "game")) { /* a new game: the same process may play many */
            read_game(&game);
            puts("ready");
        } else if (!strcmp(verb, "turn")) {
            read_turn(&turn);
            printf("move %s\n", choose(&game, &turn));
        } else if (!strcmp(verb, "quit")) {
            break;
        }
        /* `end` has the outcome; ignore it, and verbs of later versions of the protocol. */
        fflush(stdout); /* what stays in the buffer is never seen */
    }
    return 0;
}
