#include "child_worker.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>

#include "svc/base/marked_processes.h"
#include "svc/common/limits/hosts.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;

/// Lines are collected for so long.
constexpr std::chrono::milliseconds kFlushAfter = 100ms;
constexpr std::chrono::milliseconds kTick = 1s;
/// Looking for what is left of a group reads all of /proc: at first soon, then seldom.
constexpr std::chrono::milliseconds kGroupPoll = 5ms;
constexpr std::chrono::milliseconds kGroupPollSlow = 160ms;
constexpr auto kCongestionPoll = 10ms;
/// Between the end of a socket and that of its process.
constexpr auto kEndAfterSocket = 1s;
/// Killed processes are gone in an instant, unless a disk holds them.
constexpr auto kGroupWait = 2s;

/// True when the process with this entry in /proc runs and is of the group.
bool isRunningIn(pid_t group, const std::filesystem::path& process) {
  std::ifstream in(process / "stat");
  std::string text;
  std::getline(in, text);
  // pid (name) state parent group …; the name may have brackets and spaces.
  const auto end = text.rfind(')');
  if (end == std::string::npos) {
    return false;
  }
  std::istringstream rest(text.substr(end + 1));
  char state = '\0';
  pid_t parent = 0;
  pid_t its_group = 0;
  rest >> state >> parent >> its_group;
  return its_group == group && state != 'Z' && state != 'X';
}

/// Members that have ended but were not collected yet by whoever adopted them do not count.
bool isGroupGone(pid_t group) {
  if (::kill(-group, 0) != 0) {
    return true;
  }
  std::error_code failure;
  for (std::filesystem::directory_iterator each("/proc", failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto name = each->path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        isRunningIn(group, each->path())) {
      return false;
    }
  }
  return true;
}

}  // namespace

ChildWorker::ChildWorker(ChildContext context, ChildHandles handles, WorkerEvents events,
                         std::function<void(std::vector<LogLine>)> log)
    : context_(std::move(context)),
      child_(std::move(handles.child)),
      group_(child_.pid()),
      mark_(std::move(handles.mark)),
      scratch_(std::move(handles.scratch)),
      events_(std::make_shared<const WorkerEvents>(std::move(events))),
      log_(std::move(log)),
      channel_(std::make_shared<LineChannel>(context_.io, handles.socket.release(),
                                             limits::kIpcMessage)),
      out_(context_.io, handles.out.release(), false),
      err_(context_.io, handles.err.release(), true),
      pidfd_(context_.io, ::fcntl(child_.descriptor(), F_DUPFD_CLOEXEC, 0)),
      flush_timer_(context_.io),
      group_timer_(context_.io),
      socket_timer_(context_.io),
      congestion_timer_(context_.io),
      lines_(context_.clock) {
  out_.descriptor.non_blocking(true);
  err_.descriptor.non_blocking(true);
}

void ChildWorker::start() {
  auto self = shared_from_this();
  channel_->start({.lines = [self](std::vector<std::string> lines,
                                   std::size_t bytes) { self->take(lines, bytes); },
                   .closed =
                       [self](std::string why) {
                         if (why.empty()) {
                           self->lostSocket();
                         } else {
                           self->broken(std::move(why));
                         }
                       }});
  boost::asio::post(context_.io, [self] {
    self->read(self->out_);
    self->read(self->err_);
    self->pidfd_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [self](auto /*failure*/) { self->ended(); });
  });
}

void ChildWorker::kill() {
  boost::asio::post(context_.io,
                    [self = shared_from_this()] { self->child_.signalGroup(SIGKILL); });
}

void ChildWorker::read(Stream& stream) {
  stream.descriptor.async_read_some(
      boost::asio::buffer(stream.buffer),
      [self = shared_from_this(), &stream](auto failure, std::size_t count) {
        if (failure) {
          return;
        }
        self->lines_.add(stream.error, {stream.buffer.data(), count});
        if (!self->ended_) {
          self->scheduleFlush();
          self->read(stream);
        }
      });
}

/// What the process wrote last; a descendant that left its group may keep the stream open.
void ChildWorker::readRest(Stream& stream) {
  constexpr int kReads = 32;
  boost::system::error_code failure;
  for (int reads = 0; reads < kReads && !failure; ++reads) {
    const auto count = stream.descriptor.read_some(boost::asio::buffer(stream.buffer), failure);
    lines_.add(stream.error, {stream.buffer.data(), count});
  }
  stream.descriptor.close(failure);
}

