/* A bot that answers immediately: it picks a legal move by the game's seed and the ply.

   Its answers depend on the `game` and `turn` lines alone, so every referee plays the same games
   with it. One read and one write per turn. With an argument, it sends the time of its first turn, in
   nanoseconds since 1970, as `info`, which the game's record contains. */

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void write_all(const char *text, size_t length) {
    if (write(1, text, length) != (ssize_t)length) exit(1);
}

static void send_time(void) {
    struct timespec now;
    char text[64];
    clock_gettime(CLOCK_REALTIME, &now);
    long long nanoseconds = now.tv_sec * 1000000000LL + now.tv_nsec;
    write_all(text, (size_t)snprintf(text, sizeof text, "info %lld\n", nanoseconds));
}

static unsigned long field(const char *line, const char *key) {
    const char *found = strstr(line, key);
    return found ? strtoul(found + strlen(key), NULL, 10) : 0;
}

static void answer_turn(const char *line, const char *end, uint32_t seed) {
    uint32_t ply = (uint32_t)strtoul(line + strlen("turn ply="), NULL, 10);
    const char *legal = end;
    while (legal[-1] != '=') legal--; /* `legal` is the last field */
    unsigned count = 1;
    for (const char *at = legal; at < end; at++) count += *at == ';';
    uint32_t dice = (seed + ply * 0x9e3779b9u) * 0x85ebca6bu;
    unsigned chosen = (unsigned)(((uint64_t)(dice ^ dice >> 15) * count) >> 32);
    while (chosen) chosen -= *legal++ == ';';
    char text[64] = "move ";
    size_t length = 5;
    while (legal < end && *legal != ';') text[length++] = *legal++;
    text[length++] = '\n';
    write_all(text, length);
}

int main(int count, char **words) {
    (void)words;
    static char input[1 << 16];
    size_t filled = 0;
    uint32_t seed = 0;
    for (;;) {
        ssize_t got = read(0, input + filled, sizeof input - filled);
        if (got <= 0) return 0;
        filled += (size_t)got;
        char *line = input, *end;
        while ((end = memchr(line, '\n', filled - (size_t)(line - input)))) {
            *end = 0;
            if (line[0] == 't') {
                if (count > 1) send_time();
                count = 1;
                answer_turn(line, end, seed);
            } else if (line[0] == 'g') {
                seed = (uint32_t)field(line, " seed=");
                write_all("ready\n", 6);
            } else if (line[0] == 'q') {
                return 0;
            }
            line = end + 1;
        }
        filled -= (size_t)(line - input);
        memmove(input, line, filled);
    }
}
