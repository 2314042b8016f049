#include "commands/source_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace svc::client {
namespace {

namespace fs = std::filesystem;

bool startsLikePath(std::string_view text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../") ||
         text.starts_with("~/") || text == "." || text == ".." || text == "~";
}

fs::path absolutePath(std::string path, const Environment& environment) {
  if (path == "~" || path.starts_with("~/")) {
    path = environment.variable("HOME").value_or("") + path.substr(1);
  }
  auto absolute = (environment.working_dir / path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

bool isManaged(std::string_view source) {
  constexpr std::array<std::string_view, 5> kPrefixes{"npm:", "git:", "builtin:", "http://",
                                                      "https://"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return source.starts_with(prefix); });
}

}  // namespace

Source resolveSource(const std::string& given, const Environment& environment) {
  constexpr std::string_view kGit = "git:";
  constexpr std::string_view kPath = "path:";
  if (given.starts_with(kGit) && startsLikePath(std::string_view(given).substr(kGit.size()))) {
    return {"git:" + absolutePath(given.substr(kGit.size()), environment).string(), {}, false};
  }
  if (isManaged(given)) {
    return {given, {}, false};
  }
  const bool explicit_path = given.starts_with(kPath);
  auto absolute = absolutePath(explicit_path ? given.substr(kPath.size()) : given, environment);
  std::error_code ignored;
  const bool is_path = explicit_path || given.find('/') != std::string::npos ||
                       startsLikePath(given) || fs::exists(absolute, ignored);
  if (!is_path) {
    return {given, {}, true};
  }
  auto text = "path:" + absolute.string();
  return {std::move(text), std::move(absolute), false};
}

}  // namespace svc::client
