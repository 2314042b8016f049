#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/plugins/managed_plugins.h"

namespace svc::test {

/// Reads manifests as far as tests write them, and keeps the rows that were installed. The id is the package's name;
/// engines.svc other than "" and "*" is incompatible. Answers at once, on the calling thread.
class FakeManagedPlugins : public plugins::IManagedPlugins {
 public:
  [[nodiscard]] Result<plugins::ManifestSummary> parseManifest(
      std::string_view bytes) const override {
    const auto parsed = common::Json::parse(bytes);
    if (!parsed || !parsed.value()["svc"].isObject()) {
      return refused("no_manifest", "package.json: svc is missing");
    }
    const auto& json = parsed.value();
    return plugins::ManifestSummary{.id = json["name"].asString(),
                                    .package_name = json["name"].asString(),
                                    .version = json["version"].asString(),
                                    .name = json["name"].asString(),
                                    .server_entry = json["svc"]["server"].asString(),
                                    .app_entry = json["svc"]["app"].asString(),
                                    .host_entry = json["svc"]["host"].asString(),
                                    .engine_service = json["engines"]["svc"].asString(),
                                    .engine_sdk = ""};
  }
  [[nodiscard]] Result<plugins::ManifestSummary> readManifest(
      const std::filesystem::path& root) const override {
    std::ifstream in(root / "package.json");
    if (!in) {
      return refused("not_found", "there is no package.json in " + root.string());
    }
    return parseManifest(
        std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  }
  [[nodiscard]] Result<plugins::PackageContents> readPackage(
      const std::filesystem::path& root) const override {
    auto manifest = readManifest(root);
    if (!manifest) {
      return std::move(manifest).error();
    }
    return plugins::PackageContents{.manifest = std::move(manifest).value(),
                                    .description = "What it is for.",
                                    .icon = "Box",
                                    .overview = overview};
  }
  [[nodiscard]] std::string incompatibility(const std::string& engine_service,
                                            const std::string& /*engine_sdk*/) const override {
    return engine_service.empty() || engine_service == "*" ? "" : "needs svc " + engine_service;
  }
  [[nodiscard]] std::filesystem::path builtinDirectory(std::string_view name) const override {
    const auto found = builtin.find(std::string(name));
    return found == builtin.end() ? std::filesystem::path() : found->second;
  }
  [[nodiscard]] bool isReserved(std::string_view plugin_id) const override {
    return plugin_id == "reserved";
  }
  void check(storage::PluginRow row, Completion<void> done) override {
    checked.push_back(row);
    done(refusal ? Status(*refusal) : Status());
  }
  void install(storage::PluginRow row, Completion<plugins::PluginRecord> done) override {
    rows[row.id] = row;
    plugins::PluginRecord record;
    record.id = row.id;
    record.version = row.version;
    record.status = plugins::PluginStatus::kRunning;
    done(std::move(record));
  }
  void row(std::string plugin_id, Completion<storage::PluginRow> done) override {
    const auto found = rows.find(plugin_id);
    done(found == rows.end()
             ? Result<storage::PluginRow>(Error{errc::kUnknownPlugin, "no such plugin"})
             : Result<storage::PluginRow>(found->second));
  }
  void detach(std::string marketplace, Completion<std::vector<std::string>> done) override {
    detached.push_back(std::move(marketplace));
    std::vector<std::string> ids;
    for (const auto& [id, each] : rows) {
      ids.push_back(id);
    }
    done(std::move(ids));
  }

  std::optional<Error> refusal;  ///< of check()
  std::vector<storage::PluginRow> checked;
  std::vector<std::string> detached;  ///< marketplaces
  std::map<std::string, std::filesystem::path> builtin;
  std::string overview;  ///< of every package
  std::map<std::string, storage::PluginRow> rows;

 private:
  static Error refused(const char* reason, std::string message) {
    return {errc::kInstallRefused, std::move(message),
            common::Json::object().set("reason", reason).dump()};
  }
};

}  // namespace svc::test
