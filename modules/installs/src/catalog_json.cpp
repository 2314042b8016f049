#include "catalog_json.h"

#include <utility>

#include <fmt/format.h>

#include "responses.h"

namespace svc::installs {
namespace {

using common::Json;

const char* sourceKind(const Marketplace& marketplace) {
  const auto& source = marketplace.row.source;
  if (marketplace.is_shipped) {
    return "builtin";
  }
  if (source.find("://") != std::string::npos && source.ends_with(".json")) {
    return "https";
  }
  return source.starts_with('/') || source.starts_with("path:") ? "path" : "git";
}

/// The documentation that this server serves shows the sources of the examples. Relative to the address of the server.
Json sourcePage(const SourceSpec& spec) {
  return isExample(spec) ? Json(fmt::format("docs/examples/{}.html#source",
                                            spec.location.substr(kExamplePrefix.size())))
                         : Json();
}

/// A repository may hold several, and its text does not say which.
bool isOfOnePlugin(const SourceSpec& source) {
  return source.kind == SourceKind::kNpm || source.kind == SourceKind::kTarball;
}

std::string keyOf(const std::string& entry_id, const std::string& marketplace) {
  return entry_id + "@" + marketplace;
}

}  // namespace

InstalledEntries::InstalledEntries(const std::vector<plugins::PluginRecord>& records) {
  for (const auto& record : records) {
    const Plugin plugin{record.id, record.version};
    if (!record.catalog_entry_id.empty()) {
      by_entry_[keyOf(record.catalog_entry_id, record.catalog_marketplace_name)] = plugin;
    } else if (const auto spec = parseSource(record.source, {}, "");
               spec && isOfOnePlugin(spec.value())) {
      by_source_[identityOf(spec.value())] = plugin;
    }
  }
}

const InstalledEntries::Plugin* InstalledEntries::find(const CatalogHit& hit) const {
  if (const auto found = by_entry_.find(keyOf(hit.entry.id, hit.marketplace));
      found != by_entry_.end()) {
    return &found->second;
  }
  const auto& source = hit.entry.source;
  const auto found = isOfOnePlugin(source) ? by_source_.find(identityOf(source)) : by_source_.end();
  return found == by_source_.end() ? nullptr : &found->second;
}

Json toJson(const Marketplace& marketplace) {
  auto dropped = Json::array();
  for (const auto& [id, reason] : marketplace.file.dropped) {
    dropped.push(Json::object().set("id", id).set("reason", reason));
  }
  const auto& row = marketplace.row;
  return Json::object()
      .set("name", row.name)
      .set("displayName", row.name)
      .set("description", Json())
      .set("source", row.source)
      .set("sourceKind", sourceKind(marketplace))
      .set("entryCount", std::uint64_t{marketplace.file.entries.size()})
      .set("official", false)
      .set("resolvedCommit", orNull(marketplace.resolved_commit))
      .set("lastRefreshAt", row.refreshed_at)
      .set("lastAttemptAt", marketplace.attempted_at)
      .set("entries", std::uint64_t{marketplace.file.entries.size()})
      .set("dropped", std::move(dropped))
      .set("addedAt", row.added_at)
      .set("refreshedAt", row.refreshed_at)
      .set("lastError", orNull(row.last_error));
}

Json refreshJson(const std::string& name, const std::string& error,
                 const std::optional<Marketplace>& marketplace) {
  return Json::object()
      .set("name", name)
      .set("ok", error.empty())
      .set("error", orNull(error))
      .set("marketplace", marketplace ? toJson(*marketplace) : Json());
}

Json entryJson(const CatalogHit& hit, const InstalledEntries& installed,
               const std::string& incompatible) {
  const auto& entry = hit.entry;
  auto tags = Json::array();
  for (const auto& tag : entry.tags) {
    tags.push(tag);
  }
  const auto* plugin = installed.find(hit);
  return Json::object()
      .set("entryId", entry.id)
      .set("pluginId", plugin == nullptr ? entry.id : plugin->id)
      .set("marketplace", hit.marketplace)
      .set("marketplaceDisplayName", hit.marketplace)
      .set("displayName", entry.display_name)
      .set("description", entry.description)
      .set("category", Json())
      .set("icon", orNull(entry.icon))
      .set("iconUrl", Json())
      .set("official", false)
      .set("publisherKey", entry.author)
      .set("publisherLabel", entry.author)
      .set("tags", std::move(tags))
      .set("author", Json::object().set("name", entry.author).set("url", orNull(entry.author_url)))
      .set("source", entry.source.text)
      .set("sourcePage", sourcePage(entry.source))
      .set("installed", plugin != nullptr)
      .set("installedVersion", plugin == nullptr ? Json() : Json(plugin->version))
      .set("compatible", incompatible.empty())
      .set("incompatibleReason", orNull(incompatible));
}

Json planJson(const CatalogHit& hit, const InstalledEntries& installed,
              const InstallPreview& preview) {
  auto out = entryJson(hit, installed, preview.incompatible);
  if (!preview.id.empty()) {
    out.set("pluginId", preview.id);
  }
  return out.set("kind", "marketplace")
      .set("resolvedSource", preview.resolved)
      .set("version", orNull(preview.version));
}

}  // namespace svc::installs
