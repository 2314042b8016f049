#pragma once

#include <string>

#include "svc/common/body_reader.h"
#include "svc/kernel/result.h"
#include "svc/machines/host_registry.h"

#include "book.h"

namespace svc::terminals {

/// The body of POST /terminals: { scope, cols, rows, title?, start? }, `target` for `scope` by older clients. A scope without hostId is on
/// the server's own machine. `not_supported` for scopes whose records this version does not keep.
[[nodiscard]] Result<NewTerminal> readNewTerminal(std::string_view body,
                                                  const machines::IHostRegistry& registry);
/// rows and cols from 1 to limits::kTerminalSize.
void readSize(common::BodyReader& reader, std::int64_t& columns, std::int64_t& rows);
/// 1 to limits::kTerminalTitle characters; an issue otherwise.
void checkTitle(common::BodyReader& reader, const std::string& title);

}  // namespace svc::terminals
