#include "agents.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

namespace svc::agentd {
namespace {

using common::Json;

constexpr std::size_t kRememberedTurns = 1'000;

/// Messages come whole from the session with the server, which has looked at their type.
Json body(const std::string& text) {
  auto json = Json::parse(text);
  return json ? std::move(json).value() : Json();
}

Error isStopping() { return {errc::kHostUnavailable, "the machine's svc-hostd is stopping"}; }
Error wasRefused() { return {errc::kAborted, "the server has refused this machine"}; }
Error wasClosed() { return {errc::kAborted, "the session was closed"}; }

std::uint64_t seqOf(const Json& said) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(said["seq"].asInteger(), 0));
}

void answerStatus(const Status& status, Completion<std::string> done) {
  if (status) {
    done(std::string("{}"));
  } else {
    done(status.error());
  }
}

Completion<Json> asText(Completion<std::string> done) {
  return [done = std::move(done)](Result<Json> result) mutable {
    if (result) {
      done(result.value().dump());
    } else {
      done(std::move(result).error());
    }
  };
}

}  // namespace

Agents::Entry* Agents::find(const std::string& id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

std::size_t Agents::live() const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.lives; }));
}

Json Agents::describe(const Entry& entry) {
  return entry.session->describe().set("lastSeq", entry.log->last());
}

std::shared_ptr<Session> Agents::sessionOf(const Json& command, Completion<std::string>& done) {
  auto* entry = find(command["sessionId"].asString());
  // One that is being ended takes nothing, so that its agent has not had what it is asked.
  if (entry == nullptr || !entry->session->listens()) {
    done(Error{errc::kNotFound, "this session of an agent has ended; open another one"});
    return nullptr;
  }
  return entry->session;
}

Status Agents::mayOpen(const SessionRequest& request) {
  if (stopping_) {
    return isStopping();
  }
  if (live() >= limits::kAgentSessions) {
    return Error{errc::kOverloaded,
                 fmt::format("this machine runs {} agents (limit agentSessions: {}); end one first",
                             live(), limits::kAgentSessions)};
  }
  return find(request.session_id) == nullptr
             ? Status()
             : Error{errc::kConflict, "there is a session with this id"};
}

Agents::Entry& Agents::add(SessionRequest request, const Preset* preset) {
  const auto id = request.session_id;
  const auto weak = weak_from_this();
  auto log = std::make_shared<EventLog>(
      id, request.thread_id,
      EventLog::Services{
          .send = at_.send,
          .now_ms = at_.now_ms,
          .soon = [io = at_.io](
                      std::function<void()> task) { boost::asio::post(*io, std::move(task)); },
          .pressure =
              [weak, id](bool full) {
                const auto self = weak.lock();
                if (auto* entry = self ? self->find(id) : nullptr) {
                  entry->session->setReading(!full);
                }
              }});
  ModeNames modes;
  if (preset != nullptr) {
    modes = {.ask = std::string(preset->mode_ask), .all = std::string(preset->mode_all)};
  }
  auto session =
      std::make_shared<Session>(std::move(request), std::move(modes),
                                SessionServices{.after = at_.after,
                                                .now_ms = at_.now_ms,
                                                .version = at_.version,
                                                .tell =
                                                    [weak, id](AgentEvent event) {
                                                      if (const auto self = weak.lock()) {
                                                        self->told(id, std::move(event));
                                                      }
                                                    },
                                                .keep_picture = at_.keep_picture});
  // The command has just come: the server listens.
  log->attach(0);
  return entries_[id] = {.session = std::move(session), .log = std::move(log), .mark = {}};
}

void Agents::told(const std::string& id, AgentEvent event) {
  auto* entry = find(id);
  if (entry == nullptr) {
    return;
  }
  const auto& provider = entry->session->request().provider_id;
  if (event.type == hostprotocol::agent_event::kIdentity) {
    at_.providers->signedIn(provider, true);
  } else if (event.data["reason"].asString() == kAuthRequiredReason) {
    at_.providers->signedIn(provider, false);
  }
  entry->log->append(std::move(event));
}

void Agents::open(const std::string& command, Completion<std::string> done) {
  auto request = parseSessionRequest(command);
  auto allowed = request ? mayOpen(request.value()) : request.error();
  if (!allowed) {
    done(std::move(allowed).error());
    return;
  }
  reachServer(request.value().mcp_servers, at_.server_url(), at_.starter->tool());
  const auto id = request.value().session_id;
  // The names of modes are known of configured agents with such a name, too.
  const auto* preset = findPreset(request.value().provider_id);
  const auto wanted = request.value();
  add(std::move(request).value(), preset);
  if (wanted.skills.empty()) {
    return launch(wanted, preset, std::move(done));
  }
  stageSkills(id, wanted.skills,
              [weak = weak_from_this(), wanted, preset, done = std::move(done)]() mutable {
                if (const auto self = weak.lock()) {
                  self->launch(wanted, preset, std::move(done));
                }
              });
}

