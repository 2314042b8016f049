// What machines say of sessions, and what becomes of them by it.
#include <algorithm>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/agents.h"

#include "sessions.h"

namespace svc::providers {

using common::Json;
namespace command_type = hostprotocol::command;
namespace event_type = hostprotocol::agent_event;

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
  const bool removed = !with_.machines.find(host_id);
  for (const auto& session : gone) {
    removed ? lost(session, ended::kHostRemoved, "the machine was removed from the server")
            : lost(session, ended::kHostLost,
                   "the connection to the machine was lost for too long; send a message to go on "
                   "when it is back");
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
    if (event.endsTurn()) {
      entry.running = false;
      // Not every agent cancels what it has called. What it was told of as going on comes to the thread later.
      if (entry.outfit.abort_calls) {
        entry.outfit.abort_calls(false);
      }
    }
    if (event.type == event_type::kSessionChanged) {
      with_.catalogue->sawCommands(entry.provider_id, entry.host_id, entry.project_id,
                                   event.data["commands"]);
    }
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
  entry->outfit.kept.clear();
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

}  // namespace svc::providers
