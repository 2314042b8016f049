#include "install_routes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/limits/installs.h"

#include "responses.h"

namespace svc::installs {
namespace {

using common::BodyReader;
using common::Json;
using plugins::PluginRecord;

bool wantsJob(const http::Request& request) {
  const auto* prefer = request.header("prefer");
  return prefer != nullptr && prefer->find("respond-async") != std::string::npos;
}

/// Short forms of a selection: `subdirectory`, or `plugin` for an entry.
Selection readShortSelection(BodyReader& body) {
  const auto subdirectory = body.optionalString("subdirectory").value_or("");
  const auto entry = body.optionalString("plugin").value_or("");
  if (!subdirectory.empty() && !entry.empty()) {
    body.issue("Expected one of subdirectory and plugin, not both", {Json("plugin")});
  }
  Selection out;
  if (!subdirectory.empty() || !entry.empty()) {
    out.kind = entry.empty() ? Selection::Kind::kSubdirectory : Selection::Kind::kEntry;
    out.value = entry.empty() ? subdirectory : entry;
  }
  return out;
}

/// selection: {kind: "root"} | {kind: "subdirectory", path} | {kind: "entry", name}
Selection readSelection(BodyReader& body) {
  const auto* value = body.body().find("selection");
  if (value == nullptr) {
    return readShortSelection(body);
  }
  for (const auto* key : {"subdirectory", "plugin"}) {
    if (body.body().find(key) != nullptr) {
      body.issue("Expected no short form beside selection", {Json(key)});
    }
  }
  Selection out;
  const auto& kind = (*value)["kind"].asString();
  const char* member = kind == "subdirectory" ? "path" : "name";
  if (kind == "subdirectory" || kind == "entry") {
    out.kind = kind == "entry" ? Selection::Kind::kEntry : Selection::Kind::kSubdirectory;
    out.value = (*value)[member].asString();
    if (out.value.empty()) {
      body.issue("Expected a non-empty string", {Json("selection"), Json(member)});
    }
  } else if (kind != "root") {
    body.issue(R"(Expected "root", "subdirectory" or "entry")", {Json("selection"), Json("kind")});
  }
  for (const auto& [key, each] : value->members()) {
    if (key != "kind" && (kind == "root" || key != member)) {
      body.issue("Unknown field", {Json("selection"), Json(key)});
    }
  }
  return out;
}

std::vector<std::string> rootsOf(const std::vector<PluginRecord>& records) {
  std::vector<std::string> out;
  out.reserve(records.size());
  for (const auto& record : records) {
    out.push_back(record.root_dir);
  }
  return out;
}

Json pruned(const std::vector<PruneEntry>& entries, bool dry_run) {
  auto list = Json::array();
  std::uint64_t bytes = 0;
  for (const auto& entry : entries) {
    list.push(Json::object().set("path", entry.path).set("bytes", entry.bytes));
    bytes += entry.bytes;
  }
  return Json::object().set("removed", std::move(list)).set("bytes", bytes).set("dryRun", dry_run);
}

Json jobMember(const storage::InstallJobRow& row) { return Json::object().set("job", toJson(row)); }

void answerJob(http::IExchange& exchange, const Result<storage::InstallJobRow>& row,
               unsigned status = 200) {
  if (!row) {
    exchange.fail(row.error());
    return;
  }
  respondOk(exchange, jobMember(row.value()), status);
}

}  // namespace

Json toJson(const storage::InstallJobRow& row) {
  auto error = Json::parse(row.error);
  return Json::object()
      .set("id", row.id)
      .set("source", row.source)
      .set("state", row.state)
      .set("step", row.step)
      .set("error", error ? std::move(error).value() : Json())
      .set("pluginId", orNull(row.plugin_id))
      .set("createdAt", row.created_at)
      .set("finishedAt", row.finished_at == 0 ? Json() : Json(row.finished_at));
}

Json toJson(const InstallPreview& preview) {
  auto out = Json::object()
                 .set("id", orNull(preview.id))
                 .set("package", orNull(preview.package))
                 .set("version", orNull(preview.version))
                 .set("source", preview.source)
                 .set("resolved", preview.resolved)
                 .set("from", preview.from)
                 .set("pinned", preview.pinned)
                 .set("confirmedSource", preview.resolved)
                 .set("incompatible", orNull(preview.incompatible));
  if (!preview.origin.entry_id.empty()) {
    out.set("entryId", preview.origin.entry_id)
        .set("marketplace", preview.origin.marketplace)
        .set("publisher", preview.origin.publisher);
  }
  if (!preview.subdirectory.empty()) {
    out.set("subdirectory", preview.subdirectory);
  }
  if (!preview.entries.empty()) {
    auto entries = Json::array();
    for (const auto& entry : preview.entries) {
      entries.push(Json::object().set("name", entry.name).set("source", entry.source));
    }
    out.set("entries", std::move(entries));
  }
  return out;
}

Result<InstallRequest> readInstallRequest(const std::string& text, std::string_view home) {
  auto parsed = BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown(
      {"source", "selection", "subdirectory", "plugin", "tagPrefix", "confirmedSource"});
  const auto source = body.requiredString("source");
  if (body.body()["source"].isString() && source.empty()) {
    body.issue("Must not be empty", {Json("source")});
  }
  auto selection = readSelection(body);
  selection.tag_prefix = body.optionalString("tagPrefix").value_or("");
  if (selection.tag_prefix.size() > limits::kTagPrefix) {
    body.issue(fmt::format("Expected at most {} characters (limit tagPrefix), not {}",
                           limits::kTagPrefix, selection.tag_prefix.size()),
               {Json("tagPrefix")});
  }
  auto confirmed = body.optionalString("confirmedSource").value_or("");
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  auto spec = parseSource(source, selection, home);
  if (!spec) {
    return std::move(spec).error();
  }
  return InstallRequest{std::move(spec).value(), std::move(confirmed)};
}

void submitInstall(InstallJobs& jobs, InstallRequest request, const http::ExchangePtr& exchange) {
  const bool later = wantsJob(exchange->request());
  Completion<PluginRecord> done = [](const Result<PluginRecord>&) {};
  if (!later) {
    done = answerWith<PluginRecord>(exchange, [](const PluginRecord& record) {
      return Json::object().set("plugin", toJson(record));
    });
  }
  const auto row = jobs.submit(std::move(request), std::move(done));
  if (later || !row) {
    answerJob(*exchange, row, 202);
  }
}

Status InstallRoutes::attach(http::IHttpServer& server) {
  const auto bind = [this](void (InstallRoutes::*member)(const http::ExchangePtr&)) {
    return [this, member](const http::ExchangePtr& exchange) { (this->*member)(exchange); };
  };
  return addRoutes(
      server,
      {{"POST", "/api/v1/plugins/install", bind(&InstallRoutes::install)},
       {"POST", "/api/v1/plugins/install/preview", bind(&InstallRoutes::preview)},
       {"POST", "/api/v1/plugins/install/about", bind(&InstallRoutes::about)},
       {"GET", "/api/v1/plugins/install-jobs", bind(&InstallRoutes::list)},
       {"GET", "/api/v1/plugins/install-jobs/:job", bind(&InstallRoutes::get)},
       {"POST", "/api/v1/plugins/install-jobs/:job/cancel", bind(&InstallRoutes::cancel)},
       {"POST", "/api/v1/plugins/prune", bind(&InstallRoutes::prune)}},
      routes_);
}

void InstallRoutes::install(const http::ExchangePtr& exchange) {
  auto request = readInstallRequest(exchange->request().body, home_);
  if (!request) {
    exchange->fail(request.error());
    return;
  }
  work_.main().post([jobs = jobs_, exchange, request = std::move(request).value()] {
    submitInstall(*jobs, request, exchange);
  });
}

void InstallRoutes::preview(const http::ExchangePtr& exchange) {
  auto request = readInstallRequest(exchange->request().body, home_);
  if (!request) {
    exchange->fail(request.error());
    return;
  }
  work_.main().post([jobs = jobs_, exchange, request = std::move(request).value()] {
    jobs->preview(request, exchange->disconnected(),
                  answerWith<InstallPreview>(exchange, [](const InstallPreview& preview) {
                    return Json::object().set("preview", toJson(preview));
                  }));
  });
}

void InstallRoutes::about(const http::ExchangePtr& exchange) {
  auto request = readInstallRequest(exchange->request().body, home_);
  if (!request) {
    exchange->fail(request.error());
    return;
  }
  work_.main().post([jobs = jobs_, exchange, request = std::move(request).value()] {
    jobs->about(request, exchange->disconnected(),
                answerWith<PackageAbout>(exchange, [](const PackageAbout& about) {
                  return Json::object().set("about", toJson(about));
                }));
  });
}

void InstallRoutes::list(const http::ExchangePtr& exchange) {
  work_.main().post([jobs = jobs_, exchange] {
    auto out = Json::array();
    for (const auto& row : jobs->list()) {
      out.push(toJson(row));
    }
    respondOk(*exchange, Json::object().set("jobs", std::move(out)));
  });
}

void InstallRoutes::get(const http::ExchangePtr& exchange) {
  work_.main().post([jobs = jobs_, exchange] {
    answerJob(*exchange, jobs->find(std::string(exchange->request().parameter("job"))));
  });
}

void InstallRoutes::cancel(const http::ExchangePtr& exchange) {
  work_.main().post([jobs = jobs_, exchange] {
    answerJob(*exchange, jobs->cancel(std::string(exchange->request().parameter("job"))));
  });
}

void InstallRoutes::prune(const http::ExchangePtr& exchange) {
  bool dry_run = false;
  if (!exchange->request().body.empty()) {
    auto body = BodyReader::parse(exchange->request().body);
    if (!body) {
      exchange->fail(body.error());
      return;
    }
    const auto* value = body.value().body().find("dryRun");
    if (value != nullptr && !value->isBool()) {
      body.value().issue("Expected true or false", {Json("dryRun")});
    }
    if (auto status = body.value().finish(); !status) {
      exchange->fail(status.error());
      return;
    }
    dry_run = value != nullptr && value->asBool();
  }
  using Entries = std::vector<PruneEntry>;
  manager_.list([this, exchange, dry_run](Result<std::vector<PluginRecord>> records) {
    if (!records) {
      exchange->fail(records.error());
      return;
    }
    work_.run<Entries>(
        {},
        [this, roots = rootsOf(records.value()), dry_run](const std::stop_token&) {
          return Result<Entries>(cache_.prune(roots, dry_run));
        },
        answerWith<Entries>(
            exchange, [dry_run](const Entries& entries) { return pruned(entries, dry_run); }));
  });
}

}  // namespace svc::installs
