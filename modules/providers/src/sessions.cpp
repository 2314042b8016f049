#include "sessions.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"
#include "svc/hosts/host_answer.h"
#include "svc/skillfiles/skill.h"

#include "agent_prompt.h"

namespace svc::providers {

using common::Json;
namespace command_type = hostprotocol::command;
namespace event_type = hostprotocol::agent_event;

namespace {

/// The skills, the program, its first words and the setting of its mode, model and level.
constexpr auto kSetWait = 3 * limits::kAgentSet + limits::kHostCall + limits::kHostTransport;
constexpr auto kOpenWait = limits::kAgentSkillsWait + limits::kAgentOpen + kSetWait;

/// "default" and "none" stand for what the agent does by itself.
void setChoice(Json& command, const char* member, const Json& value, std::string_view unset) {
  if (!value.asString().empty() && value.asString() != unset) {
    command.set(member, value);
  }
}

/// What is wanted of the agent's choices, as members of a command.
void setChoices(Json& command, const Json& execution) {
  command.set("approval", approvalOf(execution));
  setChoice(command, "model", execution["model"], "default");
  setChoice(command, "reasoningLevel", execution["reasoningLevel"], "none");
}

/// Skills for agent.open.
Json skillsOf(const Outfit& outfit) {
  auto skills = Json::array();
  for (const auto& skill : outfit.sent_skills) {
    skills.push(Json::object()
                    .set("name", skill.name)
                    .set("description", skill.description)
                    .set("tree", skill.tree));
  }
  return skills;
}

/// Those that are on the machine now; an empty directory = none has come.
std::vector<OfferedSkill> skillsOn(const Outfit& outfit, const std::string& directory) {
  auto skills = outfit.skills;
  for (const auto& skill : outfit.sent_skills) {
    if (!directory.empty()) {
      skills.push_back({skill.name, skill.description,
                        fmt::format("{}/{}/{}", directory, skill.name, skillfiles::kSkillFile)});
    }
  }
  return skills;
}

std::string executionChoices(const Json& execution) {
  auto choices = Json::object();
  setChoices(choices, execution);
  return choices.dump();
}

}  // namespace

Json Sessions::command(std::string_view type, const std::string& session) {
  return Json::object().set("type", type).set("sessionId", session);
}

Error Sessions::noSession() {
  return {errc::kNotFound, "this session of the agent has ended; send the message again"};
}

SessionEntry* Sessions::find(const std::string& session) {
  const auto found = entries_.find(session);
  return found == entries_.end() ? nullptr : &found->second;
}

void Sessions::ask(const std::string& host_id, const Json& command, std::chrono::milliseconds wait,
                   Answered then) {
  with_.commands.send(host_id, command.dump(), wait,
                      [then = std::move(then)](const Result<std::string>& answer) {
                        then(hosts::answerObject(answer));
                      });
}

void Sessions::askSession(const std::string& session, Json command, Completion<void> done) {
  const auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(Error{errc::kConflict, noSession().message});
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
                                      .project_id = request.context.project.id,
                                      .place = {.cwd = request.cwd},
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
  entry->place.on_server = given.on_server;
  auto said = command(command_type::kAgentOpen, request.session)
                  .set("threadId", request.thread_id)
                  .set("providerId", request.provider_id)
                  .set("cwd", request.cwd)
                  .set("env", std::move(given.env))
                  .set("mcpServers", std::move(given.mcp_servers))
                  .set("additionalDirectories", std::move(given.additional_directories));
  if (!program.value().isNull()) {
    said.set("agent", std::move(program).value());
  }
  if (!given.sent_skills.empty()) {
    said.set("skills", skillsOf(given));
  }
  entry->outfit = std::move(given);
  if (!request.resume.empty()) {
    said.set("resume", request.resume);
  }
  setChoices(said, request.execution);
  entry->choices = executionChoices(request.execution);
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
  auto name = answer.value()["providerThreadId"].asString();
  const bool too_long = name.size() > limits::kAgentSessionName;
  if (entry == nullptr || entry->closed || too_long) {
    if (too_long) {
      entries_.erase(session);
    }
    ask(host_id, command(command_type::kAgentClose, session), limits::kHostCall,
        [](const Result<Json>&) {});
    return done(too_long ? Error{errc::kHostError,
                                 fmt::format("the agent's id of its session has {} bytes (limit "
                                             "agentSessionName: {})",
                                             name.size(), limits::kAgentSessionName)}
                         : Error{errc::kAborted, "the session was closed while it began"});
  }
  entry->opening = false;
  entry->place.capabilities = answer.value()["promptCapabilities"];
  const auto& started = answer.value()["started"].asString();
  if (started != "resumed" && started != "loaded") {
    entry->preamble =
        preambleOf(entry->outfit.instructions,
                   skillsOn(entry->outfit, answer.value()["skillsDirectory"].asString()));
  }
  const auto& offered = answer.value()["offeredOptions"];
  with_.catalogue->sawSession(entry->provider_id, host_id,
                              offered.isNull() ? answer.value()["configOptions"] : offered,
                              !offered.isNull());
  done(OpenSession{.agent_session = std::move(name),
                   .can_go_on = answer.value()["canGoOn"].asBool()});
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
    if (entry.prompted && !entry.running && (resting == nullptr || entry.last_use < since)) {
      resting = &session;
      since = entry.last_use;
    }
  }
  if (live + 1 >= limits::kAgentSessions && resting != nullptr) {
    closeNow(std::string(*resting), [](const Status&) {});
  }
}

