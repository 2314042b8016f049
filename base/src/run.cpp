#include "svc/base/run.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "svc/base/system_error.h"

namespace svc::base {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{1000};
/// A wait without a bound; it begins anew.
constexpr milliseconds kLongest{60'000};

/// One stream of the program, read without waiting.
class Collected {
 public:
  Collected(Fd from, const RunOptions& options)
      : from_(std::move(from)), limit_(options.output_limit), overflow_(options.overflow) {
    if (from_) {
      ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    }
  }

  [[nodiscard]] int descriptor() const { return from_.get(); }
  [[nodiscard]] bool full() const { return full_; }

  void drain() {
    std::array<char, 65'536>
        piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    while (from_ && !full_) {
      const auto count = readSome(from_.get(), piece.data(), piece.size());
      if (count > 0) {
        add({piece.data(), static_cast<std::size_t>(count)});
      } else if (count < 0 && errno == EAGAIN) {
        return;
      } else {
        from_.reset();
      }
    }
  }

  [[nodiscard]] std::string take() {
    if (text_.size() > limit_) {
      text_.erase(0, text_.size() - limit_);
    }
    return std::move(text_);
  }

 private:
  void add(std::string_view piece) {
    if (overflow_ == Overflow::kKeepLast) {
      text_.append(piece);
      // Seldom, so that a long output is not moved about for each piece.
      if (text_.size() > 2 * limit_) {
        text_.erase(0, text_.size() - limit_);
      }
      return;
    }
    const auto room = limit_ - text_.size();
    full_ = overflow_ == Overflow::kEnd && piece.size() > room;
    text_.append(piece.substr(0, room));
  }

  Fd from_;
  std::size_t limit_;
  Overflow overflow_;
  std::string text_;
  bool full_ = false;
};

struct Streams {
  Collected out;
  Collected err;

  void drain() {
    out.drain();
    err.drain();
  }
  [[nodiscard]] bool full() const { return out.full() || err.full(); }
};

/// Until the program has ended, or why it has to be.
RunEnd follow(const RunOptions& options, const ChildProcess& child, Streams& streams) {
  const auto start = Clock::now();
  auto next_tick = start + kTick;
  for (;;) {
    auto wake = Clock::now() + kLongest;
    if (options.time_limit) {
      wake = std::min(wake, start + *options.time_limit);
    }
    if (options.tick) {
      wake = std::min(wake, next_tick);
    }
    const auto pause = std::chrono::ceil<milliseconds>(wake - Clock::now()).count();
    std::array<pollfd, 4> entries{
        {{.fd = options.interrupt, .events = POLLIN, .revents = 0},
         {.fd = child.descriptor(), .events = POLLIN, .revents = 0},
         {.fd = streams.out.descriptor(), .events = POLLIN, .revents = 0},
         {.fd = streams.err.descriptor(), .events = POLLIN, .revents = 0}}};
    const int ready =
        ::poll(entries.data(), entries.size(), static_cast<int>(std::max<std::int64_t>(pause, 0)));
    // What it wrote last is in the pipes when it has ended.
    streams.drain();
    const auto now = Clock::now();
    if (streams.full()) {
      return RunEnd::kOverflow;
    }
    if (ready > 0 && entries[1].revents != 0) {
      return RunEnd::kExited;
    }
    if (ready > 0 && entries[0].revents != 0) {
      return RunEnd::kInterrupted;
    }
    if (options.time_limit && now >= start + *options.time_limit) {
      return RunEnd::kTimeout;
    }
    if (options.tick && now >= next_tick) {
      next_tick = now + kTick;
      options.tick(std::chrono::duration_cast<milliseconds>(now - start));
    }
  }
}

}  // namespace

Result<RunOutcome> run(const RunOptions& options) {
  auto out = makePipe();
  auto err = options.capture == Capture::kSeparate ? makePipe() : Result<Pipe>(Pipe());
  if (!out || !err) {
    return out ? std::move(err).error() : std::move(out).error();
  }
  auto program = options.program;
  program.out = out.value().write.get();
  program.err = options.capture == Capture::kJoined ? program.out : err.value().write.get();
  auto child = spawn(program);
  if (!child) {
    return std::move(child).error();
  }
  out.value().write.reset();
  err.value().write.reset();
  Streams streams{Collected(std::move(out.value().read), options),
                  Collected(std::move(err.value().read), options)};
  RunOutcome outcome;
  outcome.end = follow(options, child.value(), streams);
  if (outcome.end != RunEnd::kExited) {
    outcome.status = child.value().terminate(options.grace);
    streams.drain();
  } else {
    if (options.descendants == Descendants::kEnd) {
      child.value().signalGroup(SIGKILL);
    }
    outcome.status = child.value().reap();
  }
  outcome.out = streams.out.take();
  outcome.err = streams.err.take();
  return outcome;
}

}  // namespace svc::base
