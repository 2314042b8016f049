#include "sdk_pins.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"

#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

Error incomplete(const fs::path& path) {
  return Error{errc::kUnavailable,
               fmt::format("{} is missing or damaged: install svc again", path.string())};
}

Json without(const Json& object, std::string_view key) {
  auto members = object.members();
  std::erase_if(members, [&](const auto& member) { return member.first == key; });
  return Json(std::move(members));
}

/// Where npm would put it: before the first name that is greater.
Json withSorted(const Json& object, const std::string& key, const std::string& value) {
  auto members = object.members();
  const auto same = std::find_if(members.begin(), members.end(),
                                 [&](const auto& member) { return member.first == key; });
  if (same != members.end()) {
    same->second = value;
  } else {
    const auto after = std::find_if(members.begin(), members.end(),
                                    [&](const auto& member) { return member.first > key; });
    members.insert(after, {key, value});
  }
  return Json(std::move(members));
}

/// What the manifest says now; dependencies win, because that is what is wrong with them.
std::optional<std::string> declared(const Json& manifest, const std::string& name) {
  for (const auto* const block : {kDependencies, kDevDependencies}) {
    if (const auto* const spec = manifest[block].find(name)) {
      return spec->asString();
    }
  }
  return std::nullopt;
}

void pin(Json& manifest, const std::string& name, const std::string& version, bool add,
         std::vector<PinChange>& changes) {
  const auto from = declared(manifest, name);
  const bool misplaced = manifest[kDependencies].find(name) != nullptr;
  if ((!from && !add) || (!misplaced && from == version)) {
    return;
  }
  if (misplaced) {
    manifest.set(kDependencies, without(manifest[kDependencies], name));
  }
  manifest.set(kDevDependencies, withSorted(manifest[kDevDependencies], name, version));
  changes.push_back({name, from.value_or("none"), version});
}

/// The white space in front of the first member; two spaces when the text is on one line.
std::string indentationOf(const std::string& text) {
  const auto line = text.find('\n');
  const auto start = line == std::string::npos ? line : line + 1;
  const auto end = start == std::string::npos ? start : text.find_first_not_of(" \t", start);
  return end == std::string::npos || end == start ? "  " : text.substr(start, end - start);
}

/// dumpPretty() indents by two; line breaks inside strings are escaped, so lines are structure.
std::string indented(const std::string& pretty, const std::string& unit) {
  std::string result;
  for (std::size_t at = 0; at < pretty.size();) {
    const auto end = std::min(pretty.find('\n', at), pretty.size());
    const auto line = std::string_view(pretty).substr(at, end - at);
    const auto spaces = std::min(line.find_first_not_of(' '), line.size());
    for (std::size_t depth = 0; depth < spaces / 2; ++depth) {
      result += unit;
    }
    result.append(line.substr(spaces)).append(end < pretty.size() ? "\n" : "");
    at = end + 1;
  }
  return result;
}

}  // namespace

fs::path shareDir(const Environment& environment) {
  return environment.program_dir.parent_path() / "share" / "svc";
}

Result<CarriedSdk> readCarriedSdk(const fs::path& share) {
  const auto tables = share / "sdk" / "dist" / "runtime-slots.json";
  const auto file = readJsonFile(tables);
  if (!file || file.value().json["sdkVersion"].asString().empty()) {
    return incomplete(tables);
  }
  CarriedSdk sdk;
  sdk.version = file.value().json["sdkVersion"].asString();
  sdk.files = share / "sdk" / "dist";
  sdk.tarball = share / "sdk" / fmt::format("get-svc-plugin-sdk-{}.tgz", sdk.version);
  std::error_code ignored;
  if (!fs::exists(sdk.tarball, ignored)) {
    return incomplete(sdk.tarball);
  }
  for (const auto& [name, version] : file.value().json["runtimePackageVersions"].members()) {
    sdk.runtime_packages[name] = version.asString();
  }
  return sdk;
}

std::vector<PinChange> applyPins(Json& manifest, const CarriedSdk& sdk) {
  std::vector<PinChange> changes;
  pin(manifest, std::string(kSdkPackage), sdk.version, true, changes);
  for (const auto& [name, version] : sdk.runtime_packages) {
    pin(manifest, name, version, false, changes);
  }
  return changes;
}

bool declareMissing(Json& manifest, const char* block, const std::string& name,
                    const std::string& range) {
  if (declared(manifest, name)) {
    return false;
  }
  manifest.set(block, withSorted(manifest[block], name, range));
  return true;
}

std::string pinWarning(const Json& manifest, const CarriedSdk& sdk) {
  const auto pinned = declared(manifest, std::string(kSdkPackage));
  if (pinned == sdk.version) {
    return {};
  }
  return fmt::format("package.json pins {} {}, this svc has {}: run `svc plugin types`",
                     kSdkPackage, oneLine(pinned.value_or("nowhere")), sdk.version);
}

Result<PackageFile> readPackageFile(const fs::path& directory) {
  return readJsonFile(directory / "package.json");
}

Result<PackageFile> readJsonFile(const fs::path& path) {
  PackageFile file;
  file.path = path;
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  file.text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in) {
    return Error{errc::kNotFound, fmt::format("{} cannot be read: {}", path.string(),
                                              std::strerror(errno == 0 ? EIO : errno))};
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view content = file.text;
  if (content.starts_with(kByteOrderMark)) {
    content.remove_prefix(kByteOrderMark.size());
  }
  auto json = Json::parse(content);
  if (!json) {
    return Error{
        errc::kInvalidArgument,
        fmt::format("{} is not valid JSON: {}", path.filename().string(), json.error().message)};
  }
  if (!json.value().isObject()) {
    return Error{errc::kInvalidArgument, path.filename().string() + " must be a JSON object"};
  }
  file.json = std::move(json).value();
  return file;
}

Status writePackageFile(const PackageFile& file) {
  auto text = indented(file.json.dumpPretty(), indentationOf(file.text));
  if (file.text.ends_with('\n') && !text.ends_with('\n')) {
    text += '\n';
  }
  // A link stays a link.
  std::error_code failure;
  auto target = fs::canonical(file.path, failure);
  if (failure) {
    target = file.path;
  }
  // As a whole: a full disk must not leave half a manifest.
  base::NewFile options;
  options.staged = target;
  options.staged += ".svc-new";
  options.mode = static_cast<mode_t>(fs::status(target, failure).permissions()) & 07777U;
  if (failure || !base::replaceFile(target, text, options)) {
    return Error{errc::kUnavailable, fmt::format("{} cannot be written", file.path.string())};
  }
  return {};
}

}  // namespace svc::client
