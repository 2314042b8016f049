#include "socket_table.h"

#include <utility>

#include "plugin_socket.h"

namespace svc::routes {

bool SocketTable::add(const std::string& id, std::shared_ptr<PluginSocket> socket) {
  const std::scoped_lock lock(mutex_);
  if (closed_) {
    return false;
  }
  sockets_.emplace(id, std::move(socket));
  return true;
}

std::shared_ptr<PluginSocket> SocketTable::find(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second;
}

void SocketTable::remove(const std::string& id) {
  std::vector<Completion<void>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    sockets_.erase(id);
    if (sockets_.empty()) {
      waiting.swap(waiting_);
    }
  }
  for (auto& done : waiting) {
    done({});
  }
}

void SocketTable::closeAll(Completion<void> done) {
  std::vector<std::shared_ptr<PluginSocket>> sockets;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    for (const auto& [id, socket] : sockets_) {
      sockets.push_back(socket);
    }
    if (!sockets.empty()) {
      waiting_.push_back(std::move(done));
      done = Completion<void>();
    }
  }
  for (const auto& socket : sockets) {
    socket->close(kServiceRestart, kGoneReason);
  }
  done({});  // nothing is left of it when there are sockets to wait for
}

}  // namespace svc::routes
