// Runs a command to its end and prints what it took: command <program> [argument...]. What the command prints goes nowhere.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double microseconds(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: command <program> [argument...]\n", stderr);
    return 2;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const double begin = now();
  pid_t child = 0;
  if (posix_spawn(&child, argv[1], &actions, NULL, argv + 1, environ) != 0) {
    fprintf(stderr, "cannot start %s\n", argv[1]);
    return 1;
  }
  int status = 0;
  struct rusage use;
  if (wait4(child, &status, 0, &use) != child) {
    perror("wait4");
    return 1;
  }
  const double ms = now() - begin;
  printf("{\"ms\":%.3f,\"cpuUs\":%.0f,\"rssMiB\":%.2f}\n", ms, microseconds(use.ru_utime) + microseconds(use.ru_stime),
         (double)use.ru_maxrss / 1024);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
