#include "dependency_specs.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/base/text.h"

#include "source_spec.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::string_view kFileScheme = "file:";

int hexValue(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto at = kDigits.find(static_cast<char>(c | 0x20));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// As npm reads the path of a `file:`.
std::string percentDecoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '%' && at + 2 < text.size() && hexValue(text[at + 1]) >= 0 &&
                        hexValue(text[at + 2]) >= 0;
    out +=
        escape ? static_cast<char>(hexValue(text[at + 1]) * 16 + hexValue(text[at + 2])) : text[at];
    at += escape ? 2 : 0;
  }
  return out;
}

/// The path that a dependency is read from; nothing when it comes from elsewhere.
std::optional<std::string> pathOf(const std::string& spec) {
  if (spec.starts_with(kFileScheme)) {
    auto path = percentDecoded(std::string_view(spec).substr(kFileScheme.size()));
    if (path.starts_with("//")) {
      const auto first = path.find_first_not_of('/');
      path = first == std::string::npos ? "/" : path.substr(first - 1);
    }
    return path;
  }
  constexpr std::array<std::string_view, 3> kArchives{".tgz", ".tar.gz", ".tar"};
  const bool is_path = spec.starts_with('.') || spec.starts_with('/') || spec.starts_with('~');
  const bool is_archive =
      spec.find(':') == std::string::npos &&
      std::any_of(kArchives.begin(), kArchives.end(),
                  [&spec](std::string_view end) { return spec.ends_with(end); });
  // `~1.2` is a range.
  const bool is_range = spec.starts_with('~') && !spec.starts_with("~/");
  return (is_path && !is_range) || is_archive ? std::optional(spec) : std::nullopt;
}

bool isInside(const fs::path& root, const std::string& path, const fs::path& within) {
  std::error_code failure;
  const auto real = fs::weakly_canonical(root / path, failure);
  const auto bounds = failure ? fs::path() : fs::weakly_canonical(within, failure);
  return !path.starts_with('~') && !failure && base::isWithin(real.native(), bounds.native());
}

/// Of addresses: https, ssh, and http on this machine, also of repositories. What is no address is a version or a repository of a service.
bool isFetched(std::string_view spec) {
  constexpr std::string_view kGit = "git+";
  const auto address = spec.starts_with(kGit) ? spec.substr(kGit.size()) : spec;
  const auto scheme = base::lowerAscii(address.substr(0, address.find(':')));
  constexpr std::array<std::string_view, 5> kSchemes{"http", "https", "git", "ftp", "file"};
  if (std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end()) {
    return address.find(':') == std::string_view::npos || isFetchUrl(address);
  }
  return address.find("://") == std::string_view::npos || scheme == "ssh";
}

Status checkOne(const std::string& name, const std::string& spec, const fs::path& root,
                const fs::path& within) {
  if (const auto path = pathOf(spec)) {
    return isInside(root, *path, within)
               ? Status()
               : refusal(
                     "path_escape",
                     fmt::format("the dependency {} is at {}, outside of the package", name, spec));
  }
  return isFetched(spec)
             ? Status()
             : refusal("not_found",
                       fmt::format("the dependency {} is at {}: only https addresses are fetched",
                                   name, spec));
}

Status checkAll(const Json& block, const fs::path& root, const fs::path& within) {
  for (const auto& [name, wanted] : block.members()) {
    auto checked = wanted.isObject() ? checkAll(wanted, root, within)
                                     : checkOne(name, wanted.asString(), root, within);
    if (!checked) {
      return checked;
    }
  }
  return {};
}

}  // namespace

Status checkDependencies(const Json& manifest, const fs::path& root, const fs::path& within) {
  for (const auto* block : {"dependencies", "optionalDependencies", "overrides"}) {
    if (auto checked = checkAll(manifest[block], root, within); !checked) {
      return checked;
    }
  }
  return {};
}

Status checkInstalledDependencies(const fs::path& root, const fs::path& within) {
  std::ifstream in(root / "node_modules/.package-lock.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto lock = Json::parse(text);
  if (!lock) {
    return {};
  }
  for (const auto& [place, package] : lock.value()["packages"].members()) {
    const auto& from = package["resolved"].asString();
    if (from.starts_with(kFileScheme)) {
      if (auto checked = checkOne(place, from, root, within); !checked) {
        return checked;
      }
    }
  }
  return {};
}

}  // namespace svc::installs
