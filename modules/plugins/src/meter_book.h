#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/storage/plugin_meter_store.h"

#include "loaded_map.h"

namespace svc::plugins {

/// Keeps what the records say of calls and failures over restarts of the server. What has changed is written every kInterval and when the
/// server stops, never with a call: a server that is killed loses the last of it. Lives on the main thread.
class MeterBook final : public std::enable_shared_from_this<MeterBook> {
 public:
  static constexpr std::chrono::seconds kInterval{30};

  struct Parts {
    IMainExecutor& main;
    IWorkerPool& workers;
    storage::IPluginMeterStore& store;
    std::shared_ptr<LoadedMap> loaded;
    std::shared_ptr<spdlog::logger> log;
  };

  explicit MeterBook(Parts parts) : with_(std::move(parts)) {}

  /// Gives the plugins that are known what was written of them, and begins to write. Blocks: once, before anything is loaded.
  [[nodiscard]] Status open();
  /// Writes the last of it. Blocks.
  void close();

 private:
  using Texts = std::map<std::string, std::string>;

  /// What is to be written.
  [[nodiscard]] Texts changes();
  void arm();
  void write();
  void written(const Texts& texts, const Status& status);

  Parts with_;
  /// As written, of the plugins that are known.
  Texts written_;
  Handle timer_;
  bool failing_ = false;
  bool closed_ = false;
  ThreadBound main_thread_;
};

}  // namespace svc::plugins
