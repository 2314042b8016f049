#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <spdlog/logger.h>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/storage/terminal_store.h"

namespace svc::terminals {

/// Makes records durable, in the order in which they change, behind the back of who changes them. What changes while a write is on its
/// way is written together. Thread-safe.
class Journal : public std::enable_shared_from_this<Journal> {
 public:
  Journal(storage::ITerminalStore& store, IBulkWorkers& workers,
          std::shared_ptr<spdlog::logger> log)
      : store_(store), workers_(workers), log_(std::move(log)) {}

  void put(const storage::TerminalRow& row);
  void remove(const std::string& id);
  /// Fires when everything so far is written, or could not be. Any thread.
  void flush(Completion<void> done);

 private:
  void change(const std::string& id, std::optional<storage::TerminalRow> row);
  void writeAll();
  void begin();

  storage::ITerminalStore& store_;
  IBulkWorkers& workers_;
  const std::shared_ptr<spdlog::logger> log_;
  std::mutex mutex_;
  /// No row = it goes. Guarded, as what follows.
  std::map<std::string, std::optional<storage::TerminalRow>> waiting_;
  bool writing_ = false;
  Completion<void> flushed_;
};

}  // namespace svc::terminals
