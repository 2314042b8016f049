#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "svc/kernel/completion.h"

namespace svc::routes {

class PluginSocket;

/// The open WebSockets of one load, by the id their script knows them by. Thread-safe.
class SocketTable {
 public:
  /// False once closeAll() was called: the socket came too late.
  [[nodiscard]] bool add(const std::string& id, std::shared_ptr<PluginSocket> socket);
  [[nodiscard]] std::shared_ptr<PluginSocket> find(const std::string& id) const;
  void remove(const std::string& id);
  /// Closes every socket, and those still to come. `done` fires when the last one has been told; on any thread.
  void closeAll(Completion<void> done);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<PluginSocket>> sockets_;
  bool closed_ = false;
  std::vector<Completion<void>> waiting_;
};

}  // namespace svc::routes
