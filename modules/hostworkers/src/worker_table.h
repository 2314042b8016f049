#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "svc/serverlink/server_link.h"

#include "plugin_worker.h"

namespace svc::hostworkers {

/// The workers of all plugins on this machine, as the server's commands address them. Main thread.
class WorkerTable final {
 public:
  explicit WorkerTable(WorkerServices services) : services_(std::move(services)) {}
  WorkerTable(const WorkerTable&) = delete;
  WorkerTable& operator=(const WorkerTable&) = delete;

  /// Takes the commands of host entries and the news of sessions.
  void attach(serverlink::IServerLink& link);
  /// Stops all workers at once; later calls are refused.
  void drain(Completion<void> done);

 private:
  [[nodiscard]] PluginWorker& workerOf(const std::string& plugin_id);
  void call(std::string command, Completion<std::string> done);
  void cancel(const std::string& command, Completion<std::string> done);
  void dispose(const std::string& command, Completion<std::string> done);
  void sessionOpened(const std::vector<serverlink::PluginGeneration>& current);

  WorkerServices services_;
  std::map<std::string, std::shared_ptr<PluginWorker>> workers_;
  /// Plugins whose last version ended: their files go unless they come back.
  std::map<std::string, Handle> removals_;
  /// Removes the files of plugins that the server does not have.
  Handle sweep_;
  bool closed_ = false;
  std::vector<Handle> registrations_;
};

}  // namespace svc::hostworkers
