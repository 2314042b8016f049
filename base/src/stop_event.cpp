#include "svc/base/stop_event.h"

#include <sys/eventfd.h>

namespace svc::base {

StopEvent::StopEvent(const std::stop_token& stop)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      on_stop_(stop, [event = event_.get()] { ::eventfd_write(event, 1); }) {}

}  // namespace svc::base
