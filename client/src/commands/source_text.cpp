#include "commands/source_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "commands/commands.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

bool startsLikePath(std::string_view text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../") ||
         text.starts_with("~/") || text == "." || text == ".." || text == "~";
}

fs::path absolutePath(std::string path, const Environment& environment) {
  if (path == "~" || path.starts_with("~/")) {
    path = environment.home.string() + path.substr(1);
  }
  auto absolute = (environment.working_dir / path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

/// What the server reads as it is: a prefix of its own, an address, or `user@host:path` of ssh.
bool isManaged(std::string_view source) {
  constexpr std::array<std::string_view, 4> kPrefixes{"npm:", "git:", "builtin:", "example:"};
  const auto at = source.find('@');
  const auto colon = source.find(':');
  const bool host_path = at != std::string_view::npos && colon != std::string_view::npos &&
                         at < colon && source.find('/') > colon;
  return host_path || source.find("://") != std::string_view::npos ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return source.starts_with(prefix); });
}

bool isTarballName(std::string_view text) {
  return text.ends_with(".tgz") || text.ends_with(".tar.gz");
}

/// A path without a prefix: a directory, or a tarball by its name. A directory may have such a name too.
Source pathSource(fs::path absolute) {
  std::error_code ignored;
  if (isTarballName(absolute.native()) && !fs::is_directory(absolute, ignored)) {
    return {"tarball:" + absolute.string(), {}, false};
  }
  auto text = "path:" + absolute.string();
  return {std::move(text), std::move(absolute), false};
}

}  // namespace

Source resolveSource(const std::string& given, const Environment& environment) {
  constexpr std::string_view kGit = "git:";
  constexpr std::string_view kPath = "path:";
  constexpr std::string_view kTarball = "tarball:";
  if (given.starts_with(kGit) && startsLikePath(std::string_view(given).substr(kGit.size()))) {
    const auto rest = given.substr(kGit.size());
    if (!rest.starts_with("//")) {  // git://host is an address
      return {"git:" + absolutePath(rest, environment).string(), {}, false};
    }
  }
  if (given.starts_with(kPath)) {
    auto absolute = absolutePath(given.substr(kPath.size()), environment);
    auto text = "path:" + absolute.string();
    return {std::move(text), std::move(absolute), false};
  }
  if (given.starts_with(kTarball) && given.find("://") == std::string::npos) {
    const auto absolute = absolutePath(given.substr(kTarball.size()), environment);
    return {"tarball:" + absolute.string(), {}, false};
  }
  if (!startsLikePath(given) && (given.starts_with(kTarball) || isManaged(given))) {
    return {given, {}, false};
  }
  auto absolute = absolutePath(given, environment);
  std::error_code ignored;
  const bool is_path = given.find('/') != std::string::npos || startsLikePath(given) ||
                       fs::exists(absolute, ignored) || isTarballName(given);
  return is_path ? pathSource(std::move(absolute)) : Source{given, {}, true};
}

common::Json installBody(const InstallOptions& options, const std::string& source) {
  auto body = common::Json::object();
  body.set("source", source);
  if (!options.subdirectory.empty()) {
    body.set("selection",
             common::Json::object().set("kind", "subdirectory").set("path", options.subdirectory));
  } else if (!options.entry.empty()) {
    body.set("selection", common::Json::object().set("kind", "entry").set("name", options.entry));
  }
  if (!options.tag_prefix.empty()) {
    body.set("tagPrefix", options.tag_prefix);
  }
  return body;
}

}  // namespace svc::client
