#include "sessions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

#include "agent_prompt.h"

namespace svc::providers {

using common::Json;
namespace command_type = hostprotocol::command;
namespace event_type = hostprotocol::agent_event;

namespace {

/// The program, its first words and the setting of its mode, model and level.
constexpr auto kOpenWait =
    limits::kAgentOpen + 3 * limits::kAgentSet + limits::kHostCall + limits::kHostTransport;

Error noSession() {
  return {errc::kConflict, "this session of the agent has ended; send the message again"};
}

Json command(std::string_view type, const std::string& session) {
  return Json::object().set("type", type).set("sessionId", session);
}

/// "default" and "none" stand for what the agent does by itself.
void setChoice(Json& command, const char* member, const Json& value, std::string_view unset) {
  if (!value.asString().empty() && value.asString() != unset) {
    command.set(member, value);
  }
}

}  // namespace

template <class Job>
void Sessions::onIo(Job job) {
  with_.reactor.post([weak = weak_from_this(), job = std::move(job)]() mutable {
    if (const auto self = weak.lock()) {
      self->thread_.check();
      job(*self);
    }
  });
}

SessionEntry* Sessions::find(const std::string& session) {
  const auto found = entries_.find(session);
  return found == entries_.end() ? nullptr : &found->second;
}

void Sessions::ask(const std::string& host_id, const Json& command, std::chrono::milliseconds wait,
                   Answered then) {
  with_.commands.send(
      host_id, command.dump(), wait, [then = std::move(then)](Result<std::string> answer) {
        then(answer ? Json::parse(answer.value()) : Result<Json>(std::move(answer).error()));
      });
}

void Sessions::askSession(const std::string& session, Json command, Completion<void> done) {
  const auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(noSession());
  }
  ask(entry->host_id, command, limits::kHostCall,
      [held = std::make_shared<Completion<void>>(std::move(done))](const Result<Json>& answer) {
        (*held)(answer ? Status() : Status(answer.error()));
      });
}

Result<std::string> Sessions::choose(const std::string& provider_id) const {
  return with_.catalogue->choose(provider_id);
}

void Sessions::open(SessionRequest request, Completion<OpenSession> done) {
  onIo([request = std::move(request), done = std::move(done)](Sessions& self) mutable {
    auto program = self.with_.catalogue->command(request.provider_id, request.host_id);
    if (!program) {
      return done(std::move(program).error());
    }
    self.makeRoom(request.host_id);
    self.entries_[request.session] = {.thread_id = request.thread_id,
                                      .host_id = request.host_id,
                                      .provider_id = request.provider_id,
                                      .cwd = request.cwd,
                                      .last_use = ++self.uses_,
                                      .policy = {approvalOf(request.execution), request.cwd}};
    auto held = std::make_shared<Completion<OpenSession>>(std::move(done));
    auto shared = std::make_shared<const SessionRequest>(std::move(request));
    self.with_.outfitter->prepare(
        *shared, [weak = self.weak_from_this(), shared, held](Result<Outfit> outfit) {
          if (const auto sessions = weak.lock()) {
            sessions->onIo([shared, held, outfit = std::move(outfit)](Sessions& at) mutable {
              at.begin(*shared, std::move(outfit), std::move(*held));
            });
          }
        });
  });
}

void Sessions::begin(const SessionRequest& request, Result<Outfit> outfit,
                     Completion<OpenSession> done) {
  auto* entry = find(request.session);
  if (entry == nullptr || entry->closed) {
    entries_.erase(request.session);
    return done(Error{errc::kAborted, "the session was closed before it began"});
  }
  auto program = with_.catalogue->command(request.provider_id, request.host_id);
  if (!outfit || !program) {
    entries_.erase(request.session);
    return done(outfit ? std::move(program).error() : std::move(outfit).error());
  }
  auto& given = outfit.value();
  entry->preamble = std::move(given.preamble);
  entry->kept = std::move(given.kept);
  auto said = command(command_type::kAgentOpen, request.session)
                  .set("threadId", request.thread_id)
                  .set("providerId", request.provider_id)
                  .set("cwd", request.cwd)
                  .set("env", std::move(given.env))
                  .set("mcpServers", std::move(given.mcp_servers))
                  .set("additionalDirectories", std::move(given.additional_directories))
                  .set("approval", approvalOf(request.execution));
  if (!program.value().isNull()) {
    said.set("agent", std::move(program).value());
  }
  if (!request.resume.empty()) {
    said.set("resume", request.resume);
  }
  setChoice(said, "model", request.execution["model"], "default");
  setChoice(said, "reasoningLevel", request.execution["reasoningLevel"], "none");
  ask(request.host_id, said, kOpenWait,
      [weak = weak_from_this(), session = request.session, host_id = request.host_id,
       held = std::make_shared<Completion<OpenSession>>(std::move(done))](Result<Json> answer) {
        if (const auto self = weak.lock()) {
          self->begun(session, host_id, std::move(answer), std::move(*held));
        }
      });
}

