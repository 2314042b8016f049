#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::agentd {

/// A unified diff of one hunk: what both texts begin and end with is left out but for three lines. Without `before` the file is new.
/// Linear: agents send whole files. `compared`: lines in which may be looked for what stayed, which takes their product; those of this
/// diff are taken off it, and with less left what differs is shown as replaced.
[[nodiscard]] std::string unifiedDiff(std::string_view path,
                                      const std::optional<std::string>& before,
                                      std::string_view after, std::size_t& compared);
/// One alone.
[[nodiscard]] std::string unifiedDiff(std::string_view path,
                                      const std::optional<std::string>& before,
                                      std::string_view after);

}  // namespace svc::agentd
