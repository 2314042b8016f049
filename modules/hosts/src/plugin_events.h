#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "svc/common/limits/hosts.h"
#include "svc/plugins/plugins.h"

#include "loads.h"
#include "sessions.h"

namespace svc::hosts {

/// What workers say without being asked: signals and unexpected exits go to the plugin's script, lines to its log. Only what
/// the session's own host says about an artifact that is current counts. Lives on the io thread.
///
/// A plugin that does not take its events as fast as they come has at most kWaiting of them, with kWaitingBytes of payloads,
/// before it: what comes beyond is dropped, with one line in its log until it has caught up.
class PluginEvents final : public ISessionListener {
 public:
  /// Three quarters of the calls an environment takes at a time: the rest is for everybody else who calls the plugin.
  static constexpr std::size_t kWaiting = 49'152;
  static constexpr std::size_t kWaitingBytes = 2 * limits::kHostActiveBytes;

  PluginEvents(const Loads& loads, plugins::IPluginLogs& logs) : loads_(loads), logs_(logs) {}

  void sessionOpened(Session& session) override;
  void sessionEnded(Session& session, const std::string& why) override;
  void messageArrived(Session& session, const DaemonMessage& message) override;

 private:
  void signalled(const std::string& host_id, const HostSignal& signal);
  void exited(const std::string& host_id, const WorkerExit& exit);
  void logged(const std::string& host_id, const WorkerLog& log);
  void deliver(Load& load, const std::string& host_id, const std::string* signal,
               std::string_view payload);

  const Loads& loads_;
  plugins::IPluginLogs& logs_;
};

}  // namespace svc::hosts
