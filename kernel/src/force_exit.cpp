#include "force_exit.h"

#include <unistd.h>

#include <future>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "svc/base/unblocked_output.h"

namespace svc::kernel {
namespace {

/// A disk that hangs may be why nothing ends, so nothing that writes to it is waited for without a bound.
void say(const ForceExit::LastWords& last_words, const std::string& reason) {
  const auto said = std::make_shared<std::promise<void>>();
  auto done = said->get_future();
  std::thread([said, last_words, reason] {
    last_words(reason);
    said->set_value();
  }).detach();
  static_cast<void>(done.wait_for(ForceExit::kLastWords));
}

}  // namespace

ForceExit::ForceExit(std::chrono::milliseconds limit, std::string what, LastWords last_words)
    : thread_([this, limit, text = std::move(what), say_last = std::move(last_words)] {
        std::unique_lock lock(mutex_);
        if (!wake_.wait_for(lock, limit, [this] { return finished_; })) {
          const auto reason =
              fmt::format("{} within {} ms; the process ends now", text, limit.count());
          base::printUrgent(reason + "\n");
          say(say_last, reason);
          ::_exit(kForcedExitCode);
        }
      }) {}

ForceExit::~ForceExit() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace svc::kernel
