#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

namespace svc::agents {

/// Calls into a plugin and answers on `executor`, from which it is called; with `late` when there is no answer after
/// `limit`. The signal of a call that is late aborts.
inline void invokeBounded(IExecutor& executor, plugins::IGeneration& generation, std::string source,
                          script::Invocation invocation, std::chrono::milliseconds limit,
                          Error late, Completion<std::string> done) {
  struct Wait {
    Completion<std::string> done;
    std::stop_source stop;
    Handle timer;
  };
  auto wait = std::make_shared<Wait>();
  wait->done = std::move(done);
  wait->timer = executor.after(limit, [wait, late = std::move(late)] {
    // The timer's own closure may be destroyed by what the handler does.
    const auto keep = wait;  // NOLINT(performance-unnecessary-copy-initialization)
    keep->done(late);
    keep->stop.request_stop();
  });
  invocation.stop = wait->stop.get_token();
  generation.invoke(std::move(source), std::move(invocation),
                    [&executor, wait](Result<std::string> result) {
                      auto answer = std::make_shared<Result<std::string>>(std::move(result));
                      executor.post([wait, answer] {
                        wait->timer.reset();
                        wait->done(std::move(*answer));
                      });
                    });
}

}  // namespace svc::agents
