#include "commands/config_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/base/user_name.h"
#include "svc/common/codes.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::size_t kFileLimit = 16UL * 1024 * 1024;

/// `object` without the member; objects that become empty go too.
Json without(const Json& object, const std::string& key) {
  const auto dot = key.find('.');
  Json result = Json::object();
  for (const auto& [name, value] : object.members()) {
    if (name == key) {
      continue;
    }
    if (dot != std::string::npos && name == key.substr(0, dot) && value.isObject()) {
      auto inner = without(value, key.substr(dot + 1));
      if (!inner.members().empty()) {
        result.set(name, std::move(inner));
      }
      continue;
    }
    result.set(name, value);
  }
  return result;
}

/// Both `"log": {"level": …}` and `"log.level": …` are read; the first is what people write.
void setNested(Json& object, const std::string& key, const Json& value) {
  const auto dot = key.find('.');
  if (dot == std::string::npos || object.find(key) != nullptr) {
    object.set(key, value);
    return;
  }
  const auto name = key.substr(0, dot);
  auto inner = object[name].isObject() ? object[name] : Json::object();
  setNested(inner, key.substr(dot + 1), value);
  object.set(name, std::move(inner));
}

/// What root makes in the home of a user, that user cannot change any more. A file that is there keeps its owner.
Status checkPlace(const fs::path& target) {
  struct stat status {};
  if (::geteuid() != 0 || ::stat(target.c_str(), &status) == 0) {
    return {};
  }
  auto place = target.parent_path();
  while (::stat(place.c_str(), &status) != 0 && place.has_relative_path()) {
    place = place.parent_path();
  }
  return status.st_uid == 0
             ? Status()
             : Status(
                   Error{codes::kRefused,
                         fmt::format("{} would be root's, and {} belongs to the user {}: run "
                                     "this as that user (sudo -u {} -H svc …)",
                                     target.string(), place.string(), base::userName(status.st_uid),
                                     base::userName(status.st_uid))});
}

}  // namespace

Result<std::string> editConfig(const fs::path& file, const std::string& key,
                               const std::optional<Json>& value) {
  const auto read = base::readFile(file, kFileLimit);
  if (!read && read.error().code != errc::kNotFound) {
    return read.error();
  }
  auto text = read ? read.value() : std::string();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    text = "{}";
  }
  auto json = Json::parse(text);
  if (!json) {
    return Error{errc::kConflict,
                 fmt::format("{} has comments or trailing commas, which would be lost; change {} "
                             "there by hand{}",
                             file.string(), key,
                             value ? fmt::format(": \"{}\": {}", key, value->dump()) : "")};
  }
  auto result = value ? json.value() : without(json.value(), key);
  if (value) {
    setNested(result, key, *value);
  } else if (result.dump() == json.value().dump()) {
    return Error{errc::kNotFound, fmt::format("{} is not set in {}", key, file.string())};
  }
  return result.dumpPretty() + "\n";
}

Result<base::StagedFile> stageConfig(const fs::path& target, const std::string& text,
                                     mode_t allowed) {
  if (auto status = checkPlace(target); !status) {
    return std::move(status).error();
  }
  std::error_code failed;
  fs::create_directories(target.parent_path(), failed);
  struct stat old {};
  constexpr mode_t kModes = 07777;
  base::NewFile options{.keeps_owner = true};
  if (::stat(target.c_str(), &old) == 0) {
    options.mode = old.st_mode & kModes & allowed;
  }
  // Two commands at a time must not write into one.
  options.staged = target;
  options.staged += "." + base::randomHex(4);
  return base::StagedFile::write(target, text, options);
}

}  // namespace svc::client
