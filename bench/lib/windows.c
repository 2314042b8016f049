// The windows of the fan-out benchmark: WebSockets that count the signals they get. In C, because a client that is slower than
// the server would be what is measured.
//
//   windows <port> <count>    opens them at /api/v1/ws, prints "open", and answers pings
// then, a line of its input each:
//   <seconds> <signals> <path> <json>   POSTs the JSON to the path, again as soon as every window has so many signals; prints what it took
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kPending = 1024, kScratch = 65536, kMostSamples = 1 << 20 };

static const char kSignal[] = "{\"type\":\"plugin-signal\"";

struct window {
  int fd;
  uint32_t have;
  unsigned char pending[kPending];
};

static int port;
static int count;
static struct window* windows;
static int epoll_fd;
static int caller;
static long received;
static int answered;
static char answer[kScratch];
static size_t answer_length;

static void fail(const char* what, ...) {
  va_list rest;
  va_start(rest, what);
  vfprintf(stderr, what, rest);
  va_end(rest);
  fputc('\n', stderr);
  exit(1);
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static int connected(void) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (fd < 0 || connect(fd, (struct sockaddr*)&to, sizeof to) != 0) {
    fail("cannot connect: %m");
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

static void watch(int fd, int64_t number) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)number};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
    fail("epoll_ctl: %m");
  }
}

/// Takes the whole frames off `bytes`; how many bytes they were.
static size_t take_frames(struct window* window, const unsigned char* bytes, size_t length) {
  size_t at = 0;
  while (length - at >= 2) {
    const unsigned char* const frame = bytes + at;
    size_t head = 2;
    uint64_t size = frame[1] & 0x7FU;
    if (size == 126) {
      head = 4;
      size = length - at < head ? 0 : (uint64_t)(frame[2] << 8 | frame[3]);
    } else if (size == 127) {
      fail("a frame of more than 64 KiB");
    }
    if (length - at < head + size) {
      break;
    }
    const int opcode = frame[0] & 0x0F;
    if (opcode == 8) {
      fail("the server closed a window");
    } else if (opcode == 9) {
      static const unsigned char kPong[] = {0x8A, 0x80, 0, 0, 0, 0};
      (void)!write(window->fd, kPong, sizeof kPong);
    } else if (size >= sizeof kSignal - 1 && memcmp(frame + head, kSignal, sizeof kSignal - 1) == 0) {
      ++received;
    }
    at += head + size;
  }
  return at;
}

static void read_window(struct window* window) {
  static unsigned char scratch[kScratch + kPending];
  memcpy(scratch, window->pending, window->have);
  const ssize_t got = recv(window->fd, scratch + window->have, kScratch, MSG_DONTWAIT);
  if (got <= 0) {
    fail("a window lost its connection");
  }
  const size_t length = window->have + (size_t)got;
  const size_t taken = take_frames(window, scratch, length);
  window->have = (uint32_t)(length - taken);
  if (window->have > kPending) {
    fail("a frame of more than %d bytes", kPending);
  }
  memcpy(window->pending, scratch + taken, window->have);
}

static void open_window(struct window* window) {
  window->fd = connected();
  char text[4096];
  const int length = snprintf(text, sizeof text,
                              "GET /api/v1/ws HTTP/1.1\r\nhost: 127.0.0.1:%d\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
                              "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                              port);
  if (write(window->fd, text, (size_t)length) != length) {
    fail("cannot ask for a window: %m");
  }
  size_t have = 0;
  const char* end = NULL;
  while (end == NULL) {
    const ssize_t got = recv(window->fd, text + have, sizeof text - 1 - have, 0);
    if (got <= 0) {
      fail("no answer to the handshake");
    }
    have += (size_t)got;
    text[have] = '\0';
    end = strstr(text, "\r\n\r\n");
  }
  if (strncmp(text, "HTTP/1.1 101", 12) != 0) {
    fail("the handshake was refused: %s", text);
  }
  const size_t head = (size_t)(end + 4 - text);
  window->have = (uint32_t)(have - head);
  memcpy(window->pending, text + head, window->have);
}

static void read_answer(void) {
  const ssize_t got = recv(caller, answer + answer_length, sizeof answer - 1 - answer_length, MSG_DONTWAIT);
  if (got <= 0) {
    fail("the server closed the connection of the caller");
  }
  answer_length += (size_t)got;
  answer[answer_length] = '\0';
  const char* const end = strstr(answer, "\r\n\r\n");
  const char* const size = strcasestr(answer, "content-length:");
  if (end == NULL || size == NULL || answer_length < (size_t)(end + 4 - answer) + (size_t)atol(size + 15)) {
    return;
  }
  if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
    fail("a signal was refused: %s", answer);
  }
  answered = 1;
  answer_length = 0;
}

/// Takes what has come; false when a line of input waits.
static int turn(void) {
  struct epoll_event events[256];
  const int ready = epoll_wait(epoll_fd, events, 256, -1);
  int input = 0;
  for (int at = 0; at < ready; ++at) {
    const int64_t number = (int64_t)events[at].data.u64;
    if (number == count + 1) {
      input = 1;
    } else if (number == count) {
      read_answer();
    } else {
      read_window(&windows[number]);
    }
  }
  return !input;
}

static int ascending(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

static void run(double seconds, long signals, const char* path, const char* json) {
  static double times[kMostSamples];
  char request[4096];
  const int length = snprintf(request, sizeof request,
                              "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n%s", path,
                              port, strlen(json), json);
  // A connection for each line: servers close those that have been idle.
  caller = connected();
  watch(caller, count);
  const double begin = now();
  long calls = 0;
  while (now() < begin + seconds && calls < kMostSamples) {
    const double sent = now();
    received = 0;
    answered = 0;
    if (write(caller, request, (size_t)length) != length) {
      fail("cannot send a signal: %m");
    }
    while (!answered || received < count * signals) {
      turn();
    }
    times[calls++] = (now() - sent) * 1000;
  }
  const double elapsed = now() - begin;
  close(caller);
  const long deliveries = calls * signals * count;
  qsort(times, (size_t)calls, sizeof *times, ascending);
  printf("{\"operations\":%ld,\"perSecond\":%.1f,\"p50Ms\":%.4f,\"p99Ms\":%.4f}\n", deliveries,
         (double)deliveries / elapsed, times[calls / 2], times[calls * 99 / 100]);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fail("usage: windows <port> <count>");
  }
  port = atoi(argv[1]);
  count = atoi(argv[2]);
  windows = calloc((size_t)count, sizeof *windows);
  epoll_fd = epoll_create1(0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int at = 0; at < count; ++at) {
    open_window(&windows[at]);
    watch(windows[at].fd, at);
  }
  watch(STDIN_FILENO, count + 1);
  puts("open");
  for (;;) {
    if (turn()) {
      continue;
    }
    char line[2048];
    double seconds = 0;
    long signals = 0;
    char path[512];
    int body = 0;
    if (fgets(line, sizeof line, stdin) == NULL) {
      return 0;
    }
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lf %ld %511s %n", &seconds, &signals, path, &body) != 3 || body == 0) {
      fail("expected <seconds> <signals> <path> <json>, not: %s", line);
    }
    run(seconds, signals, path, line + body);
  }
}
