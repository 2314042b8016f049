#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "agent_starter.h"
#include "event_log.h"
#include "providers.h"
#include "session.h"

namespace svc::agentd {

/// The sessions of this machine and what the server says about them. On the io thread. Those that have ended stay until the server has
/// stored their end; beyond kEndedKept the oldest goes.
class Agents : public std::enable_shared_from_this<Agents> {
 public:
  static constexpr std::size_t kEndedKept = 64;

  struct Surroundings {
    /// Shared, for programs that are being started when all of this goes.
    std::shared_ptr<boost::asio::io_context> io;
    IBulkWorkers& workers;
    std::shared_ptr<AgentStarter> starter;
    std::shared_ptr<Providers> providers;
    std::shared_ptr<SkillFolders> skills;
    std::function<void(std::string message)> send;
    std::function<std::string()> server_url;
    std::function<std::int64_t()> now_ms;
    std::function<Handle(std::chrono::milliseconds delay, Task task)> after;
    std::string version;
    KeepPicture keep_picture;
  };
  explicit Agents(Surroundings at) : at_(std::move(at)) {}

  // Commands; JSON text of the command and of the result.
  void listProviders(const std::string& command, Completion<std::string> done);
  void open(const std::string& command, Completion<std::string> done);
  void prompt(const std::string& command, Completion<std::string> done);
  void cancel(const std::string& command, Completion<std::string> done);
  void answer(const std::string& command, Completion<std::string> done);
  void set(const std::string& command, Completion<std::string> done);
  void close(const std::string& command, Completion<std::string> done);
  void resume(const std::string& command, Completion<std::string> done);

  void acknowledge(const std::string& message);
  void sessionLost();
  /// The server has nothing to do with this machine any more: all sessions end, and others may follow.
  void refused();
  /// Ends all of them; fires when nothing of them is left. No more are opened.
  void shutDown(Completion<void> done);

 private:
  struct Entry {
    std::shared_ptr<Session> session;
    std::shared_ptr<EventLog> log;
    std::string mark;
    /// Its skills, until they are there.
    std::shared_ptr<Completion<skillfiles::Stage>> staging{};
    Handle staging_timer{};
    skillfiles::Stage skills{};
    /// Its program is being started, or has not ended.
    bool lives = true;
  };

  [[nodiscard]] Entry* find(const std::string& id);
  [[nodiscard]] std::size_t live() const;
  [[nodiscard]] Status mayOpen(const SessionRequest& request);
  Entry& add(SessionRequest request, const Preset* preset);
  void stageSkills(const std::string& id, std::vector<WantedSkill> skills, Task then);
  void launch(const SessionRequest& wanted, const Preset* preset, Completion<std::string> done);
  void started(const std::string& id, Result<SpawnedAgent> spawned, Completion<std::string> done);
  void endSession(const std::string& id, const Error& why);
  void endAll(const Error& why);
  void tellStopped();
  void told(const std::string& id, AgentEvent event);
  void gone(const std::string& id);
  void forgetWhenSettled(const std::string& id);
  /// The session of a command, or nothing after the error was answered.
  [[nodiscard]] std::shared_ptr<Session> sessionOf(const common::Json& command,
                                                   Completion<std::string>& done);
  [[nodiscard]] static common::Json describe(const Entry& entry);

  Surroundings at_;
  std::map<std::string, Entry> entries_;
  /// Turns that agents have had, by the session that did; the newest last.
  std::deque<std::pair<std::string, std::string>> prompted_;
  /// Those that have ended and are kept, the oldest first.
  std::list<std::string> ended_;
  bool stopping_ = false;
  Completion<void> stopped_;
};

}  // namespace svc::agentd
