#pragma once

#include <string>
#include <string_view>

namespace svc::base {

/// Segments of a source tree that a watch never looks into: build output, packages, version control.
[[nodiscard]] bool isIgnoredDirectory(std::string_view name);
/// Files that editors keep beside the one being edited, and what stands in for an ignored directory.
[[nodiscard]] bool isIgnoredFile(std::string_view name);
/// The same as InotifyTrees asks for it.
[[nodiscard]] bool isIgnoredSource(const std::string& path, bool is_directory);

}  // namespace svc::base
