#include "svc/kernel/module.h"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "svc/agents/plugin_events.h"
#include "svc/common/platform.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/host_store.h"

#include "daemon_directory.h"
#include "daemon_log.h"
#include "daemon_package.h"
#include "enroll_routes.h"
#include "host_name.h"
#include "host_routes.h"
#include "join_address.h"
#include "local_daemon.h"
#include "package_routes.h"
#include "registry.h"

namespace {

using namespace svc;

class MachinesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    if (!server) {
      return std::move(server).error();
    }
    auto store = context.services.require<storage::IHostStore>();
    if (!store) {
      return std::move(store).error();
    }
    auto* hub = context.services.optional<realtime::IRealtimeHub>();
    package_.emplace(context.paths.bin.parent_path(), context.paths.data, common::platformName(),
                     context.bulk_workers, context.log);
    registry_.emplace(
        *store.value(), context.workers, context.clock,
        [hub](const std::string& host_id, const char* change) {
          if (hub != nullptr) {
            hub->changed({.entity = "host", .id = host_id, .kinds = {change}});
          }
        },
        [this](std::string_view platform) { return package_->availableFor(platform).ok(); },
        context.log);
    if (auto opened = registry_->open(machines::nameOfThisMachine()); !opened) {
      return opened;
    }
    if (auto attached = attachRoutes(context, *server.value()); !attached) {
      return attached;
    }
    prepareLocalDaemon(context, *server.value());
    return context.services.provide<machines::IHostRegistry>(*registry_, "machines");
  }

  void drain(Completion<void> done) override {
    if (registry_) {
      registry_->flush();
    }
    if (!local_) {
      return done({});
    }
    local_->stop(kPatience, std::move(done));
  }

  void stop() override {
    if (local_) {
      local_->release(kLastWait);
    }
    routes_.reset();
    enroll_routes_.reset();
    package_routes_.reset();
  }

 private:
  // The kernel gives all modules three seconds to drain, and each as many to stop.
  static constexpr std::chrono::milliseconds kPatience{1000};
  static constexpr std::chrono::milliseconds kLastWait{2000};

  Status attachRoutes(ModuleContext& context, http::IHttpServer& server) {
    routes_.emplace(
        context.workers, *registry_,
        [&config = context.config, &server] {
          return machines::joinAddress(
              {.app_url = config.getString("appUrl"),
               .listen_host = config.getString("listen.host"),
               .allowed_hosts = config.getStringList("listen.allowedHosts"),
               .base_url = server.baseUrl()});
        },
        [events = context.services.optional<agents::IPluginEvents>()](const common::Json& record) {
          if (events != nullptr) {
            events->emit("experimental_host.deleted",
                         common::RawJson(common::Json::object().set("host", record).dump()));
          }
        });
    package_routes_.emplace(context.workers, *registry_, *package_, context.version);
    enroll_routes_.emplace(context.workers, *registry_, context.clock, context.log);
    for (auto attached : {routes_->attach(server), enroll_routes_->attach(server),
                          package_routes_->attach(server)}) {
      if (!attached) {
        return attached;
      }
    }
    return {};
  }

  void prepareLocalDaemon(ModuleContext& context, http::IHttpServer& server) {
    if (!context.config.getBoolean("hosts.local")) {
      registry_->setServerNote("the server starts no host daemon here: hosts.local is false");
      return;
    }
    daemon_log_.emplace(context.clock, context.log->clone("hostd"));
    launcher_.emplace(context.main, [this](std::string_view line) { daemon_log_->write(line); });
    local_.emplace(
        *launcher_, context.main, context.clock,
        machines::LocalDaemonSettings{
            .executable = context.paths.bin / "svc-hostd",
            .data_directory =
                [this, data = context.paths.data] {
                  return machines::directoryOfOwnDaemon(data, registry_->serverHostId());
                },
            .server_url = [&server] { return server.baseUrl(); },
            .enroll_key = [this]() -> Result<std::string> {
              auto key =
                  registry_->issueKey(storage::HostKeyKind::kLocal, registry_->serverHostId(), {});
              return key ? Result<std::string>(std::move(key).value().key)
                         : Result<std::string>(key.error());
            },
            .note = [this](std::string note) { registry_->setServerNote(std::move(note)); }},
        context.log);
    context.when_ready([this] { local_->start(); });
  }

  std::optional<machines::DaemonPackage> package_;
  std::optional<machines::Registry> registry_;
  std::optional<machines::HostRoutes> routes_;
  std::optional<machines::EnrollRoutes> enroll_routes_;
  std::optional<machines::PackageRoutes> package_routes_;
  std::optional<machines::DaemonLog> daemon_log_;
  std::optional<machines::DaemonLauncher> launcher_;
  std::optional<machines::LocalDaemon> local_;
};

constexpr std::array kProvides{machines::IHostRegistry::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(storage::IHostStore::kId),
    Requirement(realtime::IRealtimeHub::kId, true), Requirement(agents::IPluginEvents::kId, true)};
constexpr std::array kConfig{
    ConfigKey{"hosts.local", ConfigType::kBoolean, "true",
              "start and supervise a host daemon for the server's own machine"},
    // The module http declares these too; here they say where other machines reach the server.
    ConfigKey{"listen.host", ConfigType::kString, "127.0.0.1",
              "address to listen on; one that other machines can reach needs listen.allowedHosts"},
    ConfigKey{"listen.allowedHosts", ConfigType::kStringList, "[]",
              "names clients may use in the Host header, with or without a port"},
    ConfigKey{"appUrl", ConfigType::kString, "",
              "public address of the app window; its origin is allowed, its path is the base path"},
};

}  // namespace

SVC_MODULE(MachinesModule, "machines", "0.43.0", kProvides, kRequires, kConfig);
