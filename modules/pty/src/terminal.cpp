#include "terminal.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"

#include "session_processes.h"

namespace svc::pty {
namespace {

using boost::asio::posix::descriptor_base;
using boost::system::error_code;
using common::Json;

/// Of one read; what a program writes at once stays together.
constexpr std::size_t kChunk = 16UL * 1024;
/// Between two looks at what is being killed, and how many of them: what the system does not let go of is left to it.
constexpr std::chrono::milliseconds kAgain{20};
constexpr int kKills = 250;

std::string message(std::string_view type, const std::string& id, std::string_view rest) {
  return fmt::format(R"({{"type":"{}","terminalId":{},{}}})", type, common::jsonString(id), rest);
}

}  // namespace

Terminal::Terminal(std::string id, TerminalServices services, Started started)
    : id_(std::move(id)),
      services_(std::move(services)),
      child_(std::move(started.child)),
      pid_(child_.pid()),
      cwd_(std::move(started.cwd)),
      command_(started.command),
      mark_(std::move(started.mark)),
      here_(services_.io, started.here.release()),
      // Closed once here and once there.
      end_(services_.io, ::dup(child_.descriptor())),
      timer_(services_.io),
      ring_(limits::kTerminalRing) {}

Terminal::~Terminal() {
  if (child_) {
    signalMembers(pid_, SIGKILL);
  }
}

void Terminal::start() {
  awaitEnd();
  read();
}

bool Terminal::mayRead() const {
  return !closed_ && !(attached_ && on_the_way_ >= kWindow && sent_ < ring_.next());
}

void Terminal::read() {
  if (reading_ || !mayRead()) {
    return;
  }
  reading_ = true;
  if (services_.pace->left() == 0) {
    services_.pace->wait([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->reading_ = false;
        self->read();
      }
    });
    return;
  }
  here_.async_wait(descriptor_base::wait_read, [weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock()) {
      self->reading_ = false;
      if (!failed) {
        self->onReadable();
      }
    }
  });
}

void Terminal::onReadable() {
  services_.pace->spend(readChunk(kChunk));
  push();
  read();
}

/// Bytes that came.
std::size_t Terminal::readChunk(std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t count = 0;
  while (count < most) {
    const auto got = base::readSome(here_.native_handle(), bytes.data() + count, most - count);
    if (got <= 0) {
      // EIO: every other end is closed.
      closed_ = closed_ || got == 0 || errno != EAGAIN;
      break;
    }
    count += static_cast<std::size_t>(got);
  }
  if (count > 0) {
    bytes.resize(count);
    ring_.append(std::move(bytes));
  }
  return count;
}

void Terminal::push() {
  while (attached_ && sent_ < ring_.next() && on_the_way_ < kWindow) {
    sent_ = std::max(sent_, ring_.first());
    const auto* chunk = ring_.find(sent_);
    services_.send(message(hostprotocol::to_server::kTerminalOutput, id_,
                           fmt::format(R"("seq":{},"dataBase64":"{}")", chunk->seq,
                                       hostprotocol::encodeBase64(chunk->bytes))));
    on_the_way_ += chunk->bytes.size();
    ++sent_;
  }
  if (attached_ && exit_code_ && !exit_sent_ && sent_ == ring_.next()) {
    exit_sent_ = true;
    services_.send(message(hostprotocol::to_server::kTerminalExit, id_,
                           fmt::format(R"("exitCode":{})", *exit_code_)));
  }
}

void Terminal::attach(std::uint64_t seq) {
  attached_ = true;
  exit_sent_ = false;
  sent_ = std::clamp(seq, ring_.first(), ring_.next());
  acknowledged_ = sent_;
  on_the_way_ = 0;
  push();
  read();
}

void Terminal::acknowledge(std::uint64_t seq) {
  for (; acknowledged_ < std::min(seq, sent_); ++acknowledged_) {
    const auto* chunk = ring_.find(acknowledged_);
    on_the_way_ -= chunk == nullptr ? 0 : std::min(on_the_way_, chunk->bytes.size());
  }
  if (acknowledged_ == sent_) {
    on_the_way_ = 0;
  }
  push();
  read();
}

