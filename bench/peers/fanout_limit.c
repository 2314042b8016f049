// The bare limit of the fan-out benchmark: a loop that writes the finished frame to every window, one after the other. It checks
// nothing, keeps nothing, and a window that does not read would block it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kMostWindows = 65536, kBuffer = 65536 };

static int windows[kMostWindows];
static int window_count;

static void publish(const char* json) {
  // {"times":16,"text":"xxx"}
  const long times = atol(strchr(json, ':') + 1);
  const char* const text = strstr(json, "\"text\":") + strlen("\"text\":");
  static unsigned char frame[kBuffer];
  const int length = snprintf((char*)frame + 4, sizeof frame - 4,
                              "{\"type\":\"plugin-signal\",\"pluginId\":\"bench\",\"channel\":\"bench\",\"payload\":%.*s}", (int)strlen(text) - 1, text);
  frame[0] = 0x81;
  frame[1] = 126;
  frame[2] = (unsigned char)(length >> 8);
  frame[3] = (unsigned char)length;
  for (long count = 0; count < times; ++count) {
    for (int at = 0; at < window_count; ++at) {
      (void)!send(windows[at], frame, (size_t)length + 4, MSG_NOSIGNAL);
    }
  }
}

static void serve(int fd) {
  static char request[kBuffer];
  const ssize_t got = recv(fd, request, sizeof request - 1, 0);
  if (got <= 0) {
    close(fd); // the benchmark is over
    return;
  }
  request[got] = '\0';
  if (strncmp(request, "GET /api/v1/ws", 14) == 0) {
    static const char kAccepted[] = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    (void)!write(fd, kAccepted, sizeof kAccepted - 1);
    windows[window_count++] = fd;
    return;
  }
  const char* const body = strstr(request, "\r\n\r\n");
  if (strncmp(request, "POST", 4) == 0 && body != NULL) {
    publish(body + 4);
  }
  static const char kAnswer[] = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
  (void)!write(fd, kAnswer, sizeof kAnswer - 1);
}

int main(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof own;
  if (bind(listener, (struct sockaddr*)&own, sizeof own) != 0 || listen(listener, 4096) != 0 ||
      getsockname(listener, (struct sockaddr*)&own, &length) != 0) {
    perror("fanout_limit");
    return 1;
  }
  printf("listening on http://127.0.0.1:%d\n", ntohs(own.sin_port));
  fflush(stdout);
  const int epoll_fd = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    struct epoll_event events[256];
    const int ready = epoll_wait(epoll_fd, events, 256, -1);
    for (int at = 0; at < ready; ++at) {
      if (events[at].data.fd != listener) {
        serve(events[at].data.fd);
        continue;
      }
      const int on = 1;
      event.data.fd = accept(listener, NULL, NULL);
      setsockopt(event.data.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event.data.fd, &event);
    }
  }
}