void Sessions::begun(const std::string& session, const std::string& host_id, Result<Json> answer,
                     Completion<OpenSession> done) {
  auto* entry = find(session);
  if (!answer) {
    // What its machine still says of it is nobody's.
    entries_.erase(session);
    return done(std::move(answer).error());
  }
  if (entry == nullptr || entry->closed) {
    ask(host_id, command(command_type::kAgentClose, session), limits::kHostCall,
        [](const Result<Json>&) {});
    return done(Error{errc::kAborted, "the session was closed while it began"});
  }
  entry->opening = false;
  const auto& started = answer.value()["started"].asString();
  if (started == "resumed" || started == "loaded") {
    entry->preamble.clear();
  }
  with_.catalogue->sawSession(entry->provider_id, host_id, answer.value()["configOptions"]);
  done(OpenSession{answer.value()["providerThreadId"].asString()});
}

/// A machine runs so many agents: the one that rests longest goes, its thread resumes it later.
void Sessions::makeRoom(const std::string& host_id) {
  std::size_t live = 0;
  const std::string* resting = nullptr;
  std::uint64_t since = 0;
  for (const auto& [session, entry] : entries_) {
    if (entry.host_id != host_id || entry.closed) {
      continue;
    }
    ++live;
    if (!entry.opening && !entry.running && (resting == nullptr || entry.last_use < since)) {
      resting = &session;
      since = entry.last_use;
    }
  }
  if (live + 1 >= limits::kAgentSessions && resting != nullptr) {
    closeNow(std::string(*resting), [](const Status&) {});
  }
}

void Sessions::prompt(const std::string& session, const std::string& turn_id,
                      const std::string& /*request_id*/, Json input, Completion<void> done) {
  onIo([session, turn_id, input = std::move(input), done = std::move(done)](
           Sessions& self) mutable { self.sendPrompt(session, turn_id, input, std::move(done)); });
}

void Sessions::sendPrompt(const std::string& session, const std::string& turn_id, const Json& input,
                          Completion<void> done) {
  auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(noSession());
  }
  auto blocks = Json::array();
  if (!entry->preamble.empty()) {
    blocks.push(Json::object().set("type", "text").set("text", entry->preamble));
  }
  const auto said = contentBlocks(input, entry->cwd);
  for (const auto& block : said.items()) {
    blocks.push(block);
  }
  entry->running = true;
  entry->last_use = ++uses_;
  const auto asked = command(command_type::kAgentPrompt, session)
                         .set("turnId", turn_id)
                         .set("prompt", std::move(blocks));
  ask(entry->host_id, asked, limits::kHostCall,
      [weak = weak_from_this(), session,
       held = std::make_shared<Completion<void>>(std::move(done))](const Result<Json>& answer) {
        const auto self = weak.lock();
        if (auto* at = self ? self->find(session) : nullptr) {
          at->running = at->running && answer;
          if (answer) {
            at->preamble.clear();
          }
        }
        (*held)(answer ? Status() : Status(answer.error()));
      });
}

void Sessions::steer(const std::string& session, const std::string& turn_id,
                     const std::string& request_id, Json input, Completion<void> done) {
  onIo([session, turn_id, request_id, input = std::move(input),
        done = std::move(done)](Sessions& self) mutable {
    const auto* entry = self.find(session);
    auto blocks = contentBlocks(input, entry == nullptr ? std::string() : entry->cwd);
    self.askSession(session,
                    command(command_type::kAgentSteer, session)
                        .set("turnId", turn_id)
                        .set("requestId", request_id)
                        .set("prompt", std::move(blocks)),
                    std::move(done));
  });
}

void Sessions::cancel(const std::string& session, Completion<void> done) {
  onIo([session, done = std::move(done)](Sessions& self) mutable {
    self.askSession(session, command(command_type::kAgentCancel, session), std::move(done));
  });
}

