#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "starter.h"
#include "terminal.h"

namespace svc::pty {

/// The terminals of this machine and what the server says about them. On the io thread. Those that have ended stay, with their
/// output, until the server knows; beyond kEndedKept the oldest goes.
class Terminals : public std::enable_shared_from_this<Terminals> {
 public:
  static constexpr std::size_t kEndedKept = 64;

  struct Surroundings {
    /// Shared, for programs that are being started when all of this goes.
    std::shared_ptr<boost::asio::io_context> io;
    IBulkWorkers& workers;
    std::shared_ptr<Starter> starter;
    std::function<void(std::string message)> send;
    std::function<std::string()> server_url;
  };
  explicit Terminals(Surroundings at)
      : at_(std::move(at)), pace_(std::make_shared<Pace>(*at_.io)) {}

  // Commands; JSON text of the command and of the result.
  void open(const std::string& command, Completion<std::string> done);
  void close(const std::string& command, Completion<std::string> done);
  void resume(const std::string& command, Completion<std::string> done);

  // Messages.
  void input(const std::string& message);
  void resize(const std::string& message);
  void acknowledge(const std::string& message);

  void sessionLost();
  /// Ends all of them; fires when nothing of them is left. No more are opened.
  void shutDown(Completion<void> done);

 private:
  [[nodiscard]] TerminalPtr find(const std::string& id) const;
  [[nodiscard]] std::size_t live() const;
  void started(const std::string& id, std::uint64_t session, Result<Started> started,
               Completion<std::string> done);
  void gone(const std::string& id);
  void dropOldest();

  Surroundings at_;
  const std::shared_ptr<Pace> pace_;
  std::map<std::string, TerminalPtr> terminals_;
  /// Those that have ended and are kept, the oldest first.
  std::list<std::string> ended_;
  std::size_t starting_ = 0;
  /// Counts those that were lost.
  std::uint64_t session_ = 0;
  bool stopping_ = false;
  Completion<void> stopped_;
};

}  // namespace svc::pty
