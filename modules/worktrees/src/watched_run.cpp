#include "watched_run.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "svc/base/stop_event.h"
#include "svc/common/limits/worktrees.h"

namespace svc::worktrees {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTerminateGrace{5};
constexpr std::chrono::milliseconds kLongestPoll{60'000};
constexpr int kPieces = 64;

class Tail {
 public:
  Tail(base::Fd from, const std::function<void(std::string_view)>& said)
      : from_(std::move(from)), said_(said) {
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
  }
  [[nodiscard]] int descriptor() const { return from_.get(); }

  void drain() {
    std::array<char, 16'384>
        piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    // Bounded, so that one that never stops talking is ended in time.
    for (int pieces = 0; from_ && pieces < kPieces; ++pieces) {
      const auto count = base::readSome(from_.get(), piece.data(), piece.size());
      if (count < 0 && errno == EAGAIN) {
        return;
      }
      if (count <= 0) {
        from_.reset();
        return;
      }
      const std::string_view text(piece.data(), static_cast<std::size_t>(count));
      said_(text);
      text_.append(text);
      if (text_.size() > limits::kScriptTail) {
        text_.erase(0, text_.size() - limits::kScriptTail);
      }
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  base::Fd from_;
  const std::function<void(std::string_view)>& said_;
  std::string text_;
};

}  // namespace

Result<WatchedOutcome> runWatched(base::SpawnOptions program, std::chrono::milliseconds limit,
                                  const std::stop_token& stop,
                                  const std::function<void(std::string_view output)>& said) {
  auto pipe = base::makePipe();
  if (!pipe) {
    return std::move(pipe).error();
  }
  program.out = pipe.value().write.get();
  program.err = pipe.value().write.get();
  program.group = base::ProcessGroup::kSession;
  auto child = base::spawn(program);
  if (!child) {
    return std::move(child).error();
  }
  pipe.value().write.reset();
  Tail tail(std::move(pipe.value().read), said);
  const base::StopEvent stopped(stop);
  const auto deadline = Clock::now() + limit;
  WatchedOutcome out;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || stop.stop_requested()) {
      out.end = stop.stop_requested() ? base::RunEnd::kInterrupted : base::RunEnd::kTimeout;
      out.status = child.value().terminate(kTerminateGrace);
      break;
    }
    std::array<pollfd, 3> waits{{{child.value().descriptor(), POLLIN, 0},
                                 {stopped.descriptor(), POLLIN, 0},
                                 {tail.descriptor(), POLLIN, 0}}};
    (void)::poll(waits.data(), waits.size(),
                 static_cast<int>(std::min(left, kLongestPoll).count()));
    tail.drain();
    if ((waits[0].revents & POLLIN) != 0) {
      out.status = child.value().terminate({});
      break;
    }
  }
  tail.drain();
  out.tail = tail.take();
  return out;
}

}  // namespace svc::worktrees
