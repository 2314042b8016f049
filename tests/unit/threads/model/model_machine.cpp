#include "model_machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::threads::model {

using common::Json;

void ModelMachine::open(SessionRequest request, Completion<OpenSession> done) {
  if (store_.dead) {
    return;
  }
  auto& session =
      sessions_.emplace_back(Session{.id = request.session, .thread_id = request.thread_id});
  session.commands.push_back({.name = "open", .opened = std::move(done)});
}

void ModelMachine::post(const std::string& id, Command command) {
  if (store_.dead) {
    return;
  }
  auto* session = find(id);
  if (session == nullptr) {
    return watch_.blame("a command for a session that was never opened");
  }
  session->commands.push_back(std::move(command));
}

void ModelMachine::set(const std::string& session, Json /*execution*/,
                       agents::AgentContext /*context*/, Completion<void> done) {
  post(session, {.name = "set", .done = std::move(done)});
}

void ModelMachine::prompt(const std::string& session, const std::string& turn_id,
                          const std::string& request_id, Json input, Completion<void> done) {
  if (!store_.dead) {
    const auto turn = watch_.turns.find(request_id);
    const auto& log =
        watch_.log(turn == watch_.turns.end() ? std::string() : turn->second.thread_id);
    const bool known =
        turn != watch_.turns.end() && turn->second.turn_id == turn_id &&
        Json::parse(log.at(static_cast<std::size_t>(turn->second.requested_seq) - 1).data)
                .value()["input"] == input;
    if (!known) {
      watch_.blame("an agent is told something that is not in the log");
    }
  }
  post(session, {.name = "prompt", .turn_id = turn_id, .done = std::move(done)});
}

void ModelMachine::cancel(const std::string& session, Completion<void> done) {
  post(session, {.name = "cancel", .done = std::move(done)});
}

void ModelMachine::answer(const std::string& session, const std::string& question_id,
                          Json /*answer*/, Completion<void> done) {
  post(session, {.name = "answer", .question = question_id, .done = std::move(done)});
}

void ModelMachine::close(const std::string& session, Completion<void> done) {
  if (auto* known = find(session); known != nullptr && !store_.dead) {
    known->unwanted = true;
  }
  post(session, {.name = "close", .done = std::move(done)});
}

Handle ModelMachine::onEvent(EventListener listener) {
  listener_ = std::move(listener);
  return Handle([this] { listener_ = nullptr; });
}

ModelMachine::Session* ModelMachine::find(const std::string& id) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&id](const auto& each) { return each.id == id; });
  return found == sessions_.end() ? nullptr : &*found;
}

template <class Test>
ModelMachine::Session* ModelMachine::pick(Test test) {
  std::vector<Session*> fit;
  for (auto& session : sessions_) {
    if (test(session)) {
      fit.push_back(&session);
    }
  }
  return fit.empty() ? nullptr : dice_.oneOf(fit);
}

bool ModelMachine::doCommand(bool kind) {
  auto* session = pick([](const Session& each) { return !each.commands.empty(); });
  if (session == nullptr) {
    return false;
  }
  auto command = std::move(session->commands.front());
  session->commands.pop_front();
  const auto id = session->id;
  const auto done = outcome(*session, command, kind);
  if (command.name == "open") {
    command.opened(done ? Result<OpenSession>(OpenSession{.agent_session = "agent-" + id,
                                                          .can_go_on = dice_.chance(80)})
                        : done.error());
  } else {
    command.done(done);
  }
  return true;
}

/// What the server hears of a command is not always what has become of it.
Status ModelMachine::outcome(Session& session, Command& command, bool kind) {
  const auto luck = kind ? 0 : dice_.roll(100);
  const Error unreachable{errc::kHostUnavailable, "the machine is away"};
  if (away || luck >= 92) {
    return unreachable;
  }
  if (luck >= 88 && command.name != "close") {
    return Error{errc::kUnavailable, "the agent refuses"};
  }
  auto done = perform(session, command);
  return luck >= 84 && command.name != "open" ? Status(unreachable) : done;
}

