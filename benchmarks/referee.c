/* A minimal referee for protocol version 1, the reference of the benchmark.

       referee VARIANT ROWS COLS MAIN_MS INC_MS FIXTURES GAMES_FILE BOT BOT

   FIXTURES has a line `ID SEED ENCOUNTER SWAPPED OPENING` per game. One write, one poll and one read
   per turn; full turn lines, clocks, absolute deadlines, legality; a JSON line per game, synced
   with others after 0.1 s at the latest. A bot that makes a fault ends the run: those of the
   benchmark make none. Prints the times as JSON; the time per ply is that of the median game,
   which other work on the machine disturbs least. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rules.h"

#define LINE (1 << 16)
#define READY_NS 10000000000
#define MARGIN_NS 20000000
#define SYNC_NS 100000000

typedef struct {
    const char *name;
    pid_t pid;
    int in, out, err;
    int asked; /* whether output is expected */
    char said[LINE];
    size_t filled;
    int64_t arrived;
} Bot;

static Bot bots[2]; /* as named on the command line */
static struct pollfd watched[4];
static double *ply_ns; /* of each game, the mean over its plies */
static int64_t games, plies;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

static int64_t cpu_ns(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * (int64_t)1000000000 +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * (int64_t)1000;
}

static void start_bot(Bot *bot, const char *program) {
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) fail("no pipes");
    bot->pid = fork();
    if (bot->pid == 0) {
        dup2(in[0], 0), dup2(out[1], 1), dup2(err[1], 2);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(in[0]), close(out[1]), close(err[1]);
    bot->in = in[1], bot->out = out[0], bot->err = err[0];
    fcntl(bot->in, F_SETFL, O_NONBLOCK);
    fcntl(bot->out, F_SETFL, O_NONBLOCK);
    fcntl(bot->err, F_SETFL, O_NONBLOCK);
}

/* Every line of the benchmark fits into an empty pipe, so a write that does not is a fault. */
static void send_line(Bot *bot, const char *line, size_t length, int asks) {
    bot->asked = asks;
    if (write(bot->in, line, length) != (ssize_t)length) fail("%s does not read", bot->name);
}

/* Wait for a complete line of one bot; output of the other is a fault unless it was asked, too. */
static size_t receive_line(Bot *bot, int64_t deadline) {
    for (;;) {
        char *end = memchr(bot->said, '\n', bot->filled);
        if (end) {
            if (bot->arrived > deadline) fail("%s is too late", bot->name);
            if (end != bot->said + bot->filled - 1) fail("%s speaks out of turn", bot->name);
            bot->filled = 0;
            bot->asked = 0;
            return (size_t)(end - bot->said);
        }
        int64_t left = deadline - now_ns();
        int events = left > 0 ? poll(watched, 4, (int)(left / 1000000 + 1)) : 0;
        if (events <= 0) fail("%s is too late", bot->name);
        int64_t now = now_ns();
        for (int i = 0; i < 4; i++) {
            if (!watched[i].revents) continue;
            Bot *speaker = &bots[i / 2];
            if (i % 2) { /* standard error is read, and not kept here */
                char ignored[4096];
                if (read(speaker->err, ignored, sizeof ignored) == 0) fail("a bot has ended");
                continue;
            }
            ssize_t got =
                read(speaker->out, speaker->said + speaker->filled, LINE - speaker->filled);
            if (got <= 0) fail("%s has ended", speaker->name);
            if (!speaker->asked) fail("%s speaks out of turn", speaker->name);
            speaker->filled += (size_t)got;
            speaker->arrived = now;
        }
    }
}

static char *add_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *add_number(char *at, int64_t number) {
    char digits[24];
    int count = 0;
    if (number < 0) *at++ = '-', number = -number;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *at++ = digits[--count];
    return at;
}

/* Hundredths of a unit. */
static char *add_hundredths(char *at, int64_t number) {
    at = add_number(at, number / 100);
    *at++ = '.', *at++ = (char)('0' + number / 10 % 10), *at++ = (char)('0' + number % 10);
    return at;
}

typedef struct {
    char id[256], opening[4096];
    unsigned long seed;
    int encounter, swapped;
} Fixture;

typedef struct {
    char moves[LINE / 2]; /* joined by `;` */
    size_t length;
    int plies, opening, winner;
    int64_t spent[MOVE_LIMIT + 1]; /* hundredths of a millisecond; those of the opening unset */
    const char *reason;
    int64_t latency, longest;
} Game;

static int main_ms, inc_ms;

