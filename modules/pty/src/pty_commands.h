#pragma once

#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "svc/serverlink/server_link.h"

#include "terminals.h"

namespace svc::pty {

/// The thread of the terminals, and their way from and to the server. Main thread.
class PtyCommands {
 public:
  PtyCommands(serverlink::IServerLink& link, IMainExecutor& main, IBulkWorkers& workers,
              const std::shared_ptr<Starter>& starter);
  PtyCommands(const PtyCommands&) = delete;
  PtyCommands& operator=(const PtyCommands&) = delete;
  ~PtyCommands();

  /// Ends every terminal; `done` on main.
  void drain(Completion<void> done);

 private:
  using Command = void (Terminals::*)(const std::string&, Completion<std::string>);
  using Message = void (Terminals::*)(const std::string&);

  void onCommand(serverlink::IServerLink& link, std::string_view type, Command command);
  void onMessage(serverlink::IServerLink& link, std::string_view type, Message message);

  IMainExecutor& main_;
  const std::shared_ptr<boost::asio::io_context> io_ = std::make_shared<boost::asio::io_context>(1);
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::shared_ptr<Terminals> terminals_;
  std::thread thread_;
  std::vector<Handle> registrations_;
};

}  // namespace svc::pty
