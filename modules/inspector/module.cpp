#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "inspector_part.h"
#include "inspector_routes.h"
#include "snapshots.h"

namespace {

using namespace svc;

class InspectorModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    for (const Error* missing : {errorOf(server), errorOf(loaded), errorOf(api)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    auto snapshots = std::make_shared<inspector::Snapshots>(context.paths.data);
    part_ = api.value()->addPart(inspector::inspectorPart(snapshots));
    routes_.emplace(*loaded.value(), context.workers, std::move(snapshots));
    return routes_->attach(*server.value());
  }

  void stop() override {
    routes_.reset();
    part_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  Handle part_;
  std::optional<inspector::InspectorRoutes> routes_;
};

constexpr std::array kRequires{Requirement(http::IHttpServer::kId),
                               Requirement(plugins::ILoadedPlugins::kId),
                               Requirement(plugins::IPluginApi::kId)};

}  // namespace

SVC_MODULE(InspectorModule, "inspector", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
