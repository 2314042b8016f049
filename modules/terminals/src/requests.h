#pragma once

#include <functional>
#include <string>

#include "svc/common/body_reader.h"
#include "svc/common/limits/terminals.h"
#include "svc/kernel/result.h"
#include "svc/machines/host_registry.h"

#include "book.h"

namespace svc::terminals {

/// Where a thread ("thread") or an environment ("environment") works: host, directory, ids. Quick, any thread. `not_found`, `conflict`
/// while it has no directory, `not_supported` where this server keeps no such records.
using FindPlace =
    std::function<Result<NewTerminal>(const std::string& kind, const std::string& id)>;

/// The body of POST /terminals: { scope, cols, rows, title?, start? }, `target` for `scope` by older clients. A scope without hostId is on
/// the server's own machine.
[[nodiscard]] Result<NewTerminal> readNewTerminal(std::string_view body,
                                                  const machines::IHostRegistry& registry,
                                                  const FindPlace& find_place);
/// rows and cols from 1 to limits::kTerminalSize.
void readSize(common::BodyReader& reader, std::int64_t& columns, std::int64_t& rows);
/// 1 to limits::kTerminalTitle characters; an issue otherwise.
[[nodiscard]] std::string readTitle(common::BodyReader& reader);

}  // namespace svc::terminals
