#include "attachment.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/hostprotocol/base64.h"

#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// How long one request waits for output: an attachment that ends waits for the last one.
constexpr int kWaitMs = 1000;
constexpr std::size_t kKeys = 4096;

/// Every key reaches the program as it is, as long as it lives.
class RawTerminal {
 public:
  RawTerminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
      return;
    }
    auto raw = before_;
    ::cfmakeraw(&raw);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (changed_) {
      ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
      // What its program may have switched on: other screen, mouse, pasting, attributes; and the cursor may be away.
      constexpr std::string_view kReset =
          "\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[0m\r\n";
      (void)base::writeAll(STDOUT_FILENO, kReset);
    }
  }

 private:
  termios before_{};
  bool changed_ = false;
};

/// Signals are read where keys are.
class SignalsAsEvents {
 public:
  SignalsAsEvents() {
    ::sigemptyset(&wanted_);
    for (const int number : {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
      ::sigaddset(&wanted_, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &wanted_, &before_);
    events_ = base::Fd(::signalfd(-1, &wanted_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  SignalsAsEvents(const SignalsAsEvents&) = delete;
  SignalsAsEvents& operator=(const SignalsAsEvents&) = delete;
  ~SignalsAsEvents() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] int descriptor() const { return events_.get(); }
  /// 0 = none.
  [[nodiscard]] int next() const {
    signalfd_siginfo event{};
    return base::readSome(events_.get(), reinterpret_cast<char*>(&event),  // NOLINT
                          sizeof event) == sizeof event
               ? static_cast<int>(event.ssi_signo)
               : 0;
  }

 private:
  sigset_t wanted_{};
  sigset_t before_{};
  base::Fd events_;
};

/// What both threads know.
struct Shared {
  std::atomic<bool> over{false};
  base::Fd ended{::eventfd(0, EFD_CLOEXEC)};
  std::optional<Error> failure;  // of the reading thread; read when it has ended
  std::optional<int> exit_code;
};

/// Shows output until the terminal ends or it is over.
void showOutput(Api api, const std::string& path, Shared& shared) {
  std::int64_t next = 0;
  while (!shared.over) {
    const auto reply = api.get(fmt::format("{}/output?sinceSeq={}&waitMs={}", path, next, kWaitMs));
    if (!reply || !reply.value().ok()) {
      shared.failure = reply ? Error{errc::kUnavailable, reply.value().message()}
                             : Error{codes::kUnreachable, reply.error().message};
      break;
    }
    std::string bytes;
    for (const auto& chunk : reply.value().json["chunks"].items()) {
      bytes += hostprotocol::decodeBase64(chunk["dataBase64"].asString()).value_or(std::string{});
    }
    next = reply.value().json["nextSeq"].asInteger();
    (void)base::writeAll(STDOUT_FILENO, bytes);
    if (!bytes.empty()) {
      continue;
    }
    const auto record = api.get(path);
    if (record && record.value().json["terminal"]["status"].asString() == "exited") {
      shared.exit_code =
          static_cast<int>(record.value().json["terminal"]["exitCode"].asInteger(kExitFailure));
      break;
    }
  }
  const std::uint64_t one = 1;
  (void)::write(shared.ended.get(), &one, sizeof one);
}

enum class Ended : std::uint8_t { kByItself, kDetached, kSignalled };

class Keys {
 public:
  Keys(Api& api, std::string path) : api_(api), path_(std::move(path)) {}

  void resize() {
    const auto size = ownTerminalSize();
    (void)api_.post(path_ + "/resize",
                    Json::object().set("cols", size.columns).set("rows", size.rows));
  }
  /// False when there are no more keys, or one of them detaches.
  bool read() {
    std::array<char, kKeys> keys{};
    const auto count = base::readSome(STDIN_FILENO, keys.data(), keys.size());
    if (count <= 0) {
      return false;
    }
    const std::string_view typed(keys.data(), static_cast<std::size_t>(count));
    const auto detach = typed.find(kDetachKey);
    if (const auto sent = typed.substr(0, detach); !sent.empty()) {
      // What is refused shows as what does not appear; the other thread hears when the server is gone.
      (void)api_.post(path_ + "/input",
                      Json::object().set("dataBase64", hostprotocol::encodeBase64(sent)));
    }
    return detach == std::string_view::npos;
  }
  Ended until(const SignalsAsEvents& signals, const Shared& shared) {
    for (;;) {
      std::array<pollfd, 3> events{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                    {.fd = signals.descriptor(), .events = POLLIN, .revents = 0},
                                    {.fd = shared.ended.get(), .events = POLLIN, .revents = 0}}};
      if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) {
        return Ended::kSignalled;
      }
      if (events[2].revents != 0) {
        return Ended::kByItself;
      }
      for (int number = signals.next(); number != 0; number = signals.next()) {
        if (number != SIGWINCH) {
          return Ended::kSignalled;
        }
        resize();
      }
      if (events[0].revents != 0 && !read()) {
        return Ended::kDetached;
      }
    }
  }

 private:
  Api& api_;
  const std::string path_;
};

}  // namespace

OwnSize ownTerminalSize() {
  winsize size{};
  OwnSize own;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    own = {.columns = size.ws_col, .rows = size.ws_row};
  }
  return own;
}

int attach(Context& context, const std::string& id) {
  const auto& console = context.console;
  auto writing = Api::open(context.choice, context.environment, context.connector);
  auto reading = Api::open(context.choice, context.environment, context.connector);
  if (!writing || !reading) {
    return reportNoAnswer(console, !writing ? writing.error() : reading.error());
  }
  const auto path = "/terminals/" + percentEncode(id);
  console.err << "Ctrl-] leaves it running; `svc terminal attach " << oneLine(id)
              << "` comes back.\n";
  console.err.flush();
  Shared shared;
  auto ended = Ended::kByItself;
  {
    const SignalsAsEvents signals;
    std::optional<RawTerminal> raw(std::in_place);
    Keys keys(writing.value(), path);
    keys.resize();
    std::thread output([&] { showOutput(std::move(reading).value(), path, shared); });
    ended = keys.until(signals, shared);
    shared.over = true;
    raw.reset();
    output.join();
  }
  if (ended != Ended::kByItself) {
    console.err << "It runs on.\n";
    return ended == Ended::kDetached ? kExitOk : kExitInterrupted;
  }
  if (shared.failure) {
    const bool lost = shared.failure->code == codes::kUnreachable;
    console.fail(*shared.failure,
                 lost ? fmt::format("the program runs on where it is; `svc terminal attach {}` "
                                    "comes back when the server does",
                                    oneLine(id))
                      : "");
    return lost ? kExitUnreachable : kExitFailure;
  }
  return shared.exit_code.value_or(kExitFailure);
}

}  // namespace svc::client
