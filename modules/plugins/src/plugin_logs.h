#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "log_file.h"
#include "secret_mask.h"

namespace svc::plugins {

/// Takes log lines from any thread without blocking and writes them, secrets masked, on a worker: to the plugin's
/// file and, within ServerLogShare, to the server log. Lines beyond kQueueBytes are dropped; a notice with their number
/// takes their place.
class PluginLogs final : public IPluginLogs {
 public:
  PluginLogs(IWorkerPool& workers, const IClock& clock, std::filesystem::path plugins_directory,
             std::shared_ptr<spdlog::logger> server_log);

  void read(std::string plugin_id, LogQuery query, Completion<LogPage> done) override;
  void append(const std::string& plugin_id, LogLine line) override;
  [[nodiscard]] Handle onLine(
      std::function<void(const std::string&, std::uint64_t)> listener) override;

  /// Opens the log of an installed plugin: before this and after detach() its lines are dropped and
  /// reads fail. Waits for no line that is being written.
  void attach(const std::string& plugin_id);
  /// Writes what is waiting and closes the file. Blocks.
  void detach(const std::string& plugin_id);
  void write(const std::string& plugin_id, LogEntry entry);
  /// What keeps secrets out of the logs, and out of everything else that quotes a plugin.
  [[nodiscard]] SecretMask& mask() { return mask_; }
  /// Writes everything that is waiting. Blocks.
  void flush();

  static constexpr std::size_t kQueueBytes = 4UL * 1024 * 1024;

 private:
  struct Log {
    explicit Log(std::filesystem::path directory) : file(std::move(directory)) {}
    /// For the file: lines are written and read at the same time.
    std::mutex mutex;
    LogFile file;
    std::uint64_t lost = 0;  ///< lines that could not be written since the last one that was
    std::string failure;
  };
  struct Queued {
    std::string plugin_id;
    LogEntry entry;
  };
  struct Written {
    std::string plugin_id;
    std::uint64_t seq = 0;
  };
  struct Shared;

  static void drain(Shared& shared, const std::string* detached = nullptr);
  static void writeToServer(Shared& shared, const Queued& line);
  /// Says how many lines the server log lacks: of one plugin, or of all whose minute is over.
  static void tellLeftOut(Shared& shared, const std::string* plugin_id);
  static void writeOne(Shared& shared, const Queued& line, std::vector<Written>& written);
  /// False when the line is lost.
  [[nodiscard]] static bool appendLine(Shared& shared, Log& log, const Queued& line,
                                       std::vector<Written>& written);

  IWorkerPool& workers_;
  std::filesystem::path directory_;
  SecretMask mask_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace svc::plugins