void Sessions::answer(const std::string& session, const std::string& question_id, Json answer,
                      Completion<void> done) {
  onIo([session, question_id, answer = std::move(answer),
        done = std::move(done)](Sessions& self) mutable {
    if (auto* entry = self.find(session)) {
      entry->policy.answered(question_id, answer);
    }
    self.askSession(session,
                    answer.set("type", command_type::kAgentAnswer)
                        .set("sessionId", session)
                        .set("questionId", question_id),
                    std::move(done));
  });
}

void Sessions::close(const std::string& session, Completion<void> done) {
  onIo([session, done = std::move(done)](Sessions& self) mutable {
    self.closeNow(session, std::move(done));
  });
}

void Sessions::closeNow(const std::string& session, Completion<void> done) {
  auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done({});
  }
  entry->closed = true;
  entry->kept.clear();
  ask(entry->host_id, command(command_type::kAgentClose, session), limits::kHostCall,
      [weak = weak_from_this(), session,
       held = std::make_shared<Completion<void>>(std::move(done))](const Result<Json>& answer) {
        const auto self = weak.lock();
        if (self && !(answer && answer.value()["closed"].asBool())) {
          // It is gone, or its machine is away and will not be asked for it again.
          self->entries_.erase(session);
        }
        (*held)({});
      });
}

Handle Sessions::onEvent(EventListener listener) {
  const std::scoped_lock lock(listener_mutex_);
  listener_ = std::make_shared<EventListener>(std::move(listener));
  return Handle([weak = weak_from_this(), mine = std::weak_ptr(listener_)] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock again(self->listener_mutex_);
      if (self->listener_ == mine.lock()) {
        self->listener_.reset();
      }
    }
  });
}

void Sessions::hostOpened(const std::string& host_id) {
  thread_.check();
  strangers_.clear();
  auto wanted = Json::array();
  std::set<std::string> named;
  for (const auto& [session, entry] : entries_) {
    if (entry.host_id == host_id && !entry.closed && !entry.opening) {
      wanted.push(Json::object().set("sessionId", session).set("seq", entry.stored));
      named.insert(session);
    }
  }
  ask(host_id,
      Json::object().set("type", command_type::kAgentResume).set("sessions", std::move(wanted)),
      limits::kHostCall, [weak = weak_from_this(), named](const Result<Json>& answer) {
        if (const auto self = weak.lock()) {
          self->resumed(named, answer);
        }
      });
}

void Sessions::resumed(const std::set<std::string>& named, const Result<Json>& answer) {
  if (!answer &&
      (answer.error().code == errc::kHostUnavailable || answer.error().code == errc::kTimeout ||
       answer.error().code == errc::kUnknownHost)) {
    return;  // the next connection asks again, or the machine is given up
  }
  std::set<std::string> there;
  if (answer) {
    for (const auto& session : answer.value()["sessions"].items()) {
      there.insert(session["sessionId"].asString());
    }
  }
  for (const auto& session : named) {
    if (!there.contains(session)) {
      lost(session, ended::kDaemonRestarted,
           "the daemon of the machine was started again, and the agent has ended with the old one; "
           "send a message to go on");
    }
  }
}

void Sessions::hostClosed(const std::string& host_id) {
  thread_.check();
  // What was closed is not named again, and so ends there; only its end may still be on its way to the log.
  std::erase_if(entries_, [&](const auto& each) {
    const auto& [session, entry] = each;
    return entry.host_id == host_id && entry.closed && !entry.ends();
  });
}

void Sessions::hostGone(const std::string& host_id) {
  thread_.check();
  std::vector<std::string> gone;
  for (const auto& [session, entry] : entries_) {
    if (entry.host_id == host_id && !entry.opening) {
      gone.push_back(session);
    }
  }
  for (const auto& session : gone) {
    lost(session, ended::kHostLost,
         "the connection to the machine was lost for too long; send a message to go on when it is "
         "back");
  }
}

void Sessions::hostMessage(const std::string& host_id, std::string_view type,
                           std::string_view text) {
  if (type != hostprotocol::to_server::kAgentEvents) {
    return;
  }
  thread_.check();
  const auto message = Json::parse(text);
  if (!message) {
    return;
  }
  const auto& session = message.value()["sessionId"].asString();
  auto* entry = find(session);
  if (entry == nullptr || entry->host_id != host_id) {
    return stranger(host_id, session, message.value()["events"]);
  }
  arrived(session, *entry, message.value()["events"]);
}

