#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "svc/plugins/plugins.h"

#include "plugin_routes.h"
#include "socket_table.h"

namespace svc::routes {

class HttpCall;

/// Requests that are being answered, by the id their script knows them by. Thread-safe.
class CallTable {
 public:
  [[nodiscard]] std::string add(std::shared_ptr<HttpCall> call) {
    const std::scoped_lock lock(mutex_);
    auto id = std::to_string(++last_);
    calls_.emplace(id, std::move(call));
    return id;
  }
  [[nodiscard]] std::shared_ptr<HttpCall> find(const std::string& id) const {
    const std::scoped_lock lock(mutex_);
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second;
  }
  void remove(const std::string& id) {
    std::shared_ptr<HttpCall> removed;  // its end may call foreign code
    const std::scoped_lock lock(mutex_);
    if (const auto found = calls_.find(id); found != calls_.end()) {
      removed = std::move(found->second);
      calls_.erase(found);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::string, std::shared_ptr<HttpCall>> calls_;
};

/// This channel's share of one load of a plugin. Lives as long as the environment of the load, or a request of it.
/// Thread-safe.
struct LoadState {
  /// For calls that no lease covers: those of sockets.
  const std::weak_ptr<plugins::IGeneration> generation;
  PluginRoutes routes{};
  CallTable calls{};
  SocketTable sockets{};
};
using LoadStatePtr = std::shared_ptr<LoadState>;

/// Every load by its id. Thread-safe.
class Loads {
 public:
  [[nodiscard]] LoadStatePtr create(std::uint64_t load_id,
                                    std::weak_ptr<plugins::IGeneration> generation) {
    LoadStatePtr state(new LoadState{.generation = std::move(generation)});
    const std::scoped_lock lock(mutex_);
    std::erase_if(loads_, [](const auto& entry) { return entry.second.expired(); });
    loads_[load_id] = state;
    return state;
  }
  /// Null when the load has ended.
  [[nodiscard]] LoadStatePtr find(std::uint64_t load_id) const {
    const std::scoped_lock lock(mutex_);
    const auto found = loads_.find(load_id);
    return found == loads_.end() ? nullptr : found->second.lock();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<LoadState>> loads_;
};

}  // namespace svc::routes
