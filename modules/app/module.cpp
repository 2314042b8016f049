#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/bundle_builder.h"
#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "artifact_step.h"
#include "asset_routes.h"
#include "build_queue.h"
#include "build_service.h"
#include "bundle_shelf.h"
#include "node_program.h"

namespace {

using namespace svc;

class AppModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    if (!server) {
      return server.error();
    }
    if (!loaded) {
      return loaded.error();
    }
    if (!api) {
      return api.error();
    }
    if (!manager) {
      return manager.error();
    }
    const common::BundleBuilder::Options options{
        .node = context.config.getString("build.node"),
        .toolchain = context.paths.share / "toolchain",
        .installed_toolchains = context.paths.data / "plugins"};
    queue_.emplace(context.bulk_workers, [options]() -> app::BuildQueue::Build {
      auto builder = std::make_shared<common::BundleBuilder>(options);
      return [builder](const common::BuildRequest& request, const std::stop_token& stop) {
        return builder->build(request, stop);
      };
    });
    service_.emplace(context.main, context.workers, *queue_);
    step_.emplace(context.main, context.workers, *queue_, shelf_);
    routes_.emplace(shelf_, *loaded.value(), context.workers);
    joinLoads(*api.value());
    changes_ =
        manager.value()->onChanged([this](const std::vector<plugins::PluginRecord>& records) {
          std::set<std::string> ids;
          for (const auto& record : records) {
            ids.insert(record.id);
          }
          shelf_.keepOnly(ids);
        });
    if (auto status = routes_->attach(*server.value()); !status) {
      return status;
    }
    return context.services.provide<installs::IBundleBuilder>(*service_, "app");
  }

  // Builds that run would outlast the plugins they are for.
  void drain(Completion<void> done) override {
    queue_->stop();
    done({});
  }

  void stop() override {
    changes_.reset();
    registrations_.clear();
    routes_.reset();
    if (queue_) {
      queue_->stop();
    }
  }

 private:
  void joinLoads(plugins::IPluginApi& api) {
    registrations_.push_back(
        api.addArtifactStep([this](const plugins::ArtifactRequest& request,
                                   Completion<std::vector<plugins::DevProblem>> done) {
          step_->run(request, std::move(done));
        }));
    registrations_.push_back(api.addPrepareCheck(
        [this](const plugins::GenerationPtr& generation, Completion<void> done) {
          step_->prepare(generation);
          done({});
        }));
    registrations_.push_back(api.addCommitStep(
        [this](const plugins::GenerationPtr& generation) { step_->commit(generation); }));
  }

  app::BundleShelf shelf_;
  std::optional<app::BuildQueue> queue_;
  std::optional<app::BuildService> service_;
  std::optional<app::ArtifactStep> step_;
  std::optional<app::AssetRoutes> routes_;
  std::vector<Handle> registrations_;
  Handle changes_;
};

constexpr std::array kProvides{installs::IBundleBuilder::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(plugins::ILoadedPlugins::kId),
    Requirement(plugins::IPluginApi::kId), Requirement(plugins::IPluginManager::kId)};
constexpr std::array kConfig{ConfigKey{
    "build.node", ConfigType::kString, "node",
    "program that builds the bundles of plugins: Node.js 20 or newer", app::isNodeProgram}};

}  // namespace

SVC_MODULE(AppModule, "app", "0.43.0", kProvides, kRequires, kConfig);