Status ModelMachine::perform(Session& session, const Command& command) {
  if (command.name == "open") {
    session.runs = true;
    tell(session, "thread/identity", Json::object());
    return {};
  }
  if (!session.runs) {
    return Error{errc::kNotFound, "there is no such session"};
  }
  if (command.name == "prompt") {
    if (!session.had.contains(command.turn_id)) {
      if (!session.turn_id.empty()) {
        return Error{errc::kConflict, "another turn runs"};
      }
      if (!begun_.insert(command.turn_id).second) {
        watch_.blame("a second agent begins the turn " + command.turn_id);
      }
      session.had.insert(command.turn_id);
      session.turn_id = command.turn_id;
      tell(session, "turn/started", Json::object().set("turnId", command.turn_id));
    }
  } else if (command.name == "cancel") {
    if (!session.turn_id.empty()) {
      endTurn(session, dice_.chance(80) ? "interrupted" : "completed");
    }
  } else if (command.name == "answer") {
    if (std::erase(session.questions, command.question) == 0) {
      return Error{errc::kConflict, "the question is open no more"};
    }
  } else if (command.name == "close") {
    end(session, "closed");
  }
  return {};
}

void ModelMachine::tell(Session& session, const std::string& type, Json data) {
  session.unsent.push_back({.thread_id = session.thread_id,
                            .session = session.id,
                            .seq = ++session.seq,
                            .type = type,
                            .turn_id = type == "thread/identity" ? std::string() : session.turn_id,
                            .data = data.set("mark", mark())});
}

Json ModelMachine::jsonOf(const Item& item, const char* status) {
  auto out = Json::object().set("id", item.id).set("type", item.type);
  if (item.type == "agentMessage") {
    return out.set("text", item.text);
  }
  return out.set("command", "make").set("aggregatedOutput", item.text).set("status", status);
}

bool ModelMachine::say(bool kind) {
  auto* session = pick([](const Session& each) { return each.runs && !each.turn_id.empty(); });
  if (session == nullptr) {
    return false;
  }
  const auto what = kind ? 99 : dice_.roll(100);
  if (what < 25) {
    beginItem(*session);
  } else if (what < 45) {
    growItem(*session);
  } else if (what < 60) {
    if (!session->items.empty()) {
      endItem(*session, dice_.roll(session->items.size()), "completed");
    }
  } else if (what < 70) {
    const auto id = "q" + mark();
    session->questions.push_back(id);
    tell(*session, "question/asked",
         Json::object()
             .set("questionId", id)
             .set("payload", Json::parse(R"({"kind":"approval","subject":{"kind":"command"},
                 "availableDecisions":["allow_once","deny"]})")
                                 .value()));
  } else if (what < 74) {
    if (!session->questions.empty()) {
      tell(*session, "question/withdrawn",
           Json::object().set("questionId", session->questions.back()).set("reason", "cancelled"));
      session->questions.pop_back();
    }
  } else if (what < 78) {
    tell(*session, "provider/warning", Json::object().set("summary", "careful"));
  } else if (what < 81) {
    tell(*session, "turn/completed",
         Json::object()
             .set("turnId", session->turn_id)
             .set("status", "completed")
             .set("parentToolCallId", "call"));
  } else if (what < 83) {
    end(*session, "exited");
  } else {
    endTurn(*session, what < 88 ? "failed" : "completed");
  }
  return true;
}

void ModelMachine::beginItem(Session& session) {
  session.items.push_back(
      {"i" + mark(), dice_.chance(50) ? "agentMessage" : "commandExecution", {}});
  tell(session, "item/started",
       Json::object().set("item", jsonOf(session.items.back(), "pending")));
}

void ModelMachine::growItem(Session& session) {
  if (session.items.empty()) {
    return;
  }
  auto& item = dice_.oneOf(session.items);
  const auto more = fmt::format("w{} ", dice_.roll(10));
  tell(session, "item/delta",
       Json::object()
           .set("itemId", item.id)
           .set("field", item.type == "agentMessage" ? "text" : "output")
           .set("offset", static_cast<std::int64_t>(item.text.size()))
           .set("text", more));
  item.text += more;
}