void Terminal::input(std::string bytes) {
  if (ended() || bytes.empty() || input_bytes_ + bytes.size() > kInput) {
    return;
  }
  if (shell_.empty()) {
    shell_ = programOf(pid_);
  }
  input_bytes_ += bytes.size();
  input_.push_back(std::move(bytes));
  write();
}

void Terminal::write() {
  while (!writing_ && !input_.empty() && !closed_ && !ended()) {
    const auto& bytes = input_.front();
    const auto wrote =
        ::write(here_.native_handle(), bytes.data() + written_, bytes.size() - written_);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      if (errno == EAGAIN) {
        writing_ = true;
        here_.async_wait(descriptor_base::wait_write,
                         [weak = weak_from_this()](const error_code& failed) {
                           if (const auto self = weak.lock()) {
                             self->writing_ = false;
                             if (!failed) {
                               self->write();
                             }
                           }
                         });
      }
      return;
    }
    written_ += static_cast<std::size_t>(wrote);
    if (written_ == bytes.size()) {
      services_.send(message(hostprotocol::to_server::kTerminalTaken, id_,
                             fmt::format(R"("bytes":{})", bytes.size())));
      input_bytes_ -= bytes.size();
      written_ = 0;
      input_.pop_front();
    }
  }
}

void Terminal::resize(base::TerminalSize size) {
  if (!ended()) {
    (void)base::resizePty(here_.native_handle(), size);
  }
}

bool Terminal::idle() {
  // The shell of a command may have become the command itself, and so may any shell with `exec`.
  const bool is_shell = !command_ && (shell_.empty() || programOf(pid_) == shell_);
  return ended() ||
         (is_shell && ::tcgetpgrp(here_.native_handle()) == pid_ && membersOf(pid_).empty());
}

void Terminal::awaitEnd() {
  end_.async_wait(descriptor_base::wait_read, [weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock(); self && !failed) {
      self->onEnd();
    }
  });
}

/// The leader has ended. It is collected when nothing of its session is left: until then the number is surely its own.
void Terminal::onEnd() {
  siginfo_t how{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOWAIT);
  constexpr int kSignalled = 128;
  exit_code_ = how.si_code == CLD_EXITED ? how.si_status : kSignalled + how.si_status;
  drainOutput();
  push();
  hangUp();
}

/// What is there of its last words, though others may hold its terminal open.
void Terminal::drainOutput() {
  for (std::size_t drained = 0; !closed_ && drained < limits::kTerminalRing;) {
    const auto count = readChunk(kChunk);
    if (count == 0) {
      break;
    }
    drained += count;
  }
  closed_ = true;
  error_code ignored;
  here_.close(ignored);
}

void Terminal::end() {
  if (!ending_ && !ended()) {
    ending_ = true;
    hangUp();
  }
}

void Terminal::hangUp() {
  if (ended() && membersOf(pid_).empty()) {
    collect();
    return;
  }
  // A stopped one hears nothing before it goes on.
  for (const int number : {SIGHUP, SIGCONT}) {
    signalMembers(pid_, number);
    child_.signalGroup(number);
  }
  kill(kHangUp, kKills);
}

/// SIGKILL after a while, and again until nothing is left: a process that is being started may have missed the first.
void Terminal::kill(std::chrono::milliseconds after, int times) {
  timer_.expires_after(after);
  timer_.async_wait([weak = weak_from_this(), times](const error_code& failed) {
    const auto self = weak.lock();
    if (!self || failed || !self->child_) {
      return;
    }
    if (self->ended() && (times == 0 || membersOf(self->pid_).empty())) {
      self->collect();
      return;
    }
    // The shell first: one whose children are gone before it ends by itself, as if all were well.
    self->child_.signalGroup(SIGKILL);
    signalMembers(self->pid_, SIGKILL);
    self->kill(kAgain, std::max(times - 1, 0));
  });
}

void Terminal::collect() {
  if (!child_) {
    return;
  }
  timer_.cancel();
  child_.signalGroup(SIGKILL);
  (void)child_.reap();
  services_.gone(id_);
}

}  // namespace svc::pty