static void get_ready(const Rules *rules, const Fixture *fixture, Bot *seats[2]) {
    char line[1024];
    for (int seat = 0; seat < 2; seat++) {
        int length = snprintf(line, sizeof line,
                              "game protocol=1 id=%s variant=%s rows=%d cols=%d origin=%d seat=%d"
                              " seed=%lu time_ms=%d inc_ms=%d\n",
                              fixture->id, variant_names[rules->variant], rules->rows, rules->cols,
                              rules->origin, seat + 1, fixture->seed, main_ms, inc_ms);
        send_line(seats[seat], line, (size_t)length, 1);
    }
    int64_t deadline = now_ns() + READY_NS;
    for (int seat = 0; seat < 2; seat++) {
        size_t got = receive_line(seats[seat], deadline);
        if (got != 5 || memcmp(seats[seat]->said, "ready", 5))
            fail("%s is not ready", seats[seat]->name);
    }
}

static void note_move(Game *game, const char *text, size_t length) {
    if (game->length) game->moves[game->length++] = ';';
    memcpy(game->moves + game->length, text, length);
    game->length += length;
    game->plies++;
}

static Move find_move(const Move *moves, int count, const char *legal, const char *text, size_t length,
                      const char *who) {
    for (int i = 0; i < count; i++)
        if (moves[i].length == length && !memcmp(legal + moves[i].at, text, length)) return moves[i];
    fail("%s: %.*s is not legal", who, (int)length, text);
    return moves[0];
}

static void play_opening(const Rules *rules, State *state, Game *game, char *opening) {
    char legal[LINE], *end;
    Move moves[MAX_MOVES];
    if (!strcmp(opening, "-")) return;
    for (char *move = strtok(opening, ";"); move; move = strtok(NULL, ";")) {
        int count = write_legal(rules, state, legal, moves, &end);
        apply(rules, state, find_move(moves, count, legal, move, strlen(move), "the opening"));
        note_move(game, move, strlen(move));
    }
    game->opening = game->plies;
}

static void play(const Rules *rules, Bot *seats[2], State *state, Game *game) {
    static char line[LINE];
    Move moves[MAX_MOVES];
    int64_t left[2] = {main_ms * (int64_t)1000000, main_ms * (int64_t)1000000};
    int64_t first = 0, arrived = 0;
    while (!(game->reason = outcome(rules, state, &game->winner))) {
        int seat = state->ply & 1;
        Bot *bot = seats[seat];
        char *at = add_text(line, "turn ply=");
        at = add_number(at, game->plies + 1);
        at = add_text(at, " time_ms=");
        at = add_number(at, left[seat] > 0 ? left[seat] / 1000000 : 0);
        at = add_text(at, " opp_ms=");
        at = add_number(at, left[1 - seat] > 0 ? left[1 - seat] / 1000000 : 0);
        at = add_text(at, " moves=");
        if (game->length) {
            memcpy(at, game->moves, game->length);
            at += game->length;
        } else {
            *at++ = '-';
        }
        at = add_text(at, " board=");
        at = write_board(rules, state, at);
        at = add_text(at, " legal=");
        char *legal = at;
        int count = write_legal(rules, state, legal, moves, &at);
        *at++ = '\n';

        int64_t asked = now_ns();
        if (arrived) {
            game->latency += asked - arrived;
            if (asked - arrived > game->longest) game->longest = asked - arrived;
        } else {
            first = asked;
        }
        send_line(bot, line, (size_t)(at - line), 1);
        size_t length = receive_line(bot, asked + left[seat] + MARGIN_NS);
        if (length < 5 || memcmp(bot->said, "move ", 5)) fail("%s does not move", bot->name);
        Move move = find_move(moves, count, legal, bot->said + 5, length - 5, bot->name);
        arrived = bot->arrived;
        int64_t spent = (arrived - asked + 5000) / 10000;
        left[seat] -= spent * 10000;
        if (left[seat] < -MARGIN_NS) fail("%s is out of time", bot->name);
        left[seat] += inc_ms * (int64_t)1000000;
        game->spent[game->plies] = spent;
        note_move(game, bot->said + 5, length - 5);
        apply(rules, state, move);
    }
    ply_ns[games] = (double)(arrived - first) / (game->plies - game->opening);
}

static void tell_the_end(Bot *seats[2], const Game *game) {
    static char line[LINE];
    for (int seat = 0; seat < 2; seat++) {
        char *at = add_text(line, "end result=");
        at = add_text(at, game->winner == seat + 1 ? "win" : "loss");
        at = add_text(at, " reason=");
        at = add_text(at, game->reason);
        at = add_text(at, " moves=");
        memcpy(at, game->moves, game->length);
        at += game->length;
        *at++ = '\n';
        send_line(seats[seat], line, (size_t)(at - line), 0);
    }
}

