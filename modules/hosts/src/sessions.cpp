#include "sessions.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hosts {
namespace {

constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kGoingAway = 1001;
/// Sessions that are over and still known.
constexpr std::size_t kRemembered = 1024;
constexpr std::size_t kIdBytes = 16;

}  // namespace

Sessions::Sessions(http::IReactor& reactor, const IClock& clock, machines::IHostRegistry& registry,
                   std::shared_ptr<spdlog::logger> log)
    : reactor_(reactor), clock_(clock), registry_(registry), log_(std::move(log)) {}

Result<SessionPtr> Sessions::open(const std::string& host_id, machines::SessionFacts facts,
                                  Announced announced) {
  if (shut_down_) {
    return Error{errc::kUnavailable, "the server is shutting down; connect again later"};
  }
  auto& host = hosts_[host_id];
  if (const auto previous = host.session) {
    // The same daemon that comes back has a socket that is half dead: it must not be told to stop.
    const bool other = previous->facts().instance_id != facts.instance_id;
    if (other) {
      log_->warn("host {}: another daemon with its key has connected and replaces the previous one",
                 host_id);
    }
    previous->end(kNormal, "replaced by a new session",
                  other ? hostprotocol::close_reason::kReplaced : std::string_view());
    retire(*previous, "it has opened a new session");
    startGrace(host_id);
  }
  auto session = std::make_shared<Session>(weak_from_this(),
                                           Session::Identity{.number = ++last_number_,
                                                             .id = base::randomHex(kIdBytes),
                                                             .host_id = host_id,
                                                             .facts = std::move(facts),
                                                             .announced = std::move(announced)});
  session->setHeard(clock_.steadyNow());
  hosts_[host_id].session = session;
  by_id_.emplace(session->id(), session);
  armLease(*session, limits::kSessionLease);
  return session;
}

Result<std::shared_ptr<http::IWebSocketHandler>> Sessions::accept(const std::string& session_id,
                                                                  const std::string& host_id) {
  const auto found = by_id_.find(session_id);
  const auto over = std::find_if(over_.begin(), over_.end(), [&session_id](const auto& entry) {
    return entry.first == session_id;
  });
  if (found == by_id_.end() && over == over_.end()) {
    return Error{errc::kUnauthorized, "there is no such session; open one first"};
  }
  const auto& owner = found != by_id_.end() ? found->second->hostId() : over->second;
  if (owner != host_id) {
    return Error{errc::kForbidden, "the session belongs to another host"};
  }
  if (found == by_id_.end()) {
    return Error{errc::kInactiveSession, "the session is over; open a new one"};
  }
  if (found->second->claimed()) {
    return Error{errc::kConflict, "the session has its WebSocket; open a new session"};
  }
  found->second->claim();
  return std::shared_ptr<http::IWebSocketHandler>(found->second);
}

SessionPtr Sessions::find(const std::string& host_id) const {
  const auto found = hosts_.find(host_id);
  return found != hosts_.end() && found->second.session && found->second.session->isOpen()
             ? found->second.session
             : nullptr;
}

std::vector<SessionPtr> Sessions::connected() const {
  std::vector<SessionPtr> sessions;
  for (const auto& [id, host] : hosts_) {
    if (host.session && host.session->isOpen()) {
      sessions.push_back(host.session);
    }
  }
  return sessions;
}

void Sessions::remove(const std::string& host_id) {
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) {
    return;
  }
  if (const auto session = found->second.session) {
    session->end(kNormal, "the host is removed", hostprotocol::close_reason::kRemoved);
    retire(*session, "it was removed");
  }
  disconnect(host_id);
}

void Sessions::shutDown() {
  shut_down_ = true;
  for (auto& [id, host] : hosts_) {
    host.grace.reset();
  }
  const auto sessions = by_id_;
  for (const auto& [id, session] : sessions) {
    session->end(kGoingAway, "the server is shutting down", hostprotocol::close_reason::kShutdown);
    retire(*session, "the server is shutting down");
  }
}

void Sessions::opened(Session& session) {
  auto& host = hosts_[session.hostId()];
  host.grace.reset();
  host.connected = true;
  heard(session);
  registry_.connected(session.hostId(), session.facts());
  log_->info("host {}: connected ({})", session.hostId(), session.facts().platform);
  for (auto* listener : listeners_) {
    listener->sessionOpened(session);
  }
}

void Sessions::heard(Session& session) { session.setHeard(clock_.steadyNow()); }

