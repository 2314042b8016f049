#pragma once

#include <string>
#include <vector>

#include "svc/kernel/result.h"

#include "mcp_setup/json_member.h"

namespace svc::client {

/// `text` (TOML) with the lines of the table `[container.name]` in a block that begins and ends with comments of this program; everything
/// else stays byte by byte. Errors: `invalid_input` when the text cannot be read, or no table can be added to it; `conflict` when the block
/// says something else, or the entry is written by hand, and `force` is false. With `force` the lines of that entry go.
[[nodiscard]] Result<Edit> setTomlTable(const std::string& text, const std::string& container,
                                        const std::string& name,
                                        const std::vector<std::string>& lines, bool force);

/// `text` without that block; `kUnchanged` when there is no such entry. Errors: `invalid_input` when the text cannot be read; `conflict` when
/// the entry is written by hand and `force` is false. With `force` the lines of that entry go.
[[nodiscard]] Result<Edit> removeTomlTable(const std::string& text, const std::string& container,
                                           const std::string& name, bool force);

/// A TOML string.
[[nodiscard]] std::string tomlString(const std::string& text);

}  // namespace svc::client