static char *add_record(char *at, const Rules *rules, const Fixture *fixture, Bot *seats[2],
                        const Game *game, const char *host, const char *started) {
    at += sprintf(at,
                  "{\"schema\":1,\"id\":\"%s\",\"variant\":\"%s\",\"rows\":%d,\"cols\":%d,"
                  "\"bots\":[\"%s\",\"%s\"],\"encounter\":%d,\"opening\":%d,\"moves\":[\"",
                  fixture->id, variant_names[rules->variant], rules->rows, rules->cols,
                  seats[0]->name, seats[1]->name, fixture->encounter, game->opening);
    for (size_t i = 0; i < game->length; i++) {
        if (game->moves[i] == ';')
            at = add_text(at, "\",\"");
        else
            *at++ = game->moves[i];
    }
    at = add_text(at, "\"],\"ms\":[");
    for (int ply = 0; ply < game->plies; ply++) {
        if (ply) *at++ = ',';
        at = ply < game->opening ? add_text(at, "null") : add_hundredths(at, game->spent[ply]);
    }
    at += sprintf(at,
                  "],\"score\":[%d,%d],\"reason\":\"%s\",\"fault\":null,\"settings\":\"c\","
                  "\"hashes\":[\"\",\"\"],\"sandbox\":\"none\",\"host\":\"%s\",\"started\":\"%s\","
                  "\"seed\":%lu,\"clocks\":[\"%dms + %dms\",\"%dms + %dms\"],"
                  "\"startup_ms\":[null,null],\"latency_ms\":[%.3f,%.3f]}\n",
                  game->winner == 1, game->winner == 2, game->reason, host, started, fixture->seed,
                  main_ms, inc_ms, main_ms, inc_ms,
                  game->latency / 1e6 / (game->plies > 1 ? game->plies - 1 : 1),
                  game->longest / 1e6);
    return at;
}

static void sync_records(int file, char *begin, char **end) {
    if (write(file, begin, (size_t)(*end - begin)) != *end - begin || fdatasync(file))
        fail("the games file cannot be written");
    *end = begin;
}

static int read_fixture(FILE *file, Fixture *fixture) {
    return fscanf(file, "%255s %lu %d %d %4095s", fixture->id, &fixture->seed, &fixture->encounter,
                  &fixture->swapped, fixture->opening) == 5;
}

static int by_size(const void *one, const void *two) {
    double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    static Rules rules;
    static Game game;
    static State state;
    static Fixture fixture;
    static char records[1 << 24];
    if (count != 10 || !make_rules(&rules, words[1], atoi(words[2]), atoi(words[3])))
        fail("usage: referee VARIANT ROWS COLS MAIN_MS INC_MS FIXTURES GAMES_FILE BOT BOT");
    main_ms = atoi(words[4]), inc_ms = atoi(words[5]);
    FILE *fixtures = fopen(words[6], "r");
    int file = open(words[7], O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (!fixtures || file < 0) fail("the fixtures or the games file cannot be opened");
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        bots[i].name = i ? "two" : "one";
        start_bot(&bots[i], words[8 + i]);
        watched[2 * i] = (struct pollfd){bots[i].out, POLLIN, 0};
        watched[2 * i + 1] = (struct pollfd){bots[i].err, POLLIN, 0};
    }
    char host[65] = "", *end = records;
    gethostname(host, sizeof host - 1);
    int64_t began = 0, cpu = 0, oldest = 0, room = 1024;
    ply_ns = malloc((size_t)room * sizeof *ply_ns);
    for (int number = 0; read_fixture(fixtures, &fixture); number++) {
        if (number == 1) { /* the first game includes the start-up of the bots */
            sync_records(file, records, &end);
            began = now_ns(), cpu = cpu_ns(), games = plies = 0;
        }
        Bot *seats[2] = {&bots[fixture.swapped], &bots[!fixture.swapped]};
        char started[32];
        time_t seconds = time(NULL);
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
        game.length = 0, game.plies = game.opening = 0, game.latency = game.longest = 0;
        start(&rules, &state);
        play_opening(&rules, &state, &game, fixture.opening);
        get_ready(&rules, &fixture, seats);
        play(&rules, seats, &state, &game);
        tell_the_end(seats, &game);
        if (end == records) oldest = now_ns();
        end = add_record(end, &rules, &fixture, seats, &game, host, started);
        if (now_ns() - oldest > SYNC_NS || end - records > (1 << 23))
            sync_records(file, records, &end);
        if (++games == room) ply_ns = realloc(ply_ns, (size_t)(room *= 2) * sizeof *ply_ns);
        plies += game.plies - game.opening;
    }
    sync_records(file, records, &end);
    double seconds = (now_ns() - began) / 1e9;
    qsort(ply_ns, (size_t)games, sizeof *ply_ns, by_size);
    printf("{\"games\": %lld, \"plies\": %lld, \"seconds\": %.9f, \"ply_seconds\": %.9f,"
           " \"cpu_seconds\": %.9f}\n",
           (long long)games, (long long)plies, seconds, ply_ns[games / 2] / 1e9,
           (cpu_ns() - cpu) / 1e9);
    for (int i = 0; i < 2; i++) {
        close(bots[i].in);
        waitpid(bots[i].pid, NULL, 0);
    }
    return 0;
}
