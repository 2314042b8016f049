#pragma once

#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "svc/serverlink/server_link.h"

#include "agents.h"

namespace svc::agentd {

/// The thread of the agents, and their way from and to the server. Main thread.
class AgentCommands {
 public:
  struct Options {
    base::Environment own;
    std::filesystem::path bin;
    /// Where the marks of those that run are.
    std::filesystem::path runs;
    /// Where pictures that agents send are.
    std::filesystem::path pictures;
    /// Where skills of the server are.
    std::filesystem::path skills;
    std::string version;
  };
  AgentCommands(serverlink::IServerLink& link, IMainExecutor& main, IBulkWorkers& workers,
                const IClock& clock, Options options);
  AgentCommands(const AgentCommands&) = delete;
  AgentCommands& operator=(const AgentCommands&) = delete;
  ~AgentCommands();

  /// Ends every agent; `done` on main.
  void drain(Completion<void> done);

 private:
  using Command = void (Agents::*)(const std::string&, Completion<std::string>);

  void onCommand(serverlink::IServerLink& link, std::string_view type, Command command);

  IMainExecutor& main_;
  const std::shared_ptr<boost::asio::io_context> io_ = std::make_shared<boost::asio::io_context>(1);
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::shared_ptr<Agents> agents_;
  std::thread thread_;
  std::vector<Handle> registrations_;
};

/// A timer of the io thread; cancelling it there is certain.
[[nodiscard]] Handle afterOn(boost::asio::io_context& io, std::chrono::milliseconds delay,
                             Task task);

/// The commands, for who refuses them.
[[nodiscard]] std::vector<std::string_view> agentCommandTypes();

}  // namespace svc::agentd
