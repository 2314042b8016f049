#include "catalog_routes.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/body_reader.h"

#include "catalog_json.h"
#include "install_routes.h"
#include "responses.h"

namespace svc::installs {
namespace {

using common::BodyReader;
using common::Json;
using Records = std::vector<plugins::PluginRecord>;

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

InstallRequest entryRequest(const std::string& entry_id, const std::string& marketplace) {
  InstallRequest out;
  out.spec.kind = SourceKind::kCatalog;
  out.spec.entry_id = entry_id;
  out.spec.marketplace = marketplace;
  out.spec.text = marketplace.empty() ? entry_id : entry_id + "@" + marketplace;
  return out;
}

Result<InstallRequest> readCatalogInstall(const std::string& text) {
  auto parsed = BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown({"entryId", "marketplace", "confirmedSource"});
  auto out =
      entryRequest(body.requiredString("entryId"), body.optionalString("marketplace").value_or(""));
  out.confirmed_source = body.optionalString("confirmedSource").value_or("");
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
                    {"GET", "/api/v1/plugin-catalog/install-plan", bind(&CatalogRoutes::plan)},
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
  manager_.list(answerWith<Records>(
      exchange, [plugins = &plugins_, hits = marketplaces_->search(query)](const Records& records) {
        const InstalledEntries installed(records);
        auto results = Json::array();
        for (const auto& hit : hits) {
          // What the list says; the package itself is asked for the plan.
          results.push(
              entryJson(hit, installed,
                        plugins->incompatibility(hit.entry.engine_service, hit.entry.engine_sdk)));
        }
        return Json::object().set("results", std::move(results));
      }));
}

void CatalogRoutes::plan(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto entry_id = request.queryParameter("entryId").value_or("");
  if (entry_id.empty()) {
    exchange->fail({errc::kInvalidInput, "entryId is missing: name an entry of a marketplace"});
    return;
  }
  auto hit = marketplaces_->find(entry_id, request.queryParameter("marketplace").value_or(""));
  if (!hit) {
    exchange->fail(hit.error());
    return;
  }
  jobs_->preview(
      entryRequest(entry_id, hit.value().marketplace), exchange->disconnected(),
      [manager = &manager_, exchange, hit = hit.value()](const Result<InstallPreview>& found) {
        if (!found) {
          exchange->fail(found.error());
          return;
        }
        manager->list(
            answerWith<Records>(exchange, [hit, preview = found.value()](const Records& records) {
              return Json::object().set("plan", planJson(hit, InstalledEntries(records), preview));
            }));
      });
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
  submitInstall(*jobs_, std::move(read).value(), exchange);
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
  const std::string name(exchange->request().parameter("name"));
  if (!marketplaces_->get(name)) {
    exchange->fail({errc::kNotFound, fmt::format("no marketplace \"{}\" was added", name)});
    return;
  }
  refreshEach(exchange, {name});
}

void CatalogRoutes::refreshAll(const http::ExchangePtr& exchange) {
  std::vector<std::string> names;
  for (const auto& each : marketplaces_->list()) {
    names.push_back(each.row.name);
  }
  refreshEach(exchange, names);
}

void CatalogRoutes::refreshEach(const http::ExchangePtr& exchange,
                                const std::vector<std::string>& names) {
  auto refreshes = std::make_shared<Refreshes>();
  refreshes->exchange = exchange;
  refreshes->results.resize(names.size());
  refreshes->left = names.size();
  if (names.empty()) {
    refreshes->answer();
    return;
  }
  for (std::size_t index = 0; index < names.size(); ++index) {
    marketplaces_->refresh(
        names[index], [refreshes, index, name = names[index],
                       marketplaces = marketplaces_](const Result<Marketplace>& result) {
          // One that fails says so, beside its last good copy.
          refreshes->results[index] =
              refreshJson(name, result ? "" : result.error().message, marketplaces->get(name));
          if (--refreshes->left == 0) {
            refreshes->answer();
          }
        });
  }
}

void CatalogRoutes::remove(const http::ExchangePtr& exchange) {
  const std::string name(exchange->request().parameter("name"));
  marketplaces_->remove(name, [plugins = &plugins_, exchange, name](const Status& status) {
    if (!status) {
      exchange->fail(status.error());
      return;
    }
    plugins->detach(
        name,
        answerWith<std::vector<std::string>>(
            exchange, [name](const std::vector<std::string>& converted) {
              auto ids = Json::array();
              for (const auto& id : converted) {
                ids.push(id);
              }
              return Json::object().set("removed", name).set("convertedPluginIds", std::move(ids));
            }));
  });
}

}  // namespace svc::installs
