#include "interruptible_builder.h"

#include <poll.h>

#include <array>
#include <stop_token>
#include <thread>

#include "svc/base/stop_event.h"

namespace svc::client {

Result<common::BuildReport> InterruptibleBuilder::build(const common::BuildRequest& request) {
  std::stop_source stop;
  const std::jthread waiting([&stop, this](const std::stop_token& over) {
    const base::StopEvent ended(over);
    std::array<pollfd, 2> polled{
        {{interrupts_.descriptor(), POLLIN, 0}, {ended.descriptor(), POLLIN, 0}}};
    while (::poll(polled.data(), polled.size(), -1) < 0) {
    }
    if (polled[0].revents != 0) {
      stop.request_stop();
    }
  });
  return builder_.build(request, stop.get_token());
}

}  // namespace svc::client
