#include "agent_commands.h"

#include <pthread.h>

#include <array>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"
#include "svc/kernel/thread_role.h"

#include "pictures.h"

namespace svc::agentd {
namespace {

namespace command = hostprotocol::command;

struct CommandRow {
  std::string_view type;
  void (Agents::*run)(const std::string&, Completion<std::string>);
};
constexpr std::array kCommands{
    CommandRow{command::kAgentProviders, &Agents::listProviders},
    CommandRow{command::kAgentOpen, &Agents::open},
    CommandRow{command::kAgentPrompt, &Agents::prompt},
    CommandRow{command::kAgentCancel, &Agents::cancel},
    CommandRow{command::kAgentAnswer, &Agents::answer},
    CommandRow{command::kAgentSet, &Agents::set},
    CommandRow{command::kAgentClose, &Agents::close},
    CommandRow{command::kAgentResume, &Agents::resume},
};

}  // namespace

std::vector<std::string_view> agentCommandTypes() {
  std::vector<std::string_view> types;
  for (const auto& row : kCommands) {
    types.push_back(row.type);
  }
  return types;
}

Handle afterOn(boost::asio::io_context& io, std::chrono::milliseconds delay, Task task) {
  struct Timer {
    boost::asio::steady_timer timer;
    Task task;
  };
  const auto timer = std::make_shared<Timer>(Timer{boost::asio::steady_timer(io), std::move(task)});
  timer->timer.expires_after(delay);
  timer->timer.async_wait([timer](const boost::system::error_code& failed) {
    if (auto due = std::exchange(timer->task, nullptr); due && !failed) {
      due();
    }
  });
  return Handle([weak = std::weak_ptr(timer)] {
    if (const auto cancelled = weak.lock()) {
      cancelled->task = nullptr;
      cancelled->timer.cancel();
    }
  });
}

AgentCommands::AgentCommands(serverlink::IServerLink& link, IMainExecutor& main,
                             IBulkWorkers& workers, const IClock& clock, Options options)
    : main_(main), work_(io_->get_executor()) {
  const auto starter = std::make_shared<AgentStarter>(
      std::move(options.own), std::move(options.bin), std::move(options.runs));
  const auto skills = std::make_shared<SkillFolders>(
      std::move(options.skills),
      SkillFolders::With{
          .io = io_,
          .workers = workers,
          .fetch = [&link](const auto& tree, const auto& file, auto limit, auto done) {
            link.download(
                "/internal/skills/tree/" + tree, file, limit,
                [done = std::move(done)](const Result<serverlink::Download>& got) mutable {
                  done(got ? Status() : got.error());
                });
          }});
  agents_ = std::make_shared<Agents>(Agents::Surroundings{
      .io = io_,
      .workers = workers,
      .starter = starter,
      .providers = std::make_shared<Providers>(starter, clock),
      .skills = skills,
      .send = [&link](std::string message) { link.send(std::move(message)); },
      .server_url = [&link] { return link.serverUrl(); },
      .now_ms = [&clock] { return clock.nowMs(); },
      .after = [io = io_.get()](auto delay,
                                Task task) { return afterOn(*io, delay, std::move(task)); },
      .version = std::move(options.version),
      .keep_picture =
          [pictures = std::make_shared<Pictures>(
               std::move(options.pictures),
               Pictures::Limits{.one = limits::kAgentPicture, .all = limits::kAgentPicturesKept})](
              std::string_view base64) { return pictures->keep(base64); }});
  // Also when no agent is ever started again. A full lane only means that the first start does it.
  (void)workers.submit([starter](const auto& /*stop*/) { starter->endLeftovers(); });
  skills->sweep();
  for (const auto& row : kCommands) {
    onCommand(link, row.type, row.run);
  }
  registrations_.push_back(link.onMessage(
      std::string(hostprotocol::to_daemon::kAgentAck), [this](const std::string& text) {
        boost::asio::post(*io_, [agents = agents_.get(), text] { agents->acknowledge(text); });
      }));
  registrations_.push_back(link.onSessionLost(
      [this] { boost::asio::post(*io_, [agents = agents_.get()] { agents->sessionLost(); }); }));
  registrations_.push_back(link.onRefused(
      [this] { boost::asio::post(*io_, [agents = agents_.get()] { agents->refused(); }); }));
  thread_ = std::thread([this] {
    setThreadRole(ThreadRole::kIo);
    io_->run();
  });
  pthread_setname_np(thread_.native_handle(), "agent-io");
}

AgentCommands::~AgentCommands() {
  registrations_.clear();
  // What is posted and does not run any more goes with the context, and does not keep the agents, which keep the context.
  work_.reset();
  io_->stop();
  thread_.join();
  agents_.reset();
}

void AgentCommands::onCommand(serverlink::IServerLink& link, std::string_view type,
                              Command command) {
  registrations_.push_back(link.onCommand(
      std::string(type), [this, command](std::string text, Completion<std::string> done) {
        auto answer = std::make_shared<Completion<std::string>>(std::move(done));
        boost::asio::post(*io_, [agents = agents_.get(), command, text = std::move(text), answer] {
          (agents->*command)(text, std::move(*answer));
        });
      }));
}

void AgentCommands::drain(Completion<void> done) {
  auto answer = std::make_shared<Completion<void>>(std::move(done));
  boost::asio::post(*io_, [agents = agents_.get(), answer, &main = main_] {
    agents->shutDown([answer, &main](const Status& status) {
      main.post([answer, status] { (*answer)(status); });
    });
  });
}

}  // namespace svc::agentd
