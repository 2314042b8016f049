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
  struct Load {
    std::string plugin_id;
    std::uint64_t id = 0;
  };
  /// The load's handlers go with the handle.
  [[nodiscard]] Handle keep(const Load& load);
  void add(const Load& load, const std::string& event, std::int64_t id);
  void remove(const Load& load, const std::string& event, std::int64_t id);
  /// Ascending.
  [[nodiscard]] std::vector<std::int64_t> of(const Load& load, const std::string& event) const;
  /// Whether some load of the plugin has a handler, also one that has yet to take over.
  [[nodiscard]] bool isHeard(const std::string& plugin_id, const std::string& event) const;

 private:
  using OfLoad = std::map<std::string, std::set<std::int64_t>>;  ///< by event

  [[nodiscard]] const std::set<std::int64_t>* find(const Load& load,
                                                   const std::string& event) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::uint64_t, OfLoad>> plugins_;
};

}  // namespace svc::agents