void Agents::stageSkills(const std::string& id, std::vector<WantedSkill> skills, Task then) {
  auto* entry = find(id);
  entry->staging = std::make_shared<Completion<skillfiles::Stage>>(
      [weak = weak_from_this(), id,
       then = std::move(then)](Result<skillfiles::Stage> staged) mutable {
        const auto self = weak.lock();
        if (auto* at = self ? self->find(id) : nullptr) {
          at->staging.reset();
          at->staging_timer.reset();
          at->session->giveSkills(staged ? Result<std::string>(staged.value().directory.string())
                                         : staged.error());
          at->skills = staged ? std::move(staged).value() : skillfiles::Stage();
        }
        then();
      });
  entry->staging_timer = at_.after(limits::kAgentSkillsWait, [staging = entry->staging] {
    (*staging)(
        Error{errc::kTimeout, fmt::format("they were not there after {} s (limit agentSkillsWait)",
                                          limits::kAgentSkillsWait.count() / 1000)});
  });
  at_.skills->stage(std::move(skills),
                    [staging = entry->staging](Result<skillfiles::Stage> staged) {
                      (*staging)(std::move(staged));
                    });
}

void Agents::launch(const SessionRequest& wanted, const Preset* preset,
                    Completion<std::string> done) {
  const auto& id = wanted.session_id;
  if (stopping_) {
    return started(id, isStopping(), std::move(done));
  }
  auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  const bool taken = at_.workers.submit([self = shared_from_this(), answer, wanted, preset,
                                         id](const auto& /*stop*/) {
    auto spawned = std::make_shared<Result<SpawnedAgent>>(
        guarded([&] { return self->at_.starter->start(wanted, preset, self->at_.server_url()); }));
    // When it is not run any more the program goes with the context, which the agents keep.
    boost::asio::post(*self->at_.io, [weak = self->weak_from_this(), answer, spawned, id] {
      if (const auto agents = weak.lock()) {
        agents->started(id, std::move(*spawned), std::move(*answer));
      }
    });
  });
  if (!taken) {
    started(id, Error{errc::kOverloaded, "this machine is too busy; try again"},
            std::move(*answer));
  }
}

void Agents::started(const std::string& id, Result<SpawnedAgent> spawned,
                     Completion<std::string> done) {
  auto* entry = find(id);
  if (entry == nullptr) {
    done(wasClosed());
    if (spawned) {
      at_.starter->forget(spawned.value().mark);
    }
    return;
  }
  const auto session = entry->session;
  if (!spawned) {
    session->failedToStart(std::move(spawned).error(), asText(std::move(done)));
    gone(id);
    return;
  }
  entry->mark = spawned.value().mark;
  const std::weak_ptr<Session> weak = session;
  session->open(
      AgentProcess::follow(*at_.io, std::move(spawned).value(),
                           {.lines =
                                [weak](const auto& lines) {
                                  if (const auto to = weak.lock()) {
                                    to->onLines(lines);
                                  }
                                },
                            .broken =
                                [weak](const auto& why) {
                                  if (const auto to = weak.lock()) {
                                    to->onBroken(why);
                                  }
                                },
                            .ended =
                                [weak, self = weak_from_this(), id](const AgentExit& exit) {
                                  if (const auto to = weak.lock()) {
                                    to->onExit(exit);
                                  }
                                  if (const auto agents = self.lock()) {
                                    agents->gone(id);
                                  }
                                }}),
      asText(std::move(done)));
}

/// Nothing of its program is left.
void Agents::gone(const std::string& id) {
  if (auto* entry = find(id)) {
    entry->lives = false;
    if (std::exchange(entry->skills, {}).use) {
      at_.skills->sweep();
    }
    if (!entry->mark.empty()) {
      at_.starter->forget(entry->mark);
    }
    ended_.push_back(id);
    forgetWhenSettled(id);
    while (ended_.size() > kEndedKept) {
      entries_.erase(ended_.front());
      ended_.pop_front();
    }
  }
  if (stopping_ && live() == 0) {
    tellStopped();
  }
}

void Agents::tellStopped() {
  // What was told last is sent by then.
  boost::asio::post(*at_.io, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->stopped_.pending()) {
      self->stopped_({});
    }
  });
}

void Agents::forgetWhenSettled(const std::string& id) {
  const auto* entry = find(id);
  if (entry != nullptr && !entry->lives && entry->session->over() && entry->log->settled()) {
    entries_.erase(id);
    ended_.remove(id);
  }
}

void Agents::endSession(const std::string& id, const Error& why) {
  const auto* entry = find(id);
  if (entry == nullptr) {
    return;
  }
  const auto staging = entry->staging;
  entry->session->close(why);
  if (staging) {
    (*staging)(why);
  }
}

