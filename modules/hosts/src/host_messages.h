#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"

#include "sessions.h"

namespace svc::hosts {

/// Passes on what other modules and daemons say to each other. Lives on the io thread.
class HostMessages final : public IHostMessages, public ISessionListener {
 public:
  HostMessages(http::IReactor& reactor, Sessions& sessions)
      : reactor_(reactor), sessions_(sessions) {}

  void tell(const std::string& host_id, std::string message) override;
  [[nodiscard]] Handle listen(IHostListener& listener) override;

  void sessionOpened(Session& session) override;
  void sessionEnded(Session& session, const std::string& why) override;
  void messageArrived(Session& session, const DaemonMessage& message) override;
  void hostDisconnected(const std::string& host_id) override;
  [[nodiscard]] bool hasWork(const std::string& host_id) override;

 private:
  using Listeners = std::map<std::uint64_t, IHostListener*>;
  template <class Call>
  void each(Call call);

  http::IReactor& reactor_;
  Sessions& sessions_;
  std::atomic<std::uint64_t> last_{0};
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace svc::hosts
