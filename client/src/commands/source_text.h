#pragma once

#include <filesystem>
#include <string>

#include "svc/common/json.h"

#include "server_locator.h"

namespace svc::client {

struct InstallOptions;

/// Where a plugin or a marketplace comes from, as typed.
struct Source {
  /// As the server gets it: paths as absolute `path:`, `git:` or `tarball:`.
  std::string text;
  /// Set for a directory.
  std::filesystem::path path;
  /// A catalogue entry, `<entry>[@<marketplace>]`: neither a path nor a form with a prefix.
  bool entry = false;
};

/// Relative paths mean the caller's directory, which the server does not know.
[[nodiscard]] Source resolveSource(const std::string& given, const Environment& environment);

/// The body of a request about a source and the plugin in it.
[[nodiscard]] common::Json installBody(const InstallOptions& options, const std::string& source);

}  // namespace svc::client
