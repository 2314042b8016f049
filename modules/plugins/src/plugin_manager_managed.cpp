#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"
#include "svc/plugins/versions.h"

#include "engines.h"
#include "install_source.h"
#include "plugin_contents.h"
#include "plugin_files.h"
#include "plugin_manager.h"

namespace svc::plugins {
namespace {

/// The provenance of what a marketplace lists, and the member of source_detail that says which one.
constexpr const char* kCatalog = "catalog";

ManifestSummary summaryOf(const Manifest& manifest) {
  return {.id = manifest.id,
          .package_name = manifest.package_name,
          .version = manifest.version,
          .name = manifest.name,
          .server_entry = manifest.server,
          .app_entry = manifest.app,
          .host_entry = manifest.host,
          .engine_service = manifest.engine_service,
          .engine_sdk = manifest.engine_sdk};
}

/// Rows of one source differ in their versions only. A tarball has no name but the plugin's.
bool haveSameSource(const storage::PluginRow& left, const storage::PluginRow& right) {
  const auto left_detail = common::Json::parse(left.source_detail);
  const auto right_detail = common::Json::parse(right.source_detail);
  if (left.source_kind != right.source_kind || !left_detail || !right_detail) {
    return false;
  }
  if (left.source_kind == "tarball") {
    return true;
  }
  const auto& identity = left_detail.value()["identity"].asString();
  return !identity.empty() && identity == right_detail.value()["identity"].asString();
}

bool listedIn(const storage::PluginRow& row, const std::string& marketplace) {
  const auto detail = common::Json::parse(row.source_detail);
  return row.provenance == kCatalog && detail &&
         detail.value()["catalog"]["marketplace"].asString() == marketplace;
}

/// The row as if its source had been named directly.
storage::PluginRow direct(storage::PluginRow row, std::int64_t now) {
  row.provenance = "direct";
  auto detail = common::Json::object();
  if (const auto recorded = common::Json::parse(row.source_detail)) {
    for (const auto& [key, value] : recorded.value().members()) {
      if (key != kCatalog) {
        detail.set(key, value);
      }
    }
  }
  row.source_detail = detail.dump();
  row.updated_at = now;
  return row;
}

}  // namespace

Result<ManifestSummary> PluginManager::parseManifest(std::string_view bytes) const {
  auto parsed = plugins::parseManifest(bytes);
  if (!parsed) {
    return refused(parsed.error().code == kPathEscape ? "path_escape" : "no_manifest",
                   parsed.error().message);
  }
  return summaryOf(parsed.value().manifest);
}

Result<ManifestSummary> PluginManager::readManifest(const std::filesystem::path& root) const {
  auto candidate = inspectDirectory(root);
  if (!candidate) {
    return std::move(candidate).error();
  }
  return summaryOf(candidate.value().manifest);
}

Result<PackageContents> PluginManager::readPackage(const std::filesystem::path& root) const {
  auto candidate = inspectDirectory(root);
  if (!candidate) {
    return std::move(candidate).error();
  }
  const auto& manifest = candidate.value().manifest;
  PackageContents out{.manifest = summaryOf(manifest),
                      .description = manifest.description,
                      .icon = manifest.branding.icon};
  const auto contents = readContents(root, manifest);
  if (!contents) {
    out.problems.push_back({"invalid_branding", contents.error().message});
    return out;
  }
  const auto& found = *contents.value();
  out.capabilities = found.capabilities;
  out.overview = found.overview;
  out.problems.insert(out.problems.end(), found.problems.begin(), found.problems.end());
  return out;
}

std::string PluginManager::incompatibility(const std::string& engine_service,
                                           const std::string& engine_sdk) const {
  Manifest manifest;
  manifest.engine_service = engine_service;
  manifest.engine_sdk = engine_sdk;
  return plugins::incompatibility(manifest, kServiceVersion, kSdkVersion);
}

std::filesystem::path PluginManager::builtinDirectory(std::string_view name) const {
  return settings_.builtin.directoryOf(name);
}

bool PluginManager::isReserved(std::string_view plugin_id) const { return isReservedId(plugin_id); }

Status PluginManager::admission(const storage::PluginRow& row) const {
  if (with_.safe_mode->on()) {
    return heldBack("");
  }
  const auto plugin = find(row.id);
  if (isReservedId(row.id) || (!plugin && !builtinDirectory(row.id).empty())) {
    return reservedId(row.id);
  }
  if (!plugin) {
    return {};
  }
  if (haveSameSource(plugin->row, row)) {
    return common::withDetail(
        refused("use_update",
                fmt::format("plugin \"{0}\" is installed from {1} already: an update with this "
                            "source (POST /plugins/{0}/update) replaces it and keeps its data",
                            row.id, plugin->row.source)),
        "pluginId", row.id);
  }
  return idInUse(plugin->row);
}

void PluginManager::check(storage::PluginRow row, Completion<void> done) {
  onMain<void>(std::move(done),
               [this, row = std::move(row)](Completion<void> answer) { answer(admission(row)); });
}

void PluginManager::install(storage::PluginRow row, Completion<PluginRecord> done) {
  startOnMain(std::move(done), &PluginManager::installRow, std::move(row));
}

Course<PluginRecord> PluginManager::installRow(storage::PluginRow row) {
  const auto self = shared_from_this();
  auto registered = co_await registry_.turn();
  if (!registered) {
    co_return std::move(registered).error();
  }
  if (auto status = admission(row); !status) {
    co_return std::move(status).error();
  }
  const auto plugin = std::make_shared<PluginState>(row, with_.main);
  auto record = co_await registerPlugin(plugin, row, std::move(registered).value());
  co_return record;
}

void PluginManager::row(std::string plugin_id, Completion<storage::PluginRow> done) {
  onMain<storage::PluginRow>(std::move(done), [this, plugin_id = std::move(plugin_id)](
                                                  Completion<storage::PluginRow> answer) {
    const auto plugin = find(plugin_id);
    if (!plugin) {
      answer(unknownPlugin(plugin_id));
      return;
    }
    answer(plugin->row);
  });
}

void PluginManager::detach(std::string marketplace, Completion<std::vector<std::string>> done) {
  startOnMain(std::move(done), &PluginManager::detachListed, std::move(marketplace));
}

Course<std::vector<std::string>> PluginManager::detachListed(std::string marketplace) {
  const auto self = shared_from_this();
  std::vector<std::string> ids;
  std::vector<Course<bool>> detachments;
  for (const auto& [id, plugin] : plugins_) {
    if (listedIn(plugin->row, marketplace)) {
      ids.push_back(id);
      detachments.push_back(detachOne(plugin, marketplace));
    }
  }
  const auto outcomes = co_await all(std::move(detachments));
  std::vector<std::string> detached;
  for (std::size_t index = 0; index < ids.size(); ++index) {
    const auto& outcome = outcomes.value().at(index);
    if (outcome && outcome.value()) {
      detached.push_back(ids.at(index));
    }
  }
  co_return detached;
}

Course<bool> PluginManager::detachOne(PluginPtr plugin, std::string marketplace) {
  const auto self = shared_from_this();
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return operation.error();
  }
  // Operations before this one may have removed it, or brought another row.
  if (find(plugin->row.id) != plugin || !listedIn(plugin->row, marketplace)) {
    co_return false;
  }
  const auto row = direct(plugin->row, with_.clock.nowMs());
  if (const auto stored = co_await storeRow(row); !stored) {
    co_return false;
  }
  plugin->row = row;
  announce();
  co_return true;
}

}  // namespace svc::plugins
