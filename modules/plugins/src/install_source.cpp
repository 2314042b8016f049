#include "install_source.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "svc/base/home.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "plugin_files.h"

namespace svc::plugins {

namespace fs = std::filesystem;

Error refused(std::string_view reason, std::string message) {
  return {errc::kInstallRefused, std::move(message),
          common::Json::object().set("reason", reason).dump()};
}

Error reservedId(std::string_view plugin_id) {
  return refused(
      "reserved_id",
      fmt::format("the id \"{}\" is reserved for the service; rename the package", plugin_id));
}

Error idInUse(const storage::PluginRow& row) {
  return refused("id_in_use", fmt::format("plugin \"{}\" is installed from {}; remove it first, "
                                          "which keeps its database and deletes its settings, "
                                          "secrets and token",
                                          row.id, row.source));
}

Result<fs::path> sourceDirectory(std::string_view source, std::string_view home) {
  constexpr std::array<std::string_view, 6> kOtherKinds{"npm:",     "git:",     "http://",
                                                        "https://", "builtin:", "example:"};
  constexpr std::string_view kPathPrefix = "path:";
  for (const auto kind : kOtherKinds) {
    if (source.starts_with(kind)) {
      return Error{errc::kNotSupported,
                   fmt::format("\"{}\" is not a directory; the module installs takes it", source)};
    }
  }
  auto text = source;
  if (text.starts_with(kPathPrefix)) {
    text.remove_prefix(kPathPrefix.size());
  }
  const bool in_home = (text == "~" || text.starts_with("~/")) && !home.empty();
  fs::path path = in_home ? fs::path(fmt::format("{}{}", home, text.substr(1))) : fs::path(text);
  if (text.empty()) {
    return refused("not_found", "no source was given; name the plugin's directory");
  }
  if (!path.is_absolute()) {
    return refused(
        "not_found",
        fmt::format("\"{}\" is a relative path, and the server has no directory of yours to "
                    "start from; give the absolute path",
                    text));
  }
  path = path.lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

Result<fs::path> localDirectory(std::string_view source) {
  const char* home =
      std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return sourceDirectory(source, base::homeDirectory(home == nullptr ? "" : home));
}

Result<InstallCandidate> inspectSource(std::string_view source) {
  auto root = localDirectory(source);
  if (!root) {
    return std::move(root).error();
  }
  return inspectDirectory(std::move(root).value());
}

Result<InstallCandidate> inspectDirectory(fs::path root) {
  auto parsed = readPlugin(root);
  if (parsed) {
    return InstallCandidate{std::move(root), std::move(parsed).value().manifest};
  }
  const auto& error = parsed.error();
  if (error.code == kPathEscape) {
    return refused("path_escape", error.message);
  }
  const bool not_there = error.code == kNoDirectory || error.code == errc::kNotFound;
  return refused(not_there ? "not_found" : "no_manifest", error.message);
}

}  // namespace svc::plugins
