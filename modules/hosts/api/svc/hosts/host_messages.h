#pragma once

#include <string>
#include <string_view>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::hosts {

/// Hears what becomes of the sessions of daemons and what they say. On the io thread.
class IHostListener {
 public:
  virtual ~IHostListener() = default;
  /// A session has opened: commands and messages reach the daemon. The one before, if any, has been closed.
  virtual void hostOpened(const std::string& host_id) = 0;
  /// It is over; another one may follow within the grace.
  virtual void hostClosed(const std::string& host_id) = 0;
  /// None has followed, or the host was removed.
  virtual void hostGone(const std::string& host_id) = 0;
  /// Whether work runs there that the loss of the host would end: it is waited for longer then.
  [[nodiscard]] virtual bool hasWork(const std::string& /*host_id*/) { return false; }
  /// One message whose `type` is for other modules (hostprotocol::to_server), JSON text with all of its members and no others.
  virtual void hostMessage(const std::string& host_id, std::string_view type,
                           std::string_view text) = 0;
};

/// Messages to and from daemons that are no commands. Lives on the io thread.
class IHostMessages {
 public:
  static constexpr ServiceId kId{"svc.hosts.HostMessages", 1};
  virtual ~IHostMessages() = default;
  /// Sends JSON text, after what was sent before; dropped while no session is open.
  virtual void tell(const std::string& host_id, std::string message) = 0;
  /// Any thread; the listener is not called any more once the handle has been let go on the io thread, or that thread has ended.
  [[nodiscard]] virtual Handle listen(IHostListener& listener) = 0;
};

}  // namespace svc::hosts
