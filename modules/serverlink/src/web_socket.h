#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "svc/kernel/executor.h"

#include "door.h"
#include "live_calls.h"
#include "transport.h"

namespace svc::serverlink {

/// Opens a WebSocket that lives on the thread of `context`, which `door` leads to; the listener hears of it on `main`. Any thread.
[[nodiscard]] std::shared_ptr<ISocket> openWebSocket(boost::asio::io_context& context,
                                                     std::shared_ptr<Door> door,
                                                     std::shared_ptr<LiveCalls> live,
                                                     IMainExecutor& main, Request request,
                                                     std::weak_ptr<ISocketListener> listener);

}  // namespace svc::serverlink
