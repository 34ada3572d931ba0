/* An honest bot that uses threads, a helper process and a scratch file. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char line[65536], move[64];

static void *choose(void *legal) {
    sscanf(legal, "%63[^;\n]", move);
    return NULL;
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "game ", 5)) {
            puts("ready");
        } else if (!strncmp(line, "turn ", 5)) {
            char path[4096];
            pthread_t thread;
            pthread_create(&thread, NULL, choose, strstr(line, " legal=") + 7);
            pthread_join(thread, NULL);
            snprintf(path, sizeof path, "%s/control", getenv("TMPDIR"));
            pid_t helper = fork();
            if (helper == 0) {
                FILE *file = fopen(path, "w");
                fputs(move, file);
                fclose(file);
                _exit(0);
            }
            waitpid(helper, NULL, 0);
            FILE *file = fopen(path, "r");
            if (!file || !fgets(move, sizeof move, file)) return 1;
            fclose(file);
            printf("move %s\n", move);
        } else if (!strncmp(line, "quit", 4)) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
