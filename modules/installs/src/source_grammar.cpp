#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/installs.h"
#include "svc/common/semver.h"

#include "source_spec.h"
#include "source_text.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSourceText = 4096;

bool endsWithAny(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [text](auto end) { return text.ends_with(end); });
}

bool isTarballName(std::string_view text) { return endsWithAny(text, {".tgz", ".tar.gz"}); }

Error wrongSource(std::string_view text, const std::string& what) {
  return refusal("not_found", fmt::format("\"{}\": {}", text, what));
}

Error passwordInUrl() {
  return refusal("not_found",
                 "the address carries a password, which lists and logs would show; use a "
                 "credential helper or a .netrc file instead");
}

/// For addresses whose content anybody on the way can change.
Error insecure(std::string_view url) {
  return refusal("insecure", fmt::format("{} is not fetched: {} is not protected on its way here; "
                                         "use https or ssh",
                                         url, url.substr(0, url.find("://"))));
}

bool isInsecure(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("git://") || url.starts_with("ftp://");
}

std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Where "@spec" begins in a git source; npos when there is none. An "@" in the host part belongs to the URL.
std::size_t specStart(std::string_view text) {
  std::size_t path = 0;
  if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
    path = text.find('/', scheme + 3);
  } else if (isHostPath(text)) {
    path = text.find(':');
  }
  if (path == std::string_view::npos) {
    return path;
  }
  if (const auto repository = text.find(".git@", path); repository != std::string_view::npos) {
    return repository + 4;
  }
  for (auto at = text.find('@', path); at != std::string_view::npos; at = text.find('@', at + 1)) {
    if (at > 0 && text[at - 1] != '/') {
      return at;
    }
  }
  return std::string_view::npos;
}

/// What git itself refuses in the name of a ref, and what would read as an option.
bool isRefName(std::string_view ref) {
  constexpr std::string_view kForbidden = " ~^:?*[\\";
  return !ref.empty() && ref.front() != '-' && ref.front() != '/' && ref.back() != '/' &&
         ref.back() != '.' && ref.find("..") == std::string_view::npos &&
         ref.find("@{") == std::string_view::npos && !ref.ends_with(".lock") &&
         std::none_of(ref.begin(), ref.end(), [&](char c) {
           return isControl(c) || kForbidden.find(c) != std::string_view::npos;
         });
}

Status readGitSpec(SourceSpec& out, std::string_view whole, std::string_view spec) {
  constexpr std::string_view kSemver = "semver:";
  constexpr std::string_view kRef = "ref:";
  if (spec.starts_with(kSemver)) {
    const auto rest = spec.substr(kSemver.size());
    const auto colon = rest.rfind(':');
    out.semver = true;
    if (colon != std::string_view::npos) {
      out.tag_prefix = rest.substr(0, colon);
    }
    out.range = colon == std::string_view::npos ? rest : rest.substr(colon + 1);
    if (!common::semver::Range::parse(out.range)) {
      return wrongSource(whole, fmt::format("\"{}\" is not a version range", out.range));
    }
    return {};
  }
  out.force_ref = spec.starts_with(kRef);
  out.ref = out.force_ref ? spec.substr(kRef.size()) : spec;
  if (!isRefName(out.ref)) {
    const bool range = common::semver::Range::parse(out.ref).has_value();
    return wrongSource(
        whole, fmt::format("\"{}\" is not the name of a branch, a tag or a commit{}", out.ref,
                           range ? "; a version range is written @semver:" + out.ref : ""));
  }
  return {};
}

Result<SourceSpec> readGit(std::string_view whole, std::string_view text,
                           const Selection& selection) {
  SourceSpec out;
  out.kind = SourceKind::kGit;
  const auto at = specStart(text);
  out.url = text.substr(0, at);
  if (!isGitUrl(out.url) && isInsecure(out.url)) {
    return insecure(out.url);
  }
  if (!isGitUrl(out.url)) {
    return wrongSource(whole,
                       fmt::format("\"{}\" is not the address of a git repository; use https, "
                                   "ssh, git@host:path or file:///path",
                                   out.url));
  }
  if (hasPassword(out.url)) {
    return passwordInUrl();
  }
  if (at != std::string_view::npos) {
    if (auto status = readGitSpec(out, whole, text.substr(at + 1)); !status) {
      return std::move(status).error();
    }
  }
  if (!selection.tag_prefix.empty()) {
    if (!out.semver) {
      return wrongSource(whole, "a tag prefix needs a version range (@semver:<range>)");
    }
    if (!out.tag_prefix.empty() && out.tag_prefix != selection.tag_prefix) {
      return wrongSource(whole, fmt::format(R"(the tag prefix is given twice, "{}" and "{}")",
                                            out.tag_prefix, selection.tag_prefix));
    }
    out.tag_prefix = selection.tag_prefix;
  }
  if (out.tag_prefix.size() > limits::kTagPrefix) {
    return wrongSource(whole, fmt::format("the tag prefix has {} characters (limit tagPrefix: {})",
                                          out.tag_prefix.size(), limits::kTagPrefix));
  }
  if (!out.tag_prefix.empty() && !isRefName(out.tag_prefix + "v1.0.0")) {
    return wrongSource(whole, fmt::format("\"{}\" cannot begin a tag", out.tag_prefix));
  }
  if (selection.kind == Selection::Kind::kSubdirectory) {
    auto directory = checkSubdirectory(selection.value);
    if (!directory) {
      return std::move(directory).error();
    }
    out.subdirectory = std::move(directory).value();
  } else if (selection.kind == Selection::Kind::kEntry) {
    out.entry = selection.value;
  }
  out.text = fmt::format("git:{}{}", out.url, at == std::string_view::npos ? "" : text.substr(at));
  return out;
}

