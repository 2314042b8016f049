#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugins.h"

namespace svc::realtime {

/// The frame `plugins-changed`: the full list, so that a client needs nothing it saw before.
[[nodiscard]] std::string pluginsChangedFrame(const std::vector<plugins::PluginRecord>& records);

/// L:changed-join: bursts within this time are one message.
inline constexpr std::chrono::milliseconds kChangedJoin{50};

/// Joins bursts of frames of which only the newest counts: the first leaves at once, what follows within kChangedJoin leaves
/// at the end of it. Lives on the main thread.
class ChangeJoin {
 public:
  ChangeJoin(IMainExecutor& main, const IClock& clock, std::function<void(std::string frame)> send)
      : main_(main), clock_(clock), send_(std::move(send)) {}

  void offer(std::string frame);

 private:
  void sendNow(std::string frame);

  IMainExecutor& main_;
  const IClock& clock_;
  std::function<void(std::string frame)> send_;
  std::optional<std::chrono::steady_clock::time_point> last_sent_;
  std::optional<std::string> waiting_;
  Handle timer_;
  ThreadBound main_thread_;
};

}  // namespace svc::realtime
