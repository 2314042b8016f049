#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/projects/projects.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/project_store.h"

#include "attachment_routes.h"
#include "attachments.h"
#include "place_check.h"
#include "project_registry.h"
#include "project_routes.h"

namespace {

using namespace svc;

class ProjectsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    if (!server) {
      return std::move(server).error();
    }
    auto store = context.services.require<storage::IProjectStore>();
    if (!store) {
      return std::move(store).error();
    }
    auto* hub = context.services.optional<realtime::IRealtimeHub>();
    attachments_.emplace(context.paths.data / "projects");
    places_.emplace(context.services.optional<hosts::IHostCommands>());
    registry_.emplace(*store.value(), context.clock,
                      [hub](const std::string& project_id, const char* change) {
                        if (hub != nullptr) {
                          hub->changed({.entity = "project", .id = project_id, .kinds = {change}});
                        }
                      });
    if (auto opened = registry_->open(); !opened) {
      return opened;
    }
    removeFilesOfRemoved(context);
    routes_.emplace(context.workers, *registry_, *places_);
    attachment_routes_.emplace(context.bulk_workers, *registry_, *attachments_);
    for (auto attached :
         {routes_->attach(*server.value()), attachment_routes_->attach(*server.value())}) {
      if (!attached) {
        return attached;
      }
    }
    return context.services.provide<projects::IProjects>(*registry_, "projects");
  }

  void stop() override {
    routes_.reset();
    attachment_routes_.reset();
    removed_.reset();
  }

 private:
  void removeFilesOfRemoved(ModuleContext& context) {
    // Nobody waits for it; what the queue has no room for is swept at the next start.
    (void)context.bulk_workers.submit([this](const std::stop_token&) { attachments_->sweep(); });
    removed_ = registry_->onRemoved([this, log = context.log](const std::string& project_id) {
      if (const auto gone = attachments_->removeAll(project_id); !gone) {
        log->warn("attachments of the deleted project {} are left: {}", project_id,
                  gone.error().message);
      }
    });
  }

  std::optional<projects::Attachments> attachments_;
  std::optional<projects::PlaceCheck> places_;
  std::optional<projects::ProjectRegistry> registry_;
  std::optional<projects::ProjectRoutes> routes_;
  std::optional<projects::AttachmentRoutes> attachment_routes_;
  Handle removed_;
};

constexpr std::array kProvides{projects::IProjects::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(storage::IProjectStore::kId),
    Requirement(realtime::IRealtimeHub::kId, true), Requirement(hosts::IHostCommands::kId, true)};
constexpr std::array<ConfigKey, 0> kConfig{};

}  // namespace

SVC_MODULE(ProjectsModule, "projects", "0.1.0", kProvides, kRequires, kConfig);