Result<SourceSpec> readNpm(std::string_view whole, std::string_view text) {
  SourceSpec out;
  out.kind = SourceKind::kNpm;
  const auto at = text.find('@', 1);
  out.package = text.substr(0, at);
  if (at != std::string_view::npos) {
    out.spec = text.substr(at + 1);
  }
  if (!isPackageName(out.package)) {
    return wrongSource(whole, fmt::format("\"{}\" is not the name of an npm package", out.package));
  }
  const bool is_tag = npmSpecKind(out.spec) == NpmSpecKind::kTag;
  if (at != std::string_view::npos &&
      (out.spec.empty() ||
       (is_tag && !std::all_of(out.spec.begin(), out.spec.end(), isNameCharacter)))) {
    return wrongSource(whole,
                       fmt::format("\"{}\" is not a version, a version range or a tag", out.spec));
  }
  out.text = fmt::format("npm:{}", text);
  return out;
}

Result<SourceSpec> readTarball(std::string_view whole, std::string_view text,
                               std::string_view home) {
  SourceSpec out;
  out.kind = SourceKind::kTarball;
  out.location = text.starts_with("~/") && !home.empty() ? fmt::format("{}{}", home, text.substr(1))
                                                         : std::string(text);
  const bool url = text.find("://") != std::string_view::npos;
  if (hasPassword(text)) {
    return passwordInUrl();
  }
  if (url && !isFetchUrl(text) && isInsecure(text)) {
    return insecure(text);
  }
  if (url ? !isFetchUrl(text) : !fs::path(out.location).is_absolute()) {
    return wrongSource(whole, url ? "a tarball is fetched over https"
                                  : "the server has no directory of yours to start from; give the "
                                    "absolute path of the tarball");
  }
  out.text = "tarball:" + out.location;
  return out;
}

Result<SourceSpec> readExample(std::string_view whole) {
  const auto name = whole.substr(kExamplePrefix.size());
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!is_name) {
    return wrongSource(whole, "this is no name of an example; `svc plugin examples` lists them");
  }
  SourceSpec out;
  out.kind = SourceKind::kTarball;
  out.text = whole;
  out.location = whole;
  return out;
}

Result<SourceSpec> readCatalog(std::string_view whole) {
  SourceSpec out;
  out.kind = SourceKind::kCatalog;
  const auto at = whole.find('@');
  out.entry_id = whole.substr(0, at);
  if (at != std::string_view::npos) {
    out.marketplace = whole.substr(at + 1);
  }
  const auto named = [](const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), isNameCharacter);
  };
  if (!named(out.entry_id) || (at != std::string_view::npos && !named(out.marketplace))) {
    return wrongSource(whole,
                       "this is no source; use a directory, npm:<package>, git:<url>, "
                       "tarball:<file> or the name of a catalogue entry");
  }
  out.text = whole;
  return out;
}

SourceSpec pathSource(std::string_view text) {
  SourceSpec out;
  out.kind = SourceKind::kPath;
  out.text = text;
  out.location = withoutPrefix(text, "path:");
  return out;
}

Result<SourceSpec> readAny(std::string_view text, const Selection& selection,
                           std::string_view home) {
  constexpr std::string_view kTarball = "tarball:";
  if (text.starts_with("path:")) {
    return pathSource(text);
  }
  if (text.starts_with("npm:")) {
    return readNpm(text, text.substr(4));
  }
  if (text.starts_with("git:") && !text.starts_with("git://")) {
    return readGit(text, withoutPrefix(text.substr(4), "git+"), selection);
  }
  if (text.starts_with("builtin:")) {
    SourceSpec out;
    out.kind = SourceKind::kBuiltin;
    out.text = text;
    out.location = text.substr(std::string_view("builtin:").size());
    return out;
  }
  if (text.starts_with(kExamplePrefix)) {
    return readExample(text);
  }
  if (text.starts_with(kTarball)) {
    return readTarball(text, text.substr(kTarball.size()), home);
  }
  const auto repository = withoutPrefix(text, "git+");
  if (isTarballName(text)) {
    return readTarball(text, text, home);
  }
  if (repository.find("://") != std::string_view::npos ||
      (isHostPath(repository) && repository.find('@') < repository.find(':'))) {
    return readGit(text, repository, selection);
  }
  if (text.find('/') != std::string_view::npos || text == "." || text == ".." || text == "~") {
    return pathSource(text);
  }
  return readCatalog(text);
}

}  // namespace

Result<SourceSpec> parseSource(std::string_view text, const Selection& selection,
                               std::string_view home) {
  if (text.empty()) {
    return refusal("not_found",
                   "no source was given; name a directory, npm:<package>, git:<url> "
                   "or the name of a catalogue entry");
  }
  if (text.size() > kSourceText || std::any_of(text.begin(), text.end(), isControl)) {
    return refusal("not_found", fmt::format("the source has {} characters, at most {}, or one that "
                                            "cannot be printed",
                                            text.size(), kSourceText));
  }
  auto spec = readAny(text, selection, home);
  const bool selects = selection.kind != Selection::Kind::kRoot || !selection.tag_prefix.empty();
  if (spec && selects && spec.value().kind != SourceKind::kGit) {
    return refusal("not_found",
                   "a subdirectory, a plugin entry and a tag prefix select inside a "
                   "git repository; this source is none");
  }
  return spec;
}

}  // namespace svc::installs
