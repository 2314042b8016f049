#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/service_id.h"

namespace svc::threads {

/// A thread as other modules see it. A value: a snapshot. An empty text is none.
struct ThreadInfo {
  std::string id{};
  std::string project_id{};
  std::string environment_id{};
  std::string provider_id{};
  std::string title{};  ///< what people see
  std::string status{};
  bool archived = false;
  bool hidden = false;
};

/// The threads there are; deleted ones are gone. Thread-safe and quick (any thread): everything is in memory.
class IThreads {
 public:
  static constexpr ServiceId kId{"svc.threads.Threads", 1};
  virtual ~IThreads() = default;

  /// Ascending by id, which is by age.
  [[nodiscard]] virtual std::vector<ThreadInfo> list() const = 0;
  [[nodiscard]] virtual std::optional<ThreadInfo> find(std::string_view thread_id) const = 0;
  /// The record of the contract; null for one that is unknown.
  [[nodiscard]] virtual common::Json record(std::string_view thread_id) const = 0;
  /// A visible thread is unread or waits for input.
  [[nodiscard]] virtual bool hasAttention() const = 0;
  /// Tells who follows this thread that its terminals are others now; nobody of one that is unknown.
  virtual void tellTerminals(std::string_view thread_id) = 0;
};

}  // namespace svc::threads
