#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::agentd {

/// A unified diff of one hunk: what both texts begin and end with is left out but for three lines. Without `before` the file is new.
/// Linear: agents send whole files.
[[nodiscard]] std::string unifiedDiff(std::string_view path,
                                      const std::optional<std::string>& before,
                                      std::string_view after);

}  // namespace svc::agentd
