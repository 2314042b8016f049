#include "svc/kernel/module.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <span>

#include "svc/base/random.h"
#include "svc/common/limits/installs.h"
#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "catalog_routes.h"
#include "install_routes.h"
#include "package_sources.h"
#include "sweeper.h"
#include "verifier.h"

namespace {

using namespace svc;
using namespace svc::installs;

class InstallsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto managed = context.services.require<plugins::IManagedPlugins>();
    auto store = context.services.require<storage::IInstallStore>();
    auto rows = context.services.require<storage::IPluginStore>();
    for (const Error* missing : {errorOf(server), errorOf(api), errorOf(manager), errorOf(managed),
                                 errorOf(store), errorOf(rows)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    services_ = &context.services;
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nothing changes it
    const std::string home_directory = home == nullptr ? "" : home;
    work_.emplace(context.bulk_workers, context.main, shutdown_.get_token());
    cache_.emplace(context.paths.data / "plugins" / "cache", context.clock, context.log);
    const auto examples = context.paths.share / "examples";
    packages_.emplace(processes_, *cache_, *managed.value(),
                      context.services.optional<IBundleBuilder>(), examples);
    marketplaces_ = std::make_shared<Marketplaces>(Marketplaces::Context{
        *work_, context.clock, *store.value(), processes_, *cache_, context.log, examples});
    sources_.emplace(*packages_, *marketplaces_, *cache_, *managed.value(), *work_, context.clock,
                     home_directory);
    jobs_ = std::make_shared<InstallJobs>(InstallJobs::Context{
        *work_, context.workers, context.clock, *store.value(), *manager.value(), *managed.value(),
        *packages_, *marketplaces_, home_directory, base::randomNumber, context.log,
        context.services.optional<IBundleBuilder>()});
    for (auto status : {repair(*rows.value()), marketplaces_->open(), jobs_->open()}) {
      if (!status) {
        return status;
      }
    }
    verifier_.emplace(*work_);
    verification_ =
        api.value()->addArtifactStep([this](const plugins::ArtifactRequest& request,
                                            Completion<std::vector<plugins::DevProblem>> done) {
          verifier_->verify(request, std::move(done));
        });
    sweeper_.emplace(*cache_, *work_);
    changes_ = manager.value()->onChanged(
        [this](const std::vector<plugins::PluginRecord>& records) { sweeper_->look(records); });
    install_routes_.emplace(jobs_, *manager.value(), *cache_, *work_, home_directory);
    catalog_routes_.emplace(marketplaces_, jobs_, *manager.value(), *managed.value(), context.main);
    for (auto status :
         {install_routes_->attach(*server.value()), catalog_routes_->attach(*server.value())}) {
      if (!status) {
        return status;
      }
    }
    return services_->provide<IPackageSources>(*sources_, "installs");
  }

  void ready(Completion<void> done) override {
    marketplaces_->begin();
    done({});
  }

  void drain(Completion<void> done) override {
    if (jobs_) {
      jobs_->stop();
    }
    shutdown_.request_stop();
    done({});
  }

  void stop() override {
    shutdown_.request_stop();
    if (services_ != nullptr) {
      services_->withdraw("installs");
    }
    catalog_routes_.reset();
    install_routes_.reset();
    changes_.reset();
    verification_.reset();
    if (marketplaces_) {
      marketplaces_->stop();
    }
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  Status repair(storage::IPluginStore& store) {
    auto rows = store.list();
    if (!rows) {
      return std::move(rows).error();
    }
    std::vector<std::string> roots;
    for (const auto& row : rows.value()) {
      roots.push_back(row.root_dir);
    }
    cache_->repair(roots, limits::kSnapshotKeep);
    return {};
  }

  ServiceRegistry* services_ = nullptr;
  std::stop_source shutdown_;
  Processes processes_;
  std::optional<Cache> cache_;
  std::optional<Packages> packages_;
  std::optional<Work> work_;
  std::shared_ptr<Marketplaces> marketplaces_;
  std::optional<PackageSources> sources_;
  std::shared_ptr<InstallJobs> jobs_;
  std::optional<Verifier> verifier_;
  std::optional<Sweeper> sweeper_;
  Handle verification_;
  Handle changes_;
  std::optional<InstallRoutes> install_routes_;
  std::optional<CatalogRoutes> catalog_routes_;
};

constexpr std::array kProvides{IPackageSources::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),       Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId), Requirement(plugins::IManagedPlugins::kId),
    Requirement(storage::IInstallStore::kId),  Requirement(storage::IPluginStore::kId),
    Requirement(IBundleBuilder::kId, true)};

}  // namespace

SVC_MODULE(InstallsModule, "installs", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
