#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "log_route.h"
#include "management_routes.h"
#include "rpc_part.h"
#include "rpc_route.h"

namespace {

using namespace svc;

class RpcModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto logs = context.services.require<plugins::IPluginLogs>();
    for (const Error* missing : {errorOf(server), errorOf(reactor), errorOf(loaded), errorOf(api),
                                 errorOf(manager), errorOf(logs)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    part_ = api.value()->addPart(rpc::rpcPart());
    calls_.emplace(*loaded.value(), *reactor.value(), context.clock);
    management_.emplace(*manager.value());
    logs_.emplace(*logs.value(), *reactor.value());
    if (auto status = calls_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = management_->attach(*server.value()); !status) {
      return status;
    }
    return logs_->attach(*server.value());
  }

  void stop() override {
    logs_.reset();
    management_.reset();
    calls_.reset();
    part_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  Handle part_;
  std::optional<rpc::RpcRoute> calls_;
  std::optional<rpc::ManagementRoutes> management_;
  std::optional<rpc::LogRoute> logs_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),       Requirement(http::IReactor::kId),
    Requirement(plugins::ILoadedPlugins::kId), Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId), Requirement(plugins::IPluginLogs::kId),
};

}  // namespace

SVC_MODULE(RpcModule, "rpc", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
