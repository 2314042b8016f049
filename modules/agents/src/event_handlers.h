#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"

namespace svc::agents {

/// The handlers of events that loads of plugins have, by the ids that these give them. Each is told by itself: a load may have thousands, and
/// change them while it runs. Thread-safe.
class EventHandlers : public std::enable_shared_from_this<EventHandlers> {
 public:
  /// The load's handlers go with the handle.
  [[nodiscard]] Handle keep(std::uint64_t load_id);
  void add(std::uint64_t load_id, const std::string& event, std::int64_t id);
  void remove(std::uint64_t load_id, const std::string& event, std::int64_t id);
  /// Ascending.
  [[nodiscard]] std::vector<std::int64_t> of(std::uint64_t load_id, const std::string& event) const;

 private:
  using OfLoad = std::map<std::string, std::set<std::int64_t>>;  ///< by event

  mutable std::mutex mutex_;
  std::map<std::uint64_t, OfLoad> loads_;
};

}  // namespace svc::agents
