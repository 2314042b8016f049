#include "source_spec.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/semver.h"

#include "source_text.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::size_t kPackageName = 214;

std::string_view kindName(SourceKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"path",    "npm",     "git",
                                                   "tarball", "builtin", "catalog"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void setText(Json& out, const char* key, const std::string& value) {
  if (!value.empty()) {
    out.set(key, value);
  }
}

/// Plain http carries code only inside this machine. What stands before an "@" is no host.
bool isLocalHttp(std::string_view url) {
  constexpr std::array<std::string_view, 3> kLocal{"http://127.0.0.1", "http://localhost",
                                                   "http://[::1]"};
  return std::any_of(kLocal.begin(), kLocal.end(), [url](auto local) {
    const auto rest = url.substr(std::min(local.size(), url.size()));
    const auto authority = rest.substr(0, rest.find_first_of("/?#"));
    return url.starts_with(local) && (rest.empty() || rest[0] == ':' || rest[0] == '/') &&
           authority.find('@') == std::string_view::npos;
  });
}

}  // namespace

Error refusal(std::string_view reason, std::string message) {
  return {errc::kInstallRefused, std::move(message), Json::object().set("reason", reason).dump()};
}

bool isExample(const SourceSpec& spec) {
  return spec.kind == SourceKind::kTarball && spec.location.starts_with(kExamplePrefix);
}

bool isPackageName(std::string_view name) {
  auto bare = name;
  if (name.starts_with('@')) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || slash == 1) {
      return false;
    }
    const auto scope = name.substr(1, slash - 1);
    if (!std::all_of(scope.begin(), scope.end(), isNameCharacter) || scope.front() == '.') {
      return false;
    }
    bare = name.substr(slash + 1);
  }
  return !bare.empty() && name.size() <= kPackageName && bare.front() != '.' &&
         bare.front() != '_' && bare.front() != '-' &&
         std::all_of(bare.begin(), bare.end(), isNameCharacter);
}

NpmSpecKind npmSpecKind(std::string_view spec) {
  if (spec.empty()) {
    return NpmSpecKind::kNewest;
  }
  if (common::semver::Version::parse(spec)) {
    return NpmSpecKind::kExact;
  }
  return common::semver::Range::parse(spec) ? NpmSpecKind::kRange : NpmSpecKind::kTag;
}

Result<std::string> checkSubdirectory(std::string_view path) {
  const auto normal = fs::path(path).lexically_normal();
  const bool leaves = normal.is_absolute() || (!normal.empty() && *normal.begin() == "..");
  if (leaves || std::any_of(path.begin(), path.end(), isControl)) {
    return refusal("path_escape",
                   fmt::format("the subdirectory \"{}\" is not inside the repository", path));
  }
  auto text = normal.string();
  while (text.ends_with('/')) {
    text.pop_back();
  }
  return text == "." ? std::string() : text;
}

bool isGitUrl(std::string_view url) {
  if (url.empty() || url.front() == '-' || std::any_of(url.begin(), url.end(), isControl) ||
      url.find("::") != std::string_view::npos) {
    return false;
  }
  if (url.find("://") != std::string_view::npos) {
    constexpr std::array<std::string_view, 3> kSchemes{"https://", "ssh://", "file://"};
    return isLocalHttp(url) || std::any_of(kSchemes.begin(), kSchemes.end(), [url](auto scheme) {
             return url.starts_with(scheme) && url.size() > scheme.size();
           });
  }
  return url.front() == '/' || isHostPath(url);
}

bool isFetchUrl(std::string_view url) {
  if (url.empty() ||
      std::any_of(url.begin(), url.end(), [](char c) { return isControl(c) || c == ' '; })) {
    return false;
  }
  return url.starts_with("https://") || isLocalHttp(url);
}

bool hasPassword(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) {
    return false;
  }
  auto authority = url.substr(scheme + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const auto at = authority.rfind('@');
  return at != std::string_view::npos &&
         authority.substr(0, at).find(':') != std::string_view::npos;
}

std::string identityOf(const SourceSpec& spec) {
  switch (spec.kind) {
    case SourceKind::kNpm:
      return fmt::format("npm:{}{}", spec.package,
                         spec.registry.empty() ? "" : " from " + spec.registry);
    case SourceKind::kGit:
      return fmt::format("git:{}#{}", spec.url, spec.subdirectory);
    case SourceKind::kTarball:
      return isExample(spec) ? spec.location : "tarball:" + spec.location;
    default:
      return spec.text;
  }
}

Json toJson(const SourceSpec& spec) {
  auto out = Json::object().set("kind", kindName(spec.kind)).set("identity", identityOf(spec));
  setText(out, "package", spec.package);
  setText(out, "spec", spec.spec);
  setText(out, "registry", spec.registry);
  setText(out, "url", spec.url);
  setText(out, "ref", spec.ref);
  setText(out, "tagPrefix", spec.tag_prefix);
  setText(out, "range", spec.range);
  setText(out, "subdirectory", spec.subdirectory);
  setText(out, "entry", spec.entry);
  setText(out, "location", spec.location);
  if (spec.force_ref) {
    out.set("forceRef", true);
  }
  if (spec.semver) {
    out.set("semver", true);
  }
  if (spec.kind == SourceKind::kNpm && npmSpecKind(spec.spec) == NpmSpecKind::kRange) {
    out.set("range", spec.spec);
  }
  return out;
}

SourceSpec specFromJson(const Json& detail) {
  SourceSpec out;
  for (int kind = 0; kind <= static_cast<int>(SourceKind::kCatalog); ++kind) {
    if (kindName(static_cast<SourceKind>(kind)) == detail["kind"].asString()) {
      out.kind = static_cast<SourceKind>(kind);
    }
  }
  out.package = detail["package"].asString();
  out.spec = detail["spec"].asString();
  out.registry = detail["registry"].asString();
  out.url = detail["url"].asString();
  out.ref = detail["ref"].asString();
  out.force_ref = detail["forceRef"].asBool();
  out.semver = detail["semver"].asBool();
  out.tag_prefix = detail["tagPrefix"].asString();
  out.range = out.semver ? detail["range"].asString() : "";
  out.subdirectory = detail["subdirectory"].asString();
  out.entry = detail["entry"].asString();
  out.location = detail["location"].asString();
  return out;
}

}  // namespace svc::installs
