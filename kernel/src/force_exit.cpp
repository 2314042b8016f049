#include "force_exit.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "svc/base/unblocked_output.h"

namespace svc::kernel {

ForceExit::ForceExit(std::chrono::milliseconds limit, std::string what)
    : thread_([this, limit, text = std::move(what)] {
        std::unique_lock lock(mutex_);
        if (!wake_.wait_for(lock, limit, [this] { return finished_; })) {
          base::printUrgent(
              fmt::format("{} within {} ms; the process ends now\n", text, limit.count()));
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
