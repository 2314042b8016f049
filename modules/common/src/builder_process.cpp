#include "builder_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace svc::common {
namespace {

/// A line that is longer than this is no message of the builder.
constexpr std::size_t kLongestLine = 8UL * 1024 * 1024;
constexpr std::size_t kSaid = 4096;

std::string systemText(int code) {
  return std::error_code(code, std::generic_category()).message();
}

void closeFd(int& fd) {
  if (fd >= 0) {
    ::close(std::exchange(fd, -1));
  }
}

struct Pipe {
  int read = -1;
  int write = -1;

  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    read = ends[0];
    write = ends[1];
    return true;
  }
};

/// A socket, because writing to one does not raise SIGPIPE.
bool openInput(int& here, int& there) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return false;
  }
  here = ends[0];
  there = ends[1];
  return true;
}

int spawn(const std::vector<std::string>& argv, std::array<int, 3> streams, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (int stream = 0; stream < 3; ++stream) {
    ::posix_spawn_file_actions_adddup2(&actions, streams.at(static_cast<std::size_t>(stream)),
                                       stream);
  }
  // A connection that was just accepted may not be marked yet: its client would wait for the end of this program, too.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::sigaddset(&defaults, SIGINT);
  ::sigaddset(&defaults, SIGTERM);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  const int failure =
      ::posix_spawnp(&pid, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return failure;
}

}  // namespace

BuilderProcess::~BuilderProcess() {
  // Its input's end lets it clean up; whoever does not go is killed with the group.
  closeFd(input_);
  if (pid_ > 0) {
    pollfd over{.fd = output_, .events = POLLIN, .revents = 0};
    constexpr int kPatienceMs = 1000;
    std::array<char, 4096> rest{};
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    while (std::chrono::steady_clock::now() < until && ::poll(&over, 1, kPatienceMs) > 0 &&
           ::read(output_, rest.data(), rest.size()) > 0) {
    }
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  closeFd(output_);
  closeFd(errors_);
}

Status BuilderProcess::start(const std::vector<std::string>& argv) {
  name_ = argv.at(0);
  Pipe out;
  Pipe err;
  int there = -1;
  if (!openInput(input_, there) || !out.open() || !err.open()) {
    const Error error{errc::kUnavailable,
                      fmt::format("no pipe to the builder: {}", systemText(errno))};
    for (int* fd : {&there, &out.read, &out.write, &err.read, &err.write}) {
      closeFd(*fd);
    }
    return error;
  }
  output_ = out.read;
  errors_ = err.read;
  const int failure = spawn(argv, {there, out.write, err.write}, pid_);
  for (int* fd : {&there, &out.write, &err.write}) {
    closeFd(*fd);
  }
  if (failure != 0) {
    pid_ = -1;
    return Error{
        errc::kUnavailable,
        fmt::format(
            "bundles are built with Node.js 20 or newer, and \"{}\" cannot be run: {}; install "
            "Node.js or name it with the setting build.node (SVC_BUILD_NODE)",
            name_, systemText(failure))};
  }
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);
  return {};
}

Status BuilderProcess::send(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const auto count = ::send(input_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return ended();
    }
    sent += static_cast<std::size_t>(count);
  }
  return {};
}

bool BuilderProcess::takeLine(std::string& line) {
  const auto end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  scanned_ = 0;
  return true;
}

Status BuilderProcess::readMore(int timeout_ms, int wake) {
  std::array<pollfd, 3> polled{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = ::poll(polled.data(), polled.size(), timeout_ms);
  if (ready < 0 && errno != EINTR) {
    return Error{errc::kUnavailable,
                 fmt::format("waiting for the builder failed: {}", systemText(errno))};
  }
  std::array<char, 16384> chunk{};
  if (errors_ >= 0 && polled[1].revents != 0) {
    const auto count = ::read(errors_, chunk.data(), chunk.size());
    if (count > 0) {
      said_.append(chunk.data(), static_cast<std::size_t>(count));
      said_.erase(0, said_.size() - std::min(said_.size(), kSaid));
    } else if (count == 0) {
      closeFd(errors_);
    }
  }
  if (polled[0].revents != 0) {
    const auto count = ::read(output_, chunk.data(), chunk.size());
    if (count > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return ended();
    }
  }
  return {};
}

Error BuilderProcess::ended() {
  // What it said last arrives with or before the end of its output.
  std::array<char, kSaid> chunk{};
  const auto count = errors_ >= 0 ? ::read(errors_, chunk.data(), chunk.size()) : 0;
  if (count > 0) {
    said_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  while (!said_.empty() && (said_.back() == '\n' || said_.back() == ' ')) {
    said_.pop_back();
  }
  return {errc::kUnavailable,
          fmt::format("the builder process ({}) ended before the build was done{}{}", name_,
                      said_.empty() ? "" : ": ", said_)};
}

Result<std::string> BuilderProcess::readLine(std::chrono::steady_clock::time_point deadline,
                                             const std::stop_token& stop) {
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct Closing {
    int& fd;
    ~Closing() { closeFd(fd); }
  };
  // Closed after the callback that writes to it is gone.
  const Closing closing{wake};
  const std::stop_callback on_stop(stop, [wake] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto ignored = ::write(wake, &one, sizeof one);
  });
  std::string line;
  Result<std::string> answer = Error{errc::kAborted, "the build was stopped"};
  while (!stop.stop_requested()) {
    if (takeLine(line)) {
      answer = std::move(line);
      break;
    }
    if (buffer_.size() > kLongestLine) {
      answer = Error{errc::kUnavailable, "the builder printed a line that is too long"};
      break;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) {
      answer = Error{errc::kTimeout, "no answer in time"};
      break;
    }
    if (auto status = readMore(static_cast<int>(std::min<std::int64_t>(left, INT_MAX)), wake);
        !status) {
      answer = std::move(status).error();
      break;
    }
  }
  return answer;
}

}  // namespace svc::common