void Sessions::set(const std::string& session, Json execution, agents::AgentContext context,
                   Completion<void> done) {
  onIo([session, execution = std::move(execution), context = std::move(context),
        done = std::move(done)](Sessions& self) mutable {
    auto* entry = self.find(session);
    if (entry == nullptr || entry->closed) {
      return done(noSession());
    }
    if (!entry->outfit.renew) {
      return self.setNow(session, std::move(execution), std::move(done));
    }
    auto held = std::make_shared<Completion<void>>(std::move(done));
    entry->outfit.renew(execution, std::move(context),
                        [weak = self.weak_from_this(), session, execution, held](const Status&) {
                          if (const auto sessions = weak.lock()) {
                            sessions->onIo([session, execution, held](Sessions& at) mutable {
                              at.setNow(session, std::move(execution), std::move(*held));
                            });
                          }
                        });
  });
}

void Sessions::setNow(const std::string& session, Json execution, Completion<void> done) {
  auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(noSession());
  }
  auto choices = executionChoices(execution);
  if (entry->choices == choices) {
    return done({});
  }
  entry->choices = std::move(choices);
  entry->policy.setApproval(approvalOf(execution));
  auto said = command(command_type::kAgentSet, session);
  setChoices(said, execution);
  ask(entry->host_id, said, kSetWait,
      [held = std::make_shared<Completion<void>>(std::move(done))](const Result<Json>& answer) {
        (*held)(answer ? Status() : Status(answer.error()));
      });
}

void Sessions::cancel(const std::string& session, Completion<void> done) {
  onIo([session, done = std::move(done)](Sessions& self) mutable {
    // Not every agent cancels what it calls, and some hear of the stop only when it is answered.
    if (auto* entry = self.find(session); entry != nullptr && entry->outfit.abort_calls) {
      entry->outfit.abort_calls(true);
    }
    if (auto* entry = self.find(session); entry != nullptr && !entry->reading.empty()) {
      // Its agent has no prompt, and gets none any more.
      entry->reading.clear();
      entry->running = false;
      return done(Error{errc::kConflict, "the prompt was not handed over"});
    }
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

void Sessions::granted(const std::string& session, Completion<std::vector<std::string>> done) {
  onIo([session, done = std::move(done)](Sessions& self) mutable {
    const auto* entry = self.find(session);
    done(entry == nullptr ? std::vector<std::string>() : entry->policy.granted());
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
  entry->reading.clear();
  entry->outfit.kept.clear();
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

void Sessions::end() {
  thread_.check();
  entries_.clear();
}

}  // namespace svc::providers