/// The heartbeats of a daemon wait behind a message that takes long on a slow link. What arrives of it stands for them.
void Sessions::receiving(Session& session) {
  heard(session);
  if (session.heard() - session.acknowledged() >= limits::kSessionHeartbeat) {
    acknowledge(session);
  }
}

void Sessions::acknowledge(Session& session) {
  session.setAcknowledged(clock_.steadyNow());
  registry_.seen(session.hostId());
  session.send(fmt::format(R"({{"type":"{}"}})", hostprotocol::to_daemon::kHeartbeatAck));
}

void Sessions::received(Session& session, const DaemonMessage& message) {
  if (std::holds_alternative<Heartbeat>(message)) {
    acknowledge(session);
    return;
  }
  for (auto* listener : listeners_) {
    listener->messageArrived(session, message);
  }
}

void Sessions::broken(Session& session, const std::string& what) {
  if (session.ended()) {
    return;
  }
  log_->warn("host {}: a message of its daemon is refused and its session ended: {}",
             session.hostId(), what);
  retire(session, "its daemon sent a message that is not valid");
  startGrace(session.hostId());
}

void Sessions::lost(Session& session, const std::string& why) {
  log_->info("host {}: the connection is lost ({})", session.hostId(), why);
  const auto keep = session.shared_from_this();
  session.end(kNormal, "");
  retire(session, {});
  startGrace(keep->hostId());
}

void Sessions::armLease(Session& session, std::chrono::milliseconds delay) {
  session.lease = reactor_.after(
      delay, [weak = weak_from_this(), held = std::weak_ptr(session.shared_from_this())] {
        const auto self = weak.lock();
        const auto waiting = held.lock();
        if (self && waiting && !waiting->ended()) {
          self->checkLease(*waiting);
        }
      });
}

void Sessions::checkLease(Session& session) {
  const auto silent =
      std::chrono::floor<std::chrono::milliseconds>(clock_.steadyNow() - session.heard());
  if (silent < limits::kSessionLease) {
    armLease(session, limits::kSessionLease - silent);
    return;
  }
  const auto keep = session.shared_from_this();
  if (session.isOpen()) {
    log_->warn("host {}: its daemon was not heard of for {} s (limit session); its session is over",
               session.hostId(),
               std::chrono::duration_cast<std::chrono::seconds>(limits::kSessionLease).count());
  }
  session.end(kNormal, "the lease of the session has run out",
              hostprotocol::close_reason::kExpired);
  retire(session, "its daemon was not heard of any more");
  if (hasWork(keep->hostId())) {
    startGrace(keep->hostId());  // a laptop that sleeps, a hole in the network
  } else {
    disconnect(keep->hostId());
  }
}

void Sessions::retire(Session& session, const std::string& why) {
  const auto keep = session.shared_from_this();
  if (by_id_.erase(session.id()) == 0) {
    return;
  }
  over_.emplace_back(session.id(), session.hostId());
  if (over_.size() > kRemembered) {
    over_.pop_front();
  }
  if (auto& host = hosts_[session.hostId()]; host.session == keep) {
    host.session.reset();
  }
  for (auto* listener : listeners_) {
    listener->sessionEnded(session, why);
  }
}

void Sessions::startGrace(const std::string& host_id) {
  auto& host = hosts_[host_id];
  if (!host.connected || shut_down_) {
    return;
  }
  host.grace = reactor_.after(limits::kSessionGrace, [weak = weak_from_this(), host_id] {
    if (const auto self = weak.lock()) {
      self->extendGrace(host_id);
    }
  });
}

void Sessions::extendGrace(const std::string& host_id) {
  if (!hasWork(host_id)) {
    disconnect(host_id);
    return;
  }
  hosts_[host_id].grace = reactor_.after(limits::kSessionWorkGrace - limits::kSessionGrace,
                                         [weak = weak_from_this(), host_id] {
                                           if (const auto self = weak.lock()) {
                                             self->disconnect(host_id);
                                           }
                                         });
}

bool Sessions::hasWork(const std::string& host_id) const {
  return std::ranges::any_of(listeners_,
                             [&](auto* listener) { return listener->hasWork(host_id); });
}

void Sessions::disconnect(const std::string& host_id) {
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) {
    return;
  }
  const bool was_connected = std::exchange(found->second.connected, false);
  if (found->second.session) {
    found->second.grace.reset();
  } else {
    hosts_.erase(found);
  }
  if (was_connected) {
    log_->info("host {}: disconnected", host_id);
    registry_.disconnected(host_id);
    for (auto* listener : listeners_) {
      listener->hostDisconnected(host_id);
    }
  }
}

}  // namespace svc::hosts
