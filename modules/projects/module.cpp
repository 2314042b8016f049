#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/projects/attachments.h"
#include "svc/projects/projects.h"
#include "svc/realtime/realtime.h"
#include "svc/skills/skills.h"
#include "svc/storage/project_store.h"

#include "attachment_routes.h"
#include "attachments.h"
#include "clone_routes.h"
#include "content_routes.h"
#include "machine_commands.h"
#include "place_check.h"
#include "project_registry.h"
#include "project_routes.h"
#include "skill_folders.h"

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
    auto* commands = context.services.optional<hosts::IHostCommands>();
    places_.emplace(commands);
    machines_.emplace(commands);
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
    clones_.emplace(projects::CloneRoutes::With{.workers = context.workers,
                                                .registry = *registry_,
                                                .machines = *machines_,
                                                .clock = context.clock});
    contents_.emplace(context.workers, *registry_, *machines_);
    routes_.emplace(context.workers, *registry_, *places_, *clones_);
    attachment_routes_.emplace(context.bulk_workers, *registry_, *attachments_);
    for (auto attached :
         {routes_->attach(*server.value()), attachment_routes_->attach(*server.value()),
          clones_->attach(*server.value()), contents_->attach(*server.value())}) {
      if (!attached) {
        return attached;
      }
    }
    giveSkills(context);
    if (auto provided = context.services.provide<projects::IAttachments>(*attachments_, "projects");
        !provided) {
      return provided;
    }
    return context.services.provide<projects::IProjects>(*registry_, "projects");
  }

  void stop() override {
    skills_.reset();
    contents_.reset();
    clones_.reset();
    routes_.reset();
    attachment_routes_.reset();
    removed_.reset();
  }

 private:
  void giveSkills(ModuleContext& context) {
    auto* skills = context.services.optional<skills::ISkills>();
    auto* machines = context.services.optional<machines::IHostRegistry>();
    if (skills != nullptr && machines != nullptr) {
      skill_folders_.emplace(*registry_, *machines, *machines_);
      skills_ = skills->useProjects(*skill_folders_);
    }
  }

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
  std::optional<projects::MachineCommands> machines_;
  std::optional<projects::ProjectRegistry> registry_;
  std::optional<projects::SkillFolders> skill_folders_;
  Handle skills_;
  std::optional<projects::CloneRoutes> clones_;
  std::optional<projects::ContentRoutes> contents_;
  std::optional<projects::ProjectRoutes> routes_;
  std::optional<projects::AttachmentRoutes> attachment_routes_;
  Handle removed_;
};

constexpr std::array kProvides{projects::IProjects::kId, projects::IAttachments::kId};
constexpr std::array kRequires{Requirement(http::IHttpServer::kId),
                               Requirement(storage::IProjectStore::kId),
                               Requirement(realtime::IRealtimeHub::kId, true),
                               Requirement(hosts::IHostCommands::kId, true),
                               Requirement(machines::IHostRegistry::kId, true),
                               Requirement(skills::ISkills::kId, true)};
constexpr std::array<ConfigKey, 0> kConfig{};

}  // namespace

SVC_MODULE(ProjectsModule, "projects", "0.1.0", kProvides, kRequires, kConfig);
