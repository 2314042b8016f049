#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/plugin_events.h"
#include "svc/kernel/executor.h"
#include "svc/realtime/realtime.h"

#include "live_texts.h"
#include "thread_book.h"

namespace svc::threads {

/// What of plugins' registrations threads act on, as `unsupported[]` would name it.
[[nodiscard]] std::vector<std::string> servedMembers();

/// Tells windows and plugins what happens in threads. Thread-safe; frames about the log are sent on the executor.
///
/// Windows that follow a thread get frames of its log and of what streams, at most lim.deltaFrames a second. Those that follow the list hear of
/// the log in tick(), as plugins do.
class Announcer {
 public:
  /// The row of a thread as it is now; nullopt for one that is gone. Any thread, quick.
  using Find = std::function<std::optional<storage::ThreadRow>(const std::string& thread_id)>;
  /// nullptr for those that are not there. `timers` outlives it.
  Announcer(realtime::IRealtimeHub* hub, agents::IPluginEvents* events, IExecutor& timers,
            Find find)
      : hub_(hub), events_(events), timers_(timers), find_(std::move(find)) {}

  void changed(const Notice& notice);
  void emitted(const std::string& name, const common::Json& payload);
  void logged(const std::vector<storage::ThreadEventRow>& events);
  void streamed(const std::string& thread_id, const Delta& delta);
  /// Tells lists, and plugins by "experimental_thread.events", of threads whose log has grown since the last call. Every
  /// lim.eventsCoalesce.
  void tick(const ThreadBook& book);
  /// On the executor's thread: nothing is sent later.
  void stop();

 private:
  /// What a thread's next frame says.
  struct Frame {
    std::int64_t from = 0;  ///< 0 = nothing of the log
    std::vector<std::string> types{};
    std::vector<Delta> deltas{};
    std::size_t text = 0;  ///< bytes of the deltas
  };
  struct Grown {
    std::int64_t through = 0;
    std::vector<std::string> types{};
  };

  [[nodiscard]] bool isFollowed(const std::string& thread_id) const;
  /// Sees to it that frames are sent; true when the caller has to start the timer.
  [[nodiscard]] bool arm();
  void startTimer();
  void sendFrames();
  void tellProject(const std::string& project_id);
  void sendFrame(const std::string& thread_id, const Frame& frame);

  realtime::IRealtimeHub* const hub_;
  agents::IPluginEvents* const events_;
  IExecutor& timers_;
  const Find find_;
  std::mutex mutex_;
  std::map<std::string, Frame> frames_;
  std::map<std::string, Grown> grown_;
  bool armed_ = false;
  bool stopped_ = false;
  Handle timer_;
};

}  // namespace svc::threads