void ModelMachine::endItem(Session& session, std::size_t at, const char* status) {
  tell(session, "item/completed", Json::object().set("item", jsonOf(session.items[at], status)));
  session.items.erase(session.items.begin() + static_cast<std::ptrdiff_t>(at));
}

void ModelMachine::endTurn(Session& session, const char* status) {
  while (!session.items.empty()) {
    endItem(session, 0, "interrupted");
  }
  for (const auto& question : std::exchange(session.questions, {})) {
    tell(session, "question/withdrawn",
         Json::object().set("questionId", question).set("reason", "turn-ended"));
  }
  tell(session, "turn/completed",
       Json::object().set("turnId", session.turn_id).set("status", status));
  session.turn_id.clear();
}

void ModelMachine::end(Session& session, std::string_view reason) {
  tell(session, "session/ended", Json::object().set("reason", reason).set("message", ""));
  session.runs = false;
  session.turn_id.clear();
  session.items.clear();
  session.questions.clear();
}

bool ModelMachine::deliver() {
  auto* session = pick([](const Session& each) { return !each.unsent.empty(); });
  if (session == nullptr || !listener_ || away) {
    return false;
  }
  // As it is while the event is taken: taking the end of a turn may close the session.
  const bool unwanted = session->unwanted;
  const auto id = session->id;
  const auto event = session->unsent.front();
  Result<bool> taken = false;
  listener_(event, Completion<void>([&taken](const Status& status) { taken = status.ok(); }));
  if (!taken.value() || store_.dead) {
    return true;
  }
  session = find(id);
  if (!session->unsent.empty()) {
    session->sent.push_back(session->unsent.front());
    session->unsent.pop_front();
  }
  if (!unwanted && event.type != "item/delta" && !event.type.starts_with("question/") &&
      event.type != "session/ended" && event.data["length"].isNull()) {
    taken_[event.thread_id].push_back(event.data["mark"].asString());
  }
  return true;
}

bool ModelMachine::deliverAgain() {
  auto* session = pick([](const Session& each) { return !each.sent.empty(); });
  if (session == nullptr || !listener_ || away) {
    return false;
  }
  const auto event = dice_.oneOf(session->sent);
  if (event.type != "item/delta") {
    listener_(event, Completion<void>([](const Status&) {}));
  }
  return true;
}

bool ModelMachine::tellAgain() {
  auto* session = pick([](const Session& each) { return each.runs && !each.items.empty(); });
  if (session == nullptr) {
    return false;
  }
  std::erase_if(session->unsent, [](const AgentEvent& each) { return each.type == "item/delta"; });
  for (const auto& item : session->items) {
    tell(*session, "item/started",
         Json::object()
             .set("item", jsonOf(item, "pending"))
             .set("length", static_cast<std::int64_t>(item.text.size())));
  }
  return true;
}

void ModelMachine::lose(bool stays_away) {
  away = stays_away;
  if (dice_.chance(50)) {
    return;  // it comes back in time
  }
  // A daemon that stops tells the end of what it has run.
  const bool stops = dice_.chance(50);
  for (auto& session : sessions_) {
    if (session.runs && stops) {
      if (!session.turn_id.empty()) {
        endTurn(session, "interrupted");
      }
      end(session, "closed");
    } else if (session.runs) {
      session.unsent.clear();
      end(session,
          dice_.chance(50) ? providers::ended::kHostLost : providers::ended::kDaemonRestarted);
    }
  }
}

void ModelMachine::forgetServer() {
  // What is dropped is answered, and that may ask for more.
  while (std::any_of(sessions_.begin(), sessions_.end(),
                     [](const auto& each) { return !each.commands.empty(); })) {
    for (auto& session : sessions_) {
      session.commands.clear();
    }
  }
  sessions_.clear();
}

}  // namespace svc::threads::model
