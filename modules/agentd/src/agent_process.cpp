#include "agent_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/marked_processes.h"
#include "svc/base/text.h"
#include "svc/hostprotocol/agent_limits.h"

namespace svc::agentd {
namespace {

using boost::asio::posix::descriptor_base;
using boost::system::error_code;

/// Of one turn of the io thread.
constexpr std::size_t kReadAtOnce = 64UL * 1024;
/// What an ended agent may have left in its pipe.
constexpr std::size_t kReadRest = 2UL * 1024 * 1024;
/// Between two looks at what is left of one, and how many; what the system does not let go of is left to it.
constexpr std::chrono::milliseconds kLookAgain{20};
/// From the last word to the end.
constexpr std::chrono::milliseconds kLastMoment{200};
constexpr int kLooks = 100;

bool makeNonBlocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

}  // namespace

Result<SpawnedAgent> spawnAgent(const AgentProgram& program) {
  // A socket, because writing to one does not raise SIGPIPE.
  auto in = base::makeSocketPair();
  auto out = base::makePipe();
  auto err = base::makePipe();
  if (!in || !out || !err) {
    return !in ? in.error() : !out ? out.error() : err.error();
  }
  for (const int descriptor :
       {in.value().here.get(), out.value().read.get(), err.value().read.get()}) {
    if (!makeNonBlocking(descriptor)) {
      return Error{errc::kUnavailable, "the streams of the agent cannot be used"};
    }
  }
  auto environment = program.environment;
  environment[base::kProcessMark] = program.mark;
  auto child = base::spawn({.argv = program.argv,
                            .environment = std::move(environment),
                            .directory = program.cwd,
                            .in = in.value().there.get(),
                            .out = out.value().write.get(),
                            .err = err.value().write.get(),
                            .group = base::ProcessGroup::kSession});
  if (!child) {
    return std::move(child).error();
  }
  return SpawnedAgent{std::move(child).value(), std::move(in.value().here),
                      std::move(out.value().read), std::move(err.value().read), program.mark};
}

std::shared_ptr<AgentProcess> AgentProcess::follow(boost::asio::io_context& io,
                                                   SpawnedAgent spawned, Events events) {
  std::shared_ptr<AgentProcess> process(
      new AgentProcess(io, std::move(spawned), std::move(events)));
  process->watch();
  return process;
}

AgentProcess::AgentProcess(boost::asio::io_context& io, SpawnedAgent spawned, Events events)
    : in_(io, spawned.in.release()),
      out_(io, spawned.out.release()),
      err_(io, spawned.err.release()),
      // Closed once here and once there.
      end_(io, ::fcntl(spawned.child.descriptor(), F_DUPFD_CLOEXEC, 0)),
      timer_(io),
      child_(std::move(spawned.child)),
      pid_(child_.pid()),
      mark_(std::move(spawned.mark)),
      events_(std::move(events)),
      splitter_(limits::kAgentLine) {}

AgentProcess::~AgentProcess() {
  if (child_) {
    child_.signalGroup(SIGKILL);
    base::signalMarked(mark_, SIGKILL);
  }
}

void AgentProcess::watch() {
  end_.async_wait(descriptor_base::wait_read, [weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock(); self && !failed) {
      self->onEnd();
    }
  });
  read();
  readErrors();
}

void AgentProcess::setReading(bool wanted) {
  wanted_ = wanted;
  read();
}

void AgentProcess::read() {
  if (reading_ || !wanted_ || ended_ || !out_.is_open()) {
    return;
  }
  reading_ = true;
  out_.async_wait(descriptor_base::wait_read, [weak = weak_from_this()](const error_code& failed) {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    self->reading_ = false;
    if (failed || !self->wanted_ || self->ended_) {
      return;
    }
    if (!self->readSome(kReadAtOnce)) {
      error_code ignored;
      self->out_.close(ignored);
      self->endSilent();
      return;
    }
    self->read();
  });
}

bool AgentProcess::readSome(std::size_t most) {
  std::string bytes(kReadAtOnce, '\0');
  for (std::size_t total = 0; total < most;) {
    const auto got = base::readSome(out_.native_handle(), bytes.data(), bytes.size());
    if (got <= 0) {
      return got < 0 && errno == EAGAIN;
    }
    total += static_cast<std::size_t>(got);
    std::vector<std::string> lines;
    const bool whole =
        splitter_.add(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)), lines);
    if (!lines.empty()) {
      events_.lines(std::move(lines));
    }
    if (!whole && !ending_) {
      events_.broken(fmt::format("it sent a line of more than {} bytes (limit agentLine)",
                                 limits::kAgentLine));
      end();
    }
  }
  return true;
}

