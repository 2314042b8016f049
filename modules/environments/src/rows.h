#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/storage/environment_store.h"

namespace svc::environments {

/// The rows in memory, and their way into the store: one write at a time, with all that has changed meanwhile. Thread-safe; shared, because
/// writes that are under way keep it.
class Rows : public std::enable_shared_from_this<Rows> {
 public:
  Rows(storage::IEnvironmentStore& store, IWorkerPool& workers, IExecutor& io)
      : store_(store), workers_(workers), io_(io) {}

  /// Blocks.
  [[nodiscard]] Status open();
  [[nodiscard]] std::optional<storage::EnvironmentRow> find(std::string_view id) const;
  /// In the order they were made.
  [[nodiscard]] std::vector<storage::EnvironmentRow> list() const;
  /// In memory at once; `stored` fires on io when it is durable, or says why it is not. What is not durable is written with the next.
  void put(storage::EnvironmentRow row, Completion<void> stored = {});

 private:
  void write();
  void written(const Status& status, std::vector<Completion<void>> waiting);

  storage::IEnvironmentStore& store_;
  IWorkerPool& workers_;
  IExecutor& io_;
  mutable std::mutex mutex_;
  std::map<std::string, storage::EnvironmentRow, std::less<>> rows_;
  std::set<std::string> dirty_;
  std::vector<Completion<void>> waiting_;
  bool writing_ = false;
};

}  // namespace svc::environments
