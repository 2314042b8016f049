#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"

#include "messages.h"

namespace svc::hostworkers {

struct WorkerSpec {
  std::string plugin_id;
  std::string generation;
  /// host.mjs in the cache.
  std::filesystem::path module;
  /// Limit of its JavaScript heap.
  std::int64_t heap_mib = 0;
};

/// How a worker ended.
struct WorkerExit {
  std::optional<int> code;  ///< or
  int signal = 0;
  /// The last line it wrote to stderr.
  std::string last_words;
};

/// What a worker process tells, on the main thread.
struct WorkerEvents {
  std::function<void(std::vector<WorkerMessage> messages)> messages;
  /// It said something that is no message; it cannot be trusted with calls any more.
  std::function<void(std::string why)> broken;
  /// The last call: no process of its group and no temporary file is left.
  std::function<void(WorkerExit exit)> gone;
};

/// A process that runs one host entry. Main thread.
class IWorkerProcess {
 public:
  virtual ~IWorkerProcess() = default;
  /// A message, JSON without a line break.
  virtual void send(std::string message) = 0;
  /// The same, sooner: for one that no other comes with.
  virtual void sendAtOnce(std::string message) = 0;
  /// Ends the process and everything it has started, at once.
  virtual void kill() = 0;
};

/// Main thread.
class IWorkerLauncher {
 public:
  virtual ~IWorkerLauncher() = default;
  /// Fires on the main thread, before the first event. Once it has fired with a process, `gone` comes in any case.
  virtual void launch(WorkerSpec spec, WorkerEvents events,
                      Completion<std::shared_ptr<IWorkerProcess>> done) = 0;
};

}  // namespace svc::hostworkers
