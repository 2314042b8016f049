// A module only the tests load: a source of plugin versions that the test owns, and a way to stop an update before any of
// its steps. Commands over HTTP, below /test/updates.
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/envelope.h"
#include "svc/http/http.h"
#include "svc/installs/package_sources.h"
#include "svc/kernel/module.h"
#include "svc/plugins/managed_plugins.h"
#include "svc/updates/update_observer.h"

namespace {

using namespace svc;
using common::Json;

void respond(const http::ExchangePtr& exchange, const Json& members) {
  http::Response response;
  response.body = common::okEnvelope(members);
  exchange->respond(std::move(response));
}

/// What the test offers, by plugin: the directory of a version is its files.
class OfferedSources final : public installs::IPackageSources {
 public:
  std::map<std::string, std::pair<std::string, std::string>> offers;  ///< version and directory

  Result<storage::PluginRow> redirected(const storage::PluginRow& installed,
                                        const std::string&) override {
    return installed;
  }
  void resolve(storage::PluginRow installed, std::stop_token,
               Completion<installs::Resolution> done) override {
    installs::Resolution found;
    if (const auto offer = offers.find(installed.id); offer != offers.end()) {
      const auto& [version, root] = offer->second;
      found.candidate = installs::Candidate{version, "test:" + root, "", ""};
    }
    done(std::move(found));
  }
  void stage(storage::PluginRow installed, installs::Candidate candidate, std::stop_token,
             std::function<void(const std::string& step)>,
             Completion<storage::PluginRow> done) override {
    installed.version = candidate.version;
    installed.resolved = candidate.resolved;
    installed.root_dir = candidate.resolved.substr(std::string("test:").size());
    done(std::move(installed));
  }
  void isIntact(storage::PluginRow, Completion<bool> done) override { done(true); }
  Handle keep(const storage::PluginRow&) override { return {}; }
};

/// Lets everything pass except one step, which waits for ever.
class Stop final : public updates::IUpdateObserver {
 public:
  std::string step;
  int occurrence = 1;
  bool reached = false;

  void before(const std::string&, std::string_view name, Completion<void> proceed) override {
    if (name == step && --occurrence == 0) {
      reached = true;
      waiting_.push_back(std::move(proceed));
    } else {
      proceed({});
    }
  }

 private:
  std::vector<Completion<void>> waiting_;
};

class UpdateProbe final : public Module {
 public:
  Status start(ModuleContext& context) override {
    main_ = &context.main;
    services_ = &context.services;
    auto server = context.services.require<http::IHttpServer>();
    auto managed = context.services.require<plugins::IManagedPlugins>();
    if (!server || !managed) {
      return Error{errc::kUnavailable, "the modules http and plugins are missing"};
    }
    managed_ = managed.value();
    auto route = server.value()->route({.method = "POST", .pattern = "/test/updates/:action"},
                                       [this](const http::ExchangePtr& exchange) {
                                         main_->post([this, exchange] { act(exchange); });
                                       });
    if (!route) {
      return std::move(route).error();
    }
    route_ = std::move(route).value();
    if (auto status = services_->provide<installs::IPackageSources>(sources_, "updateprobe");
        !status) {
      return status;
    }
    return services_->provide<updates::IUpdateObserver>(stop_, "updateprobe");
  }

  void stop() override {
    route_.reset();
    services_->withdraw("updateprobe");
  }

 private:
  void act(const http::ExchangePtr& exchange) {
    const auto parsed = Json::parse(exchange->request().body);
    const auto body = parsed ? parsed.value() : Json();
    const std::string action(exchange->request().parameter("action"));
    if (action == "install") {
      install(exchange, body);
      return;
    }
    if (action == "offer") {
      sources_.offers[body["id"].asString()] = {body["version"].asString(),
                                                body["root"].asString()};
    } else if (action == "stop") {
      stop_.step = body["step"].asString();
      stop_.occurrence = static_cast<int>(body["occurrence"].asInteger(1));
    }
    respond(exchange, Json::object().set("reached", stop_.reached));
  }

  void install(const http::ExchangePtr& exchange, const Json& body) {
    storage::PluginRow row;
    row.id = body["id"].asString();
    row.source = "npm:svc-plugin-" + row.id;
    row.source_kind = "npm";
    row.version = body["version"].asString();
    row.root_dir = body["root"].asString();
    row.resolved = "test:" + row.root_dir;
    row.source_detail = R"({"identity":")" + row.id + R"("})";
    managed_->install(row, [exchange](const Result<plugins::PluginRecord>& record) {
      if (record) {
        respond(exchange, Json::object().set("plugin", toJson(record.value())));
      } else {
        exchange->fail(record.error());
      }
    });
  }

  IMainExecutor* main_ = nullptr;
  ServiceRegistry* services_ = nullptr;
  plugins::IManagedPlugins* managed_ = nullptr;
  OfferedSources sources_;
  Stop stop_;
  Handle route_;
};

constexpr std::array kProvides{installs::IPackageSources::kId, updates::IUpdateObserver::kId};
constexpr std::array kRequires{Requirement(http::IHttpServer::kId),
                               Requirement(plugins::IManagedPlugins::kId)};

}  // namespace

SVC_MODULE(UpdateProbe, "updateprobe", "1.0.0", kProvides, kRequires, std::span<const ConfigKey>{});