/// One whose answer came too late, or that was given up while its machine was away.
void Sessions::stranger(const std::string& host_id, const std::string& session,
                        const Json& events) {
  if (events.items().empty()) {
    return;
  }
  const auto& last = events.items().back();
  acknowledge(session, host_id, last["seq"].asInteger());
  if (last["type"].asString() != event_type::kSessionEnded && strangers_.insert(session).second) {
    ask(host_id, command(command_type::kAgentClose, session), limits::kHostCall,
        [](const Result<Json>&) {});
  }
}

void Sessions::arrived(const std::string& session, SessionEntry& entry, const Json& events) {
  auto fresh = entry.novelties(session, events);
  if (fresh.empty()) {
    // All of it is known: the acknowledgement was lost.
    acknowledge(session, entry.host_id, entry.stored);
    return;
  }
  if (entry.waiting.size() + fresh.size() > kWaiting) {
    lost(session, "failed", "the machine told more than it may without waiting");
    return;
  }
  entry.heard = fresh.back().seq;
  for (auto& event : fresh) {
    entry.running = entry.running && event.type != event_type::kTurnCompleted;
    entry.waiting.push_back(std::move(event));
  }
  offer(session);
}

void Sessions::lost(const std::string& session, std::string_view reason,
                    const std::string& message) {
  auto* entry = find(session);
  if (entry == nullptr || entry->ends()) {
    return;
  }
  entry->closed = true;
  entry->kept.clear();
  entry->waiting.push_back({.thread_id = entry->thread_id,
                            .session = session,
                            .seq = ++entry->heard,
                            .type = std::string(event_type::kSessionEnded),
                            .data = Json::object().set("reason", reason).set("message", message)});
  offer(session);
}

void Sessions::offer(const std::string& session) {
  auto* entry = find(session);
  if (entry == nullptr || entry->waiting.empty() || entry->taking) {
    return;
  }
  std::shared_ptr<EventListener> listener;
  {
    const std::scoped_lock lock(listener_mutex_);
    listener = listener_;
  }
  if (!listener) {
    return;
  }
  entry->taking = true;
  entry->again.reset();
  const auto event = entry->waiting.front();
  if (const auto decision = entry->policy.decide(event); !decision.empty() && !entry->closed) {
    return decideFor(session, event, decision);
  }
  (*listener)(event, [weak = weak_from_this(), session, seq = event.seq](Status status) {
    if (const auto self = weak.lock()) {
      self->onIo([session, seq, status = std::move(status)](Sessions& at) {
        at.taken(session, seq, status);
      });
    }
  });
}

/// Nobody needs to be asked, and nobody hears of the question.
void Sessions::decideFor(const std::string& session, const AgentEvent& event,
                         const std::string& decision) {
  askSession(session,
             command(command_type::kAgentAnswer, session)
                 .set("questionId", event.data["questionId"])
                 .set("decision", decision),
             [](const Status&) {});
  onIo([session, seq = event.seq](Sessions& self) { self.taken(session, seq, {}); });
}

void Sessions::taken(const std::string& session, std::int64_t seq, const Status& status) {
  auto* entry = find(session);
  if (entry == nullptr || entry->waiting.empty() || entry->waiting.front().seq != seq) {
    return;
  }
  entry->taking = false;
  if (!status) {
    entry->again = with_.reactor.after(kAgain, [weak = weak_from_this(), session] {
      if (const auto self = weak.lock()) {
        self->offer(session);
      }
    });
    return;
  }
  const bool over = entry->waiting.front().type == event_type::kSessionEnded;
  entry->waiting.pop_front();
  entry->stored = seq;
  if (over || entry->waiting.empty() || seq >= entry->acknowledged + kAcknowledge) {
    acknowledge(session, entry->host_id, seq);
    entry->acknowledged = seq;
  }
  if (over) {
    entries_.erase(session);
    return;
  }
  offer(session);
}

void Sessions::acknowledge(const std::string& session, const std::string& host_id,
                           std::int64_t seq) {
  with_.messages.tell(host_id, Json::object()
                                   .set("type", hostprotocol::to_daemon::kAgentAck)
                                   .set("sessionId", session)
                                   .set("seq", seq)
                                   .dump());
}

void Sessions::end() {
  thread_.check();
  entries_.clear();
}

}  // namespace svc::providers