void ChildWorker::take(const std::vector<std::string>& lines, std::size_t bytes) {
  std::vector<WorkerMessage> messages;
  messages.reserve(lines.size());
  std::string problem;
  for (const auto& line : lines) {
    auto message = parseWorkerMessage(line);
    if (!message) {
      problem = message.error().message;
      break;
    }
    messages.push_back(std::move(message).value());
  }
  context_.main.post([self = shared_from_this(), messages = std::move(messages), bytes]() mutable {
    self->events_->messages(std::move(messages));
    if (self->context_.congested && self->context_.congested()) {
      boost::asio::post(self->context_.io, [self, bytes] { self->handled(bytes); });
    } else {
      self->channel_->consumed(bytes);
    }
  });
  if (!problem.empty()) {
    broken("it sent what is no message: " + problem);
  }
}

/// While the server is behind what was dealt with counts as undone, so that reading rests.
void ChildWorker::handled(std::size_t bytes) {
  const bool waits = held_bytes_ > 0;
  held_bytes_ += bytes;
  if (waits || ended_) {
    return;
  }
  congestion_timer_.expires_after(kCongestionPoll);
  congestion_timer_.async_wait([self = shared_from_this()](auto /*failure*/) {
    const auto held = std::exchange(self->held_bytes_, 0);
    if (self->context_.congested()) {
      self->handled(held);
    } else {
      self->channel_->consumed(held);
    }
  });
}

/// A worker without its socket cannot answer. Usually it is ending, which is then noticed by itself.
void ChildWorker::lostSocket() {
  if (ended_) {
    return;
  }
  socket_timer_.expires_after(kEndAfterSocket);
  socket_timer_.async_wait([self = shared_from_this()](auto /*failure*/) {
    if (!self->ended_) {
      self->broken("it closed its socket");
    }
  });
}

void ChildWorker::broken(std::string why) {
  channel_->close();
  context_.main.post([events = events_, why = std::move(why)] { events->broken(why); });
}

/// Lines leave together; while lines are left out it is looked every second whether their minute is over.
void ChildWorker::scheduleFlush() {
  if (flush_waits_ || (lines_.empty() && !lines_.dropping())) {
    return;
  }
  flush_waits_ = true;
  flush_timer_.expires_after(lines_.empty() ? kTick : kFlushAfter);
  flush_timer_.async_wait([self = shared_from_this()](auto failure) {
    self->flush_waits_ = false;
    if (!failure && !self->ended_) {
      self->lines_.tick();
      self->flush();
      self->scheduleFlush();
    }
  });
}

void ChildWorker::flush() {
  if (!lines_.empty()) {
    log_(lines_.take());
  }
}

void ChildWorker::ended() {
  ended_ = true;
  channel_->rest();
  // Behind the handlers of what has been read already.
  boost::asio::post(context_.io, [self = shared_from_this()] { self->collect(); });
}

void ChildWorker::collect() {
  channel_->finish();
  readRest(out_);
  readRest(err_);
  // While the process is not collected its group cannot be another's.
  child_.signalGroup(SIGKILL);
  const auto status = child_.reap();
  if (status.signal == 0) {
    exit_.code = status.code;
  } else {
    exit_.signal = status.signal;
  }
  flush_timer_.cancel();
  socket_timer_.cancel();
  congestion_timer_.cancel();
  exit_.last_words = lines_.lastError();
  lines_.finish();
  flush();
  boost::system::error_code ignored;
  pidfd_.close(ignored);
  awaitGroup(std::chrono::steady_clock::now() + kGroupWait, kGroupPoll);
}

bool ChildWorker::endRest() const {
  const bool marked = base::signalMarked(mark_, SIGKILL) > 0;
  return marked || !isGroupGone(group_);
}

/// All of /proc is read for it, which the thread of the io_context has no time for.
void ChildWorker::awaitGroup(std::chrono::steady_clock::time_point until,
                             std::chrono::milliseconds poll) {
  auto look = [self = shared_from_this(), until, poll] {
    boost::asio::post(self->context_.io, [self, found = self->endRest(), until, poll] {
      self->lookedForRest(found, until, poll);
    });
  };
  if (!context_.pool.submit(look)) {
    look();
  }
}

void ChildWorker::lookedForRest(bool found, std::chrono::steady_clock::time_point until,
                                std::chrono::milliseconds poll) {
  if (!found || std::chrono::steady_clock::now() >= until) {
    gone();
    return;
  }
  group_timer_.expires_after(poll);
  group_timer_.async_wait([self = shared_from_this(), until, poll](auto /*failure*/) {
    self->awaitGroup(until, std::min(2 * poll, kGroupPollSlow));
  });
}

void ChildWorker::gone() {
  over_ = true;
  auto clean = [self = shared_from_this()] {
    std::error_code ignored;
    std::filesystem::remove_all(self->scratch_, ignored);
    self->context_.main.post([events = self->events_, exit = self->exit_] { events->gone(exit); });
  };
  if (!context_.pool.submit(clean)) {
    clean();
  }
}

}  // namespace svc::hostworkers
