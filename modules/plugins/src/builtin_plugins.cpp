#include "builtin_plugins.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "manifest.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr const char* kDigests = "digests.json";

std::optional<std::string> readAll(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return std::nullopt;
  }
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

std::string sha256(const std::string& bytes) {
  Poco::SHA2Engine engine;
  engine.update(bytes);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

}  // namespace

std::vector<std::string> BuiltinPlugins::names() const {
  std::vector<std::string> out;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory_, failure)) {
    const auto name = entry.path().filename().string();
    if (!directoryOf(name).empty()) {
      out.push_back(name);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

fs::path BuiltinPlugins::directoryOf(std::string_view name) const {
  // As ids are spelled, so that no name leads elsewhere.
  if (directory_.empty() || name.empty() ||
      pluginIdOf(fmt::format("svc-plugin-{}", name)) != name) {
    return {};
  }
  auto root = directory_ / name;
  std::error_code failure;
  return fs::is_regular_file(root / "package.json", failure) ? root : fs::path();
}

bool isWanted(const Json& setting, const std::string& name) {
  if (setting.isArray()) {
    const auto& names = setting.items();
    return std::any_of(names.begin(), names.end(),
                       [&name](const Json& each) { return each.asString() == name; });
  }
  return setting.asBool();
}

storage::PluginRow builtinRow(const std::string& name, const fs::path& root, std::int64_t now) {
  storage::PluginRow row;
  row.id = name;
  row.source = std::string(kBuiltinPrefix) + name;
  row.source_kind = kBuiltinKind;
  row.provenance = kBuiltinKind;
  row.root_dir = root.string();
  row.installed_at = now;
  row.updated_at = now;
  return row;
}

std::string damageOf(const fs::path& root) {
  const auto text = readAll(root / kDigests);
  if (!text) {
    return {};
  }
  const auto recorded = Json::parse(*text);
  if (!recorded || !recorded.value().isObject()) {
    return fmt::format("{} cannot be read", kDigests);
  }
  for (const auto& [path, digest] : recorded.value().members()) {
    const auto bytes = readAll(root / path);
    if (!bytes) {
      return fmt::format("{} is missing", path);
    }
    if (sha256(*bytes) != digest.asString()) {
      return fmt::format("{} is not as it was shipped", path);
    }
  }
  return {};
}

}  // namespace svc::plugins
