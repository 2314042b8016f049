#include "host_messages.h"

#include <utility>

namespace svc::hosts {

void HostMessages::tell(const std::string& host_id, std::string message) {
  if (const auto session = sessions_.find(host_id)) {
    session->send(std::move(message));
  }
}

Handle HostMessages::listen(IHostListener& listener) {
  const auto number = ++last_;
  reactor_.post([listeners = listeners_, number, &listener] { (*listeners)[number] = &listener; });
  return Handle([&reactor = reactor_, listeners = listeners_, number] {
    if (reactor.isCurrent()) {
      listeners->erase(number);
    } else {
      reactor.post([listeners, number] { listeners->erase(number); });
    }
  });
}

/// They may come and go while they are called.
template <class Call>
void HostMessages::each(Call call) {
  const auto now = *listeners_;
  for (const auto& [number, listener] : now) {
    if (listeners_->contains(number)) {
      call(*listener);
    }
  }
}

void HostMessages::sessionOpened(Session& session) {
  each([&](IHostListener& listener) { listener.hostOpened(session.hostId()); });
}

void HostMessages::sessionEnded(Session& session, const std::string& /*why*/) {
  each([&](IHostListener& listener) { listener.hostClosed(session.hostId()); });
}

void HostMessages::messageArrived(Session& session, const DaemonMessage& message) {
  if (const auto* forwarded = std::get_if<ForwardedMessage>(&message)) {
    each([&](IHostListener& listener) {
      listener.hostMessage(session.hostId(), forwarded->type, forwarded->text);
    });
  }
}

void HostMessages::hostDisconnected(const std::string& host_id) {
  each([&](IHostListener& listener) { listener.hostGone(host_id); });
}

bool HostMessages::hasWork(const std::string& host_id) {
  bool has = false;
  each([&](IHostListener& listener) { has = has || listener.hasWork(host_id); });
  return has;
}

}  // namespace svc::hosts
