#pragma once

#include <string>

#include <boost/asio/io_context.hpp>

#include "svc/kernel/result.h"
#include "svc/kernel/unique_function.h"

#include "live_calls.h"
#include "transport.h"

namespace svc::serverlink {

/// POST of JSON on a connection of its own. Thread of the context; `done` fires there, once; it is dropped when `live` is over.
void postJson(boost::asio::io_context& context, LiveCalls& live, Request request, std::string body,
              UniqueFunction<void(Result<HttpAnswer>)> done);

/// GET into a new file, with its SHA-256. Thread of the context, which it blocks while it writes; `done` fires there, once.
void downloadFile(boost::asio::io_context& context, Request request, std::filesystem::path file,
                  std::uint64_t limit, UniqueFunction<void(Result<Download>)> done);

}  // namespace svc::serverlink
