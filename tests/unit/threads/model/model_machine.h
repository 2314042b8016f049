#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/unique_function.h"
#include "svc/providers/agent_sessions.h"

#include "dice.h"
#include "mortal_store.h"

namespace svc::threads::model {

using providers::AgentEvent;
using providers::OpenSession;
using providers::SessionRequest;

/// A machine with agents that do what the dice say. Commands of one session are done in their order, and answered; what an agent says
/// waits until it is delivered. Both may take as long as they want.
class ModelMachine final : public providers::IAgentSessions {
 public:
  ModelMachine(Dice& dice, MortalStore& store, StoreWatch& watch)
      : dice_(dice), store_(store), watch_(watch) {}

  Result<std::string> choose(const std::string& id) const override {
    return id.empty() ? "agent" : id;
  }
  void open(SessionRequest request, Completion<OpenSession> done) override;
  void set(const std::string& session, common::Json execution, agents::AgentContext context,
           Completion<void> done) override;
  void prompt(const std::string& session, const std::string& turn_id, const std::string& request_id,
              common::Json input, Completion<void> done) override;
  void cancel(const std::string& session, Completion<void> done) override;
  void granted(const std::string& /*session*/, Completion<std::vector<std::string>> done) override {
    done(std::vector<std::string>());
  }
  void answer(const std::string& session, const std::string& question_id, common::Json answer,
              Completion<void> done) override;
  void close(const std::string& session, Completion<void> done) override;
  Handle onEvent(EventListener listener) override;

  /// Each does one thing somewhere; false when there is nothing to do. Kind ones do nothing but what is wanted.
  bool doCommand(bool kind);
  bool say(bool kind);
  bool deliver();
  /// Delivers an event once more that was taken already.
  bool deliverAgain();
  /// The connection was lost: what is open is told as it is.
  bool tellAgain();
  /// All sessions end, as far as the server can know.
  void lose(bool away);
  /// The server is no more: nobody waits for an answer, and its sessions end.
  void forgetServer();

  bool away = false;
  /// Marks of events that were taken from sessions in use, by thread.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& taken() const {
    return taken_;
  }

 private:
  struct Command {
    std::string name{};
    std::string turn_id{};
    std::string question{};
    Completion<void> done{};
    Completion<OpenSession> opened{};
  };
  struct Item {
    std::string id;
    std::string type;
    std::string text;
  };
  struct Session {
    std::string id{};
    std::string thread_id{};
    bool runs = false;
    bool unwanted = false;  ///< the server has closed it
    std::string turn_id{};
    std::set<std::string> had{};  ///< turns
    std::int64_t seq = 0;
    std::deque<AgentEvent> unsent{};
    std::vector<AgentEvent> sent{};
    std::vector<Item> items{};
    std::vector<std::string> questions{};
    std::deque<Command> commands{};
  };

  Session* find(const std::string& id);
  /// One of those that have what the test asks for; nullptr when there is none.
  template <class Test>
  Session* pick(Test test);
  void post(const std::string& session, Command command);
  [[nodiscard]] Status outcome(Session& session, Command& command, bool kind);
  Status perform(Session& session, const Command& command);
  void tell(Session& session, const std::string& type, common::Json data);
  void beginItem(Session& session);
  void growItem(Session& session);
  void endItem(Session& session, std::size_t at, const char* status);
  void endTurn(Session& session, const char* status);
  void end(Session& session, std::string_view reason);
  [[nodiscard]] static common::Json jsonOf(const Item& item, const char* status);
  std::string mark() { return std::to_string(++marks_); }

  Dice& dice_;
  MortalStore& store_;
  StoreWatch& watch_;
  std::deque<Session> sessions_;
  EventListener listener_;
  std::map<std::string, std::vector<std::string>> taken_;
  std::set<std::string> begun_;  ///< turns that any agent has begun
  int marks_ = 0;
};

}  // namespace svc::threads::model
