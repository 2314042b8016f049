#include "pty_commands.h"

#include <pthread.h>

#include <utility>

#include <boost/asio/post.hpp>

#include "svc/hostprotocol/protocol.h"
#include "svc/kernel/thread_role.h"

namespace svc::pty {

PtyCommands::PtyCommands(serverlink::IServerLink& link, IMainExecutor& main, IBulkWorkers& workers,
                         const std::shared_ptr<Starter>& starter)
    : main_(main),
      work_(io_->get_executor()),
      terminals_(std::make_shared<Terminals>(Terminals::Surroundings{
          .io = io_,
          .workers = workers,
          .starter = starter,
          .send = [&link](std::string message) { link.send(std::move(message)); },
          .server_url = [&link] { return link.serverUrl(); }})) {
  // Also when no terminal is ever opened again. A full lane only means that the first does it.
  (void)workers.submit([starter](const auto& /*stop*/) { starter->endLeftovers(); });
  onCommand(link, hostprotocol::command::kTerminalOpen, &Terminals::open);
  onCommand(link, hostprotocol::command::kTerminalClose, &Terminals::close);
  onCommand(link, hostprotocol::command::kTerminalResume, &Terminals::resume);
  onMessage(link, hostprotocol::to_daemon::kTerminalInput, &Terminals::input);
  onMessage(link, hostprotocol::to_daemon::kTerminalResize, &Terminals::resize);
  onMessage(link, hostprotocol::to_daemon::kTerminalAck, &Terminals::acknowledge);
  registrations_.push_back(link.onSessionLost([this] {
    boost::asio::post(*io_, [terminals = terminals_.get()] { terminals->sessionLost(); });
  }));
  thread_ = std::thread([this] {
    setThreadRole(ThreadRole::kIo);
    io_->run();
  });
  pthread_setname_np(thread_.native_handle(), "pty-io");
}

PtyCommands::~PtyCommands() {
  registrations_.clear();
  // What is posted and does not run any more goes with the context, and does not keep the terminals, which keep the context.
  work_.reset();
  io_->stop();
  thread_.join();
  terminals_.reset();
}

void PtyCommands::onCommand(serverlink::IServerLink& link, std::string_view type, Command command) {
  registrations_.push_back(link.onCommand(
      std::string(type), [this, command](std::string text, Completion<std::string> done) {
        auto answer = std::make_shared<Completion<std::string>>(std::move(done));
        boost::asio::post(*io_, [terminals = terminals_.get(), command, text = std::move(text),
                                 answer] { (terminals->*command)(text, std::move(*answer)); });
      }));
}

void PtyCommands::onMessage(serverlink::IServerLink& link, std::string_view type, Message message) {
  registrations_.push_back(
      link.onMessage(std::string(type), [this, message](const std::string& text) {
        boost::asio::post(
            *io_, [terminals = terminals_.get(), message, text] { (terminals->*message)(text); });
      }));
}

void PtyCommands::drain(Completion<void> done) {
  auto answer = std::make_shared<Completion<void>>(std::move(done));
  boost::asio::post(*io_, [terminals = terminals_.get(), answer, &main = main_] {
    terminals->shutDown([answer, &main](const Status& status) {
      main.post([answer, status] { (*answer)(status); });
    });
  });
}

}  // namespace svc::pty