void AgentProcess::readErrors() {
  if (!err_.is_open()) {
    return;
  }
  err_.async_wait(descriptor_base::wait_read, [weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock(); self && !failed && !self->ended_ && self->takeErrors()) {
      self->readErrors();
    }
  });
}

/// Always, so that nobody waits for a reader; only the last is kept.
bool AgentProcess::takeErrors() {
  std::string bytes(kReadAtOnce, '\0');
  const auto got = base::readSome(err_.native_handle(), bytes.data(), bytes.size());
  if (got <= 0) {
    return got < 0 && errno == EAGAIN;
  }
  last_words_.append(bytes, 0, static_cast<std::size_t>(got));
  if (last_words_.size() > limits::kAgentLastWords) {
    last_words_.erase(0, last_words_.size() - limits::kAgentLastWords);
  }
  return true;
}

std::string AgentProcess::lastWords() const { return std::string(base::trimmed(last_words_)); }

bool AgentProcess::write(std::string line) {
  if (input_bytes_ + line.size() > limits::kAgentInput) {
    return false;
  }
  if (!ending_ && !ended_ && in_.is_open()) {
    input_bytes_ += line.size();
    input_.push_back(std::move(line));
    flush();
  }
  return true;
}

void AgentProcess::flush() {
  while (!writing_ && !input_.empty() && in_.is_open()) {
    const auto& bytes = input_.front();
    const auto wrote = ::send(in_.native_handle(), bytes.data() + written_, bytes.size() - written_,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0 && errno == EAGAIN) {
      writing_ = true;
      in_.async_wait(descriptor_base::wait_write,
                     [weak = weak_from_this()](const error_code& failed) {
                       if (const auto self = weak.lock()) {
                         self->writing_ = false;
                         if (!failed) {
                           self->flush();
                         }
                       }
                     });
      return;
    }
    if (wrote < 0) {
      // It reads no more; its end is noticed by itself.
      input_.clear();
      input_bytes_ = 0;
      written_ = 0;
      return;
    }
    written_ += static_cast<std::size_t>(wrote);
    if (written_ == bytes.size()) {
      input_bytes_ -= bytes.size();
      written_ = 0;
      input_.pop_front();
    }
  }
}

/// Who says no more is of no use, and may not end by itself. One that was killed is silent a moment before it has ended.
void AgentProcess::endSilent() {
  if (ending_) {
    return;
  }
  timer_.expires_after(kLastMoment);
  timer_.async_wait([weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock(); self && !failed && !self->ending_ && !self->ended_) {
      self->ended_for_silence_ = true;
      self->end();
    }
  });
}

void AgentProcess::end() {
  if (ending_ || ended_) {
    return;
  }
  ending_ = true;
  error_code ignored;
  in_.close(ignored);
  child_.signalGroup(SIGTERM);
  timer_.expires_after(limits::kAgentStop);
  timer_.async_wait([weak = weak_from_this()](const error_code& failed) {
    if (const auto self = weak.lock(); self && !failed && !self->ended_) {
      self->kill();
    }
  });
}

void AgentProcess::kill() { child_.signalGroup(SIGKILL); }

/// The leader has ended. It is collected after its group was killed: until then the number is surely its own.
void AgentProcess::onEnd() {
  const auto self = shared_from_this();
  ended_ = true;
  timer_.cancel();
  if (out_.is_open()) {
    (void)readSome(kReadRest);
  }
  (void)takeErrors();
  error_code ignored;
  for (auto* stream : {&in_, &out_, &err_, &end_}) {
    stream->close(ignored);
  }
  child_.signalGroup(SIGKILL);
  status_ = child_.reap();
  awaitRest(kLooks);
}

/// What has left its group is found by its mark.
void AgentProcess::awaitRest(int looks) {
  if (base::signalMarked(mark_, SIGKILL) == 0 || looks == 0) {
    gone();
    return;
  }
  timer_.expires_after(kLookAgain);
  timer_.async_wait([self = shared_from_this(), looks](const error_code& failed) {
    if (!failed) {
      self->awaitRest(looks - 1);
    }
  });
}

void AgentProcess::gone() {
  const auto ended = std::exchange(events_.ended, nullptr);
  if (ended) {
    // One that ends in its own way all the same has not been ended; that its input ends before the signal comes is no way of its own.
    ended({.status = status_,
           .last_words = lastWords(),
           .closed_output = ended_for_silence_ && (status_.ok() || status_.signal == SIGTERM ||
                                                   status_.signal == SIGKILL)});
  }
}

}  // namespace svc::agentd
