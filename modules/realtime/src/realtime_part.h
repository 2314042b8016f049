#pragma once

#include <memory>

#include "svc/plugins/plugins.h"

#include "hub.h"

namespace svc::realtime {

/// `svc.realtime`: its script and the host function `realtime.publish`, whose argument is the channel and the payload
/// as two JSON texts on two lines.
[[nodiscard]] plugins::ApiPart realtimePart(std::shared_ptr<Hub> hub);

}  // namespace svc::realtime
