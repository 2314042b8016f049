#include "backup_manifest.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include <Poco/DigestEngine.h>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// A name of the manifest, which is JSON: one that is no UTF-8 is there as its bytes, under another key.
void setName(Json& entry, const std::string& key, const std::string& name) {
  if (common::isUtf8(name)) {
    entry.set(key, name);
  } else {
    entry.set(key + "Hex", Poco::DigestEngine::digestToHex(
                               Poco::DigestEngine::Digest(name.begin(), name.end())));
  }
}

/// Empty, which names no file, when what stands for its bytes does not.
std::string nameOf(const Json& entry, const std::string& key) {
  if (!entry[key + "Hex"].isString()) {
    return entry[key].asString();
  }
  const auto& digits = entry[key + "Hex"].asString();
  if (digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    return {};
  }
  const auto bytes = Poco::DigestEngine::digestFromHex(digits);
  return {bytes.begin(), bytes.end()};
}

/// Then it is another directory than its path says.
bool leadsThroughLink(fs::path directory, const fs::path& path) {
  return std::ranges::any_of(path, [&directory](const fs::path& name) {
    std::error_code ignored;
    directory /= name;
    return fs::is_symlink(directory, ignored);
  });
}

Json leftOutJson(const std::vector<LeftOut>& left_out) {
  auto list = Json::array();
  for (const auto& each : left_out) {
    auto entry = Json::object();
    setName(entry, "path", each.path);
    list.push(std::move(entry.set("reason", each.reason)));
  }
  return list;
}

}  // namespace

Error notABackup(const fs::path& file, std::string_view why) {
  return {errc::kInvalidInput, fmt::format("{} is not a complete backup: {}", file.string(), why)};
}

std::vector<LeftOut> notRestored(const Json& manifest, const std::vector<ArchivedFile>& files) {
  std::vector<LeftOut> out;
  for (const auto& entry : manifest["leftOut"].items()) {
    out.push_back({nameOf(entry, "path"), entry["reason"].asString()});
  }
  for (const auto& file : files) {
    if (!file.left_out.empty()) {
      out.push_back({file.path, file.left_out});
    }
  }
  return out;
}

Json manifestJson(const BackupInfo& info, const fs::path& data, std::int64_t schema,
                  const std::vector<ArchivedFile>& files, const std::vector<BackupFile>& listed) {
  auto list = Json::array();
  for (const auto& file : files) {
    auto entry = Json::object();
    setName(entry, "path", file.path);
    if (file.link.empty()) {
      entry.set("size", file.size).set("sha256", file.sha256);
    } else {
      setName(entry, "link", file.link);
    }
    list.push(std::move(entry));
  }
  auto directories = Json::array();
  for (const auto& each : listed) {
    if (each.kind == BackupFile::Kind::kEmptyDirectory) {
      auto entry = Json::object();
      setName(entry, "path", each.path);
      directories.push(std::move(entry));
    }
  }
  auto plugins = Json::array();
  for (const auto& id : info.plugins) {
    plugins.push(id);
  }
  return Json::object()
      .set("format", kBackupFormat)
      .set("formatVersion", kBackupFormatVersion)
      .set("serviceVersion", info.version)
      .set("schema", schema)
      .set("createdAt", info.created_at)
      .set("dataDir", data.string())
      .set("plugins", std::move(plugins))
      .set("leftOut", leftOutJson(info.left_out))
      .set("emptyDirectories", std::move(directories))
      .set("files", std::move(list));
}

Status makeDirectories(const fs::path& file, const fs::path& directory, const Json& manifest) {
  for (const auto& entry : manifest["emptyDirectories"].items()) {
    const auto path = nameOf(entry, "path");
    if (!isSafePath(path) || leadsThroughLink(directory, path)) {
      return notABackup(file, fmt::format("the directory \"{}\" has no place in it", path));
    }
    if (!belongsInBackup(path)) {
      continue;
    }
    if (auto status = base::makePrivateDirectory(directory / path); !status) {
      return status;
    }
  }
  return {};
}

Status compareFiles(const fs::path& file, const Json& manifest,
                    const std::vector<ArchivedFile>& found) {
  std::map<std::string, const Json*> expected;
  for (const auto& entry : manifest["files"].items()) {
    expected.emplace(nameOf(entry, "path"), &entry);
  }
  for (const auto& entry : found) {
    const auto at = expected.find(entry.path);
    if (at == expected.end()) {
      return notABackup(file, fmt::format("its manifest does not list {}", entry.path));
    }
    const auto& listed = *at->second;
    const bool same = entry.link.empty() ? listed["sha256"].asString() == entry.sha256
                                         : nameOf(listed, "link") == entry.link;
    if (!same) {
      return notABackup(file, fmt::format("{} is damaged (its digest differs)", entry.path));
    }
    expected.erase(at);
  }
  return expected.empty()
             ? Status()
             : Status(notABackup(file, fmt::format("{} is missing", expected.begin()->first)));
}

}  // namespace svc::updates
