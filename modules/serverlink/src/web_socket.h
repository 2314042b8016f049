#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "svc/kernel/executor.h"

#include "door.h"
#include "transport.h"

namespace svc::serverlink {

/// Opens a WebSocket that lives on the thread of `context`, which `door` leads to; the listener hears of it on `main`. Any thread.
[[nodiscard]] std::shared_ptr<ISocket> openWebSocket(boost::asio::io_context& context,
                                                     std::shared_ptr<Door> door,
                                                     IMainExecutor& main, Request request,
                                                     std::weak_ptr<ISocketListener> listener);

}  // namespace svc::serverlink
