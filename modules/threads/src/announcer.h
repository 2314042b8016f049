#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "svc/agents/plugin_events.h"
#include "svc/kernel/executor.h"
#include "svc/realtime/realtime.h"

#include "thread_book.h"

namespace svc::threads {

/// Between two frames about the log of one thread: `deltaFrames` of them a second.
inline constexpr std::chrono::milliseconds kFramePause{50};

/// Tells windows and plugins what happens in threads. Thread-safe; frames about the log are sent on the executor.
class Announcer {
 public:
  /// nullptr for those that are not there. `timers` outlives it.
  Announcer(realtime::IRealtimeHub* hub, agents::IPluginEvents* events, IExecutor& timers)
      : hub_(hub), events_(events), timers_(timers) {}

  void changed(const Notice& notice);
  void emitted(const std::string& name, const common::Json& payload);
  void logged(const std::vector<storage::ThreadEventRow>& events);
  /// "experimental_thread.events" for threads whose log has grown since the last call. About once a second.
  void tick(const ThreadBook& book);
  /// On the executor's thread: nothing is sent later.
  void stop();

 private:
  struct Grown {
    std::int64_t from = 0;
    std::int64_t through = 0;
    std::vector<std::string> types{};
  };

  void sendFrames();

  realtime::IRealtimeHub* const hub_;
  agents::IPluginEvents* const events_;
  IExecutor& timers_;
  std::mutex mutex_;
  std::map<std::string, Grown> grown_;
  std::map<std::string, std::int64_t> for_plugins_;
  bool armed_ = false;
  bool stopped_ = false;
  Handle timer_;
};

}  // namespace svc::threads
