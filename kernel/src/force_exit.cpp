#include "force_exit.h"

#include <unistd.h>

#include <cstdio>

namespace svc::kernel {

ForceExit::ForceExit(std::chrono::milliseconds limit, std::string what)
    : thread_([this, limit, text = std::move(what)] {
        std::unique_lock lock(mutex_);
        if (!wake_.wait_for(lock, limit, [this] { return finished_; })) {
          std::fprintf(stderr, "%s within %lld ms; the process ends now\n", text.c_str(),
                       static_cast<long long>(limit.count()));
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
