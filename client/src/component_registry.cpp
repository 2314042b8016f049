#include "component_registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sdk_pins.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// `table` of `@svc/table`: the name after the one that components.json gives this registry.
std::string itemName(std::string_view dependency) {
  return std::string(dependency.substr(dependency.rfind('/') + 1));
}

/// `name@range`; a scope begins with the same sign.
std::vector<RegistryItem::Package> packagesOf(const Json& list) {
  std::vector<RegistryItem::Package> packages;
  for (const auto& each : list.items()) {
    const auto& text = each.asString();
    const auto at = text.rfind('@');
    packages.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return packages;
}

Error damaged(const fs::path& file) {
  return {errc::kUnavailable,
          fmt::format("{} is missing or damaged: install svc again", file.string())};
}

}  // namespace

Result<std::vector<RegistryEntry>> ComponentRegistry::list() const {
  const auto file = directory_ / "registry.json";
  const auto json = readJsonFile(file);
  if (!json || json.value().json["items"].items().empty()) {
    return damaged(file);
  }
  std::vector<RegistryEntry> entries;
  for (const auto& item : json.value().json["items"].items()) {
    entries.push_back({item["name"].asString(), item["description"].asString()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return entries;
}

Result<std::vector<RegistryItem>> ComponentRegistry::resolve(std::vector<std::string> names) const {
  std::vector<RegistryItem> items;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto found =
        std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(at), names[at]);
    if (found != names.begin() + static_cast<std::ptrdiff_t>(at)) {
      continue;
    }
    auto item = read(names[at]);
    if (!item) {
      return item.error();
    }
    names.insert(names.end(), item.value().needs.begin(), item.value().needs.end());
    items.push_back(std::move(item).value());
  }
  return items;
}

Result<RegistryItem> ComponentRegistry::read(const std::string& name) const {
  const auto path = directory_ / (name + ".json");
  const auto file = readJsonFile(path);
  if (!file || file.value().json["files"].items().empty()) {
    return damaged(path);
  }
  const auto& json = file.value().json;
  RegistryItem item;
  item.name = name;
  for (const auto& each : json["files"].items()) {
    item.files.push_back({each["path"].asString(), each["content"].asString()});
  }
  for (const auto& each : json["registryDependencies"].items()) {
    item.needs.push_back(itemName(each.asString()));
  }
  item.dependencies = packagesOf(json["dependencies"]);
  item.dev_dependencies = packagesOf(json["devDependencies"]);
  return item;
}

}  // namespace svc::client
