#include "child_environment.h"

#include <poll.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "process_spawn.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace svc::workers {
namespace {

constexpr std::array<std::string_view, 15> kNames{"HOME",
                                                  "USER",
                                                  "LOGNAME",
                                                  "SHELL",
                                                  "LANG",
                                                  "TZ",
                                                  "TERM",
                                                  "TMPDIR",
                                                  "DISPLAY",
                                                  "WAYLAND_DISPLAY",
                                                  "SSH_AUTH_SOCK",
                                                  "HTTP_PROXY",
                                                  "HTTPS_PROXY",
                                                  "NO_PROXY",
                                                  "DBUS_SESSION_BUS_ADDRESS"};
constexpr std::array<std::string_view, 2> kPrefixes{"LC_", "XDG_"};

constexpr std::string_view kBegin = "svc-path-begin:";
constexpr std::string_view kEnd = ":svc-path-end";
/// Shells print greetings, too.
constexpr std::size_t kLongestAnswer = 256UL * 1024;
constexpr const char* kPlainPath = "/usr/local/bin:/usr/bin:/bin";

std::string valueOr(const Environment& own, const std::string& name, std::string fallback) {
  const auto found = own.find(name);
  return found == own.end() || found->second.empty() ? std::move(fallback) : found->second;
}

std::string userShell() {
  constexpr std::size_t kEntry = 16UL * 1024;
  std::string buffer(kEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr && found->pw_shell != nullptr && *found->pw_shell != '\0') {
    return found->pw_shell;
  }
  return "/bin/sh";
}

/// What a child writes until it closes the pipe; nothing when it takes too long or writes too much.
std::optional<std::string> readAll(int fd, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) {
      return std::nullopt;
    }
    const auto count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return text;
    }
    text.append(chunk.data(), static_cast<std::size_t>(count));
    // A program that the shell has started may keep the pipe open.
    if (text.find(kEnd) != std::string::npos) {
      return text;
    }
    if (text.size() > kLongestAnswer) {
      return std::nullopt;
    }
  }
}

}  // namespace

Environment currentEnvironment() {
  Environment out;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry(*each);
    const auto equals = entry.find('=');
    if (equals != std::string_view::npos) {
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return out;
}

Environment workerEnvironment(const Environment& own, const std::string& path) {
  Environment out;
  for (const auto& [name, value] : own) {
    const bool passes =
        std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
        std::any_of(kPrefixes.begin(), kPrefixes.end(),
                    [&name = name](std::string_view prefix) { return name.starts_with(prefix); });
    if (passes) {
      out.emplace(name, value);
    }
  }
  out["PATH"] = path;
  return out;
}

const std::string& LoginPath::get() {
  const std::scoped_lock lock(mutex_);
  if (!path_) {
    path_ = ask().value_or(valueOr(own_, "PATH", kPlainPath));
  }
  return *path_;
}

std::optional<std::string> LoginPath::ask() const {
  auto out = makePipe();
  if (!out) {
    return std::nullopt;
  }
  const auto shell = valueOr(own_, "SHELL", userShell());
  const auto command =
      std::string("printf '%s' '").append(kBegin) + "' \"$PATH\" '" + std::string(kEnd) + "'";
  SpawnOptions options;
  options.arguments = {shell, "-lc", command};
  options.environment = workerEnvironment(own_, valueOr(own_, "PATH", kPlainPath));
  options.out = out.value().write.get();
  const auto child = spawn(options);
  out.value().write.reset();
  if (!child) {
    return std::nullopt;
  }
  const auto text = readAll(out.value().read.get(), limit_);
  ::kill(-child.value(), SIGKILL);
  while (::waitpid(child.value(), nullptr, 0) < 0 && errno == EINTR) {
  }
  const auto from = text ? text->find(kBegin) : std::string::npos;
  const auto to = text ? text->find(kEnd, from) : std::string::npos;
  if (from == std::string::npos || to == std::string::npos) {
    return std::nullopt;
  }
  auto path = text->substr(from + kBegin.size(), to - from - kBegin.size());
  return path.empty() || path.find('\n') != std::string::npos
             ? std::nullopt
             : std::optional<std::string>(std::move(path));
}

}  // namespace svc::workers
