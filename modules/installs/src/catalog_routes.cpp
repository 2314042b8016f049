#include "catalog_routes.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "svc/common/body_reader.h"

#include "install_routes.h"
#include "responses.h"

namespace svc::installs {
namespace {

using common::BodyReader;
using common::Json;
using Records = std::vector<plugins::PluginRecord>;

const char* sourceKind(const std::string& source) {
  if (source.find("://") != std::string::npos && source.ends_with(".json")) {
    return "https";
  }
  return source.starts_with('/') || source.starts_with("path:") ? "path" : "git";
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
      .set("sourceKind", sourceKind(row.source))
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

Json toJson(const CatalogHit& hit, const std::string& installed) {
  auto tags = Json::array();
  for (const auto& tag : hit.entry.tags) {
    tags.push(tag);
  }
  const auto& entry = hit.entry;
  return Json::object()
      .set("entryId", entry.id)
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
      .set("installed", orNull(installed));
}

/// Installed version by "<entry>@<marketplace>".
std::map<std::string, std::string> installedEntries(const Records& records) {
  std::map<std::string, std::string> out;
  for (const auto& record : records) {
    if (!record.catalog_entry_id.empty()) {
      out[record.catalog_entry_id + "@" + record.catalog_marketplace_name] = record.version;
    }
  }
  return out;
}

Json listJson(const std::vector<Marketplace>& marketplaces) {
  auto out = Json::array();
  for (const auto& each : marketplaces) {
    out.push(toJson(each));
  }
  return out;
}

Json member(const Marketplace& marketplace) {
  return Json::object().set("marketplace", toJson(marketplace));
}

Json resultJson(const std::string& name, const std::string& error,
                const std::optional<Marketplace>& marketplace) {
  return Json::object()
      .set("name", name)
      .set("ok", error.empty())
      .set("error", orNull(error))
      .set("marketplace", marketplace ? toJson(*marketplace) : Json());
}

/// With `results` as the refresh of all lists has them.
Json refreshed(const Marketplace& marketplace) {
  auto results = Json::array();
  results.push(resultJson(marketplace.row.name, "", marketplace));
  return member(marketplace).set("results", std::move(results));
}

/// A refresh of every list; answered when the last one has ended.
struct Refreshes {
  http::ExchangePtr exchange;
  std::vector<Json> results;
  std::size_t left = 0;

  void answer() const {
    auto all = Json::array();
    for (const auto& result : results) {
      all.push(result);
    }
    respondOk(*exchange, Json::object().set("results", std::move(all)));
  }
};

struct CatalogInstall {
  std::string entry_id;
  std::string marketplace;
  std::string confirmed_source;
};

Result<CatalogInstall> readCatalogInstall(const std::string& text) {
  auto parsed = BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown({"entryId", "marketplace", "confirmedSource"});
  CatalogInstall out{body.requiredString("entryId"),
                     body.optionalString("marketplace").value_or(""),
                     body.optionalString("confirmedSource").value_or("")};
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return out;
}

}  // namespace

Status CatalogRoutes::attach(http::IHttpServer& server) {
  const auto bind = [this](void (CatalogRoutes::*member)(const http::ExchangePtr&)) {
    return [this, member](const http::ExchangePtr& exchange) {
      main_.post([this, member, exchange] { (this->*member)(exchange); });
    };
  };
  return addRoutes(server,
                   {{"GET", "/api/v1/plugin-catalog/search", bind(&CatalogRoutes::search)},
                    {"GET", "/api/v1/plugin-catalog/status", bind(&CatalogRoutes::status)},
                    {"POST", "/api/v1/plugin-catalog/install", bind(&CatalogRoutes::install)},
                    {"GET", "/api/v1/marketplaces", bind(&CatalogRoutes::list)},
                    {"POST", "/api/v1/marketplaces", bind(&CatalogRoutes::add)},
                    {"POST", "/api/v1/marketplaces/refresh", bind(&CatalogRoutes::refreshAll)},
                    {"POST", "/api/v1/marketplaces/:name/refresh", bind(&CatalogRoutes::refresh)},
                    {"DELETE", "/api/v1/marketplaces/:name", bind(&CatalogRoutes::remove)}},
                   routes_);
}

void CatalogRoutes::search(const http::ExchangePtr& exchange) {
  const auto query = exchange->request().queryParameter("q").value_or("");
  auto hits = marketplaces_->search(query);
  manager_.list(answerWith<Records>(exchange, [hits = std::move(hits)](const Records& records) {
    const auto installed = installedEntries(records);
    auto results = Json::array();
    for (const auto& hit : hits) {
      const auto found = installed.find(hit.entry.id + "@" + hit.marketplace);
      results.push(toJson(hit, found == installed.end() ? "" : found->second));
    }
    return Json::object().set("results", std::move(results));
  }));
}

void CatalogRoutes::status(const http::ExchangePtr& exchange) {
  const auto marketplaces = marketplaces_->list();
  std::uint64_t entries = 0;
  for (const auto& each : marketplaces) {
    entries += each.file.entries.size();
  }
  respondOk(*exchange,
            Json::object().set("status", Json::object()
                                             .set("pluginCount", entries)
                                             .set("includedPluginCount", std::uint64_t{0})
                                             .set("optionalPluginCount", entries)
                                             .set("marketplaces", listJson(marketplaces))
                                             .set("entries", entries)));
}

void CatalogRoutes::install(const http::ExchangePtr& exchange) {
  auto read = readCatalogInstall(exchange->request().body);
  if (!read) {
    exchange->fail(read.error());
    return;
  }
  auto& wanted = read.value();
  InstallRequest request;
  request.spec.kind = SourceKind::kCatalog;
  request.spec.entry_id = wanted.entry_id;
  request.spec.marketplace = wanted.marketplace;
  request.spec.text =
      wanted.marketplace.empty() ? wanted.entry_id : wanted.entry_id + "@" + wanted.marketplace;
  request.confirmed_source = wanted.confirmed_source;
  submitInstall(*jobs_, std::move(request), exchange);
}

void CatalogRoutes::list(const http::ExchangePtr& exchange) {
  respondOk(*exchange, Json::object().set("marketplaces", listJson(marketplaces_->list())));
}

void CatalogRoutes::add(const http::ExchangePtr& exchange) {
  auto body = BodyReader::parse(exchange->request().body);
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  const auto source = body.value().requiredString("source");
  if (auto status = body.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  constexpr unsigned kCreated = 201;
  marketplaces_->add(source, answerWith<Marketplace>(exchange, member, kCreated));
}

void CatalogRoutes::refresh(const http::ExchangePtr& exchange) {
  marketplaces_->refresh(std::string(exchange->request().parameter("name")),
                         answerWith<Marketplace>(exchange, refreshed));
}

void CatalogRoutes::refreshAll(const http::ExchangePtr& exchange) {
  const auto all = marketplaces_->list();
  auto refreshes = std::make_shared<Refreshes>();
  refreshes->exchange = exchange;
  refreshes->results.resize(all.size());
  refreshes->left = all.size();
  if (all.empty()) {
    refreshes->answer();
    return;
  }
  for (std::size_t index = 0; index < all.size(); ++index) {
    // One that fails says so, beside its last good copy.
    marketplaces_->refresh(all[index].row.name, [refreshes, index, before = all[index]](
                                                    const Result<Marketplace>& result) {
      refreshes->results[index] = resultJson(before.row.name, result ? "" : result.error().message,
                                             result ? result.value() : before);
      if (--refreshes->left == 0) {
        refreshes->answer();
      }
    });
  }
}

void CatalogRoutes::remove(const http::ExchangePtr& exchange) {
  const std::string name(exchange->request().parameter("name"));
  marketplaces_->remove(name, [exchange, name](const Status& status) {
    if (!status) {
      exchange->fail(status.error());
      return;
    }
    respondOk(*exchange, Json::object().set("removed", name));
  });
}

}  // namespace svc::installs
