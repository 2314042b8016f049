#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::client {

/// The member of `params` that the header Mcp-Name repeats; empty for methods without one.
[[nodiscard]] std::string_view memberNamedBy(std::string_view method);

/// What the headers of a call must be that was refused for them with this answer: the schema of its tool has `x-mcp-header`, which is nothing
/// that a client of lines has to know. Empty for other answers.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> headersAskedFor(
    const std::string& text);

/// A value as a header carries it: wrapped in Base64 where it would not survive.
[[nodiscard]] std::string mcpHeaderValue(const std::string& value);

}  // namespace svc::client