void Agents::prompt(const std::string& command, Completion<std::string> done) {
  const auto asked = body(command);
  const auto session = sessionOf(asked, done);
  if (!session) {
    return;
  }
  // A server that did not get the answer brings a message again, also with a session that it has opened since.
  const auto& turn_id = asked["turnId"].asString();
  const auto had =
      std::ranges::find(prompted_, turn_id, &std::pair<std::string, std::string>::first);
  if (had != prompted_.end() && had->second != asked["sessionId"].asString()) {
    done(Error{errc::kConflict,
               "the agent has had this message before the connection to its machine was lost, and "
               "it is not known what it has done of it: look before you send it again"});
    return;
  }
  auto taken = session->prompt(asked);
  if (taken && had == prompted_.end()) {
    prompted_.emplace_back(turn_id, asked["sessionId"].asString());
    if (prompted_.size() > kRememberedTurns) {
      prompted_.pop_front();
    }
  }
  answerStatus(taken, std::move(done));
}

void Agents::answer(const std::string& command, Completion<std::string> done) {
  const auto asked = body(command);
  if (const auto session = sessionOf(asked, done)) {
    answerStatus(session->answer(asked), std::move(done));
  }
}

void Agents::set(const std::string& command, Completion<std::string> done) {
  const auto asked = body(command);
  if (const auto session = sessionOf(asked, done)) {
    session->set(parseChoices(asked), asText(std::move(done)));
  }
}

void Agents::cancel(const std::string& command, Completion<std::string> done) {
  const auto* entry = find(body(command)["sessionId"].asString());
  const bool cancelled = entry != nullptr && entry->session->cancel();
  done(Json::object().set("cancelled", cancelled).dump());
}

void Agents::close(const std::string& command, Completion<std::string> done) {
  const auto asked = body(command);
  const auto* entry = find(asked["sessionId"].asString());
  const bool closed = entry != nullptr && !entry->session->over();
  done(Json::object().set("closed", closed).dump());
  if (closed) {
    endSession(asked["sessionId"].asString(), wasClosed());
  }
}

void Agents::resume(const std::string& command, Completion<std::string> done) {
  const auto asked = body(command);
  if (!asked["sessions"].isArray()) {
    done(Error{errc::kInvalidInput, "sessions: expected an array"});
    return;
  }
  auto described = Json::array();
  std::map<std::string, std::uint64_t> named;
  for (const auto& each : asked["sessions"].items()) {
    const auto& id = each["sessionId"].asString();
    if (const auto* entry = find(id)) {
      named[id] = seqOf(each);
      described.push(describe(*entry));
    }
  }
  done(Json::object().set("sessions", std::move(described)).dump());
  std::vector<std::string> forgotten;
  for (const auto& [id, entry] : entries_) {
    const auto wanted = named.find(id);
    if (wanted == named.end()) {
      forgotten.push_back(id);
      continue;
    }
    entry.log->attach(wanted->second);
    entry.session->tellOpen();
  }
  // The server does not know these: it was put back to an earlier state, or has deleted their threads.
  for (const auto& id : forgotten) {
    endSession(id, wasClosed());
    if (const auto* entry = find(id); entry != nullptr && !entry->lives) {
      entries_.erase(id);
      ended_.remove(id);
    }
  }
  for (const auto& [id, seq] : named) {
    forgetWhenSettled(id);
  }
}

void Agents::acknowledge(const std::string& message) {
  const auto said = body(message);
  const auto& id = said["sessionId"].asString();
  if (auto* entry = find(id)) {
    entry->log->acknowledge(seqOf(said));
    forgetWhenSettled(id);
  }
}

void Agents::sessionLost() {
  for (const auto& [id, entry] : entries_) {
    entry.log->detach();
  }
}

void Agents::endAll(const Error& why) {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries_) {
    ids.push_back(id);
  }
  for (const auto& id : ids) {
    endSession(id, why);
  }
}

void Agents::refused() { endAll(wasRefused()); }

void Agents::shutDown(Completion<void> done) {
  stopping_ = true;
  stopped_ = std::move(done);
  endAll(isStopping());
  if (live() == 0) {
    tellStopped();
  }
}

void Agents::listProviders(const std::string& command, Completion<std::string> done) {
  auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  const bool taken =
      at_.workers.submit([io = at_.io, providers = at_.providers, answer, command](const auto&) {
        auto listed = std::make_shared<Result<std::string>>(
            guarded([&] { return providers->list(command); }));
        boost::asio::post(*io, [answer, listed] { (*answer)(std::move(*listed)); });
      });
  if (!taken) {
    (*answer)(Error{errc::kOverloaded, "this machine is too busy; try again"});
  }
}

}  // namespace svc::agentd
