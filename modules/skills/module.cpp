#include "svc/kernel/module.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "svc/base/files.h"
#include "svc/cli/commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/plugins/assets.h"
#include "svc/plugins/plugins.h"
#include "svc/realtime/realtime.h"
#include "svc/skills/skills.h"

#include "commands_text.h"
#include "folder_watch.h"
#include "skill_routes.h"
#include "skill_shelf.h"
#include "skill_writer.h"

namespace {

using namespace svc;

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

/// Skills are files: they are offered whenever their plugin is on, whether or not its code runs.
bool isOn(const plugins::PluginRecord& record) {
  return record.enabled && record.status != plugins::PluginStatus::kDisabled &&
         record.status != plugins::PluginStatus::kMissing;
}

class SkillsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    if (!server) {
      return std::move(server).error();
    }
    main_ = &context.main;
    const auto folder = context.paths.data / "skills";
    if (auto made = base::makePrivateDirectory(folder); !made) {
      context.log->warn("skills of the user: {}", made.error().message);
    }
    shelf_ = std::make_shared<skills::SkillShelf>(
        skills::SkillShelf::Collaborators{
            .main = context.main, .workers = context.workers, .bulk = context.bulk_workers},
        skills::userRoots({.data = context.paths.data, .home = variable("HOME").value_or("")},
                          variable));
    watch_.emplace([main = main_, weak = std::weak_ptr(shelf_)] {
      main->post([weak] {
        if (const auto shelf = weak.lock()) {
          shelf->refreshSoon();
        }
      });
    });
    watch_->follow(shelf_->folders());
    announce(context.services);
    followPlugins(context.services);
    writeCommands(context);
    routes_.emplace(skills::SkillRoutes::Collaborators{
        .main = context.main,
        .workers = context.workers,
        .shelf = shelf_,
        .hosts = context.services.optional<machines::IHostRegistry>()});
    if (auto status = routes_->attach(*server.value()); !status) {
      return status;
    }
    context.when_ready([weak = std::weak_ptr(shelf_)] {
      if (const auto shelf = weak.lock()) {
        shelf->refresh();
      }
    });
    return context.services.provide<skills::ISkills>(*shelf_, "skills");
  }

  void stop() override {
    routes_.reset();
    changes_.clear();
    writer_.reset();
    watch_.reset();
    shelf_.reset();
  }

 private:
  /// Windows ask again, and what has come since is watched.
  void announce(ServiceRegistry& services) {
    auto* const hub = services.optional<realtime::IRealtimeHub>();
    changes_.push_back(shelf_->onChanged([this, hub] {
      watch_->follow(shelf_->folders());
      if (hub != nullptr) {
        hub->changed({.entity = "system", .kinds = {"config-changed"}});
      }
    }));
  }

  void followPlugins(ServiceRegistry& services) {
    auto* const manager = services.optional<plugins::IPluginManager>();
    auto* const assets = services.optional<plugins::IPluginAssets>();
    if (manager == nullptr || assets == nullptr) {
      return;
    }
    changes_.push_back(manager->onChanged(
        [shelf = shelf_, assets](const std::vector<plugins::PluginRecord>& records) {
          std::set<std::string, std::less<>> on;
          for (const auto& record : records) {
            if (isOn(record)) {
              on.insert(record.id);
            }
          }
          auto found = assets->skills();
          std::erase_if(found, [&on](const plugins::PluginSkill& skill) {
            return !on.contains(skill.plugin_id);
          });
          shelf->setPlugins(std::move(found));
        }));
  }

  /// The skill about the commands of plugins.
  void writeCommands(ModuleContext& context) {
    auto* const commands = context.services.optional<cli::ICommands>();
    if (commands == nullptr) {
      return;
    }
    writer_ = std::make_shared<skills::SkillWriter>(
        skills::commandsFile(context.paths.data), context.main, context.workers,
        skills::SkillWriter::Listeners{.failed =
                                           [log = context.log](const Error& error) {
                                             log->warn("plugin-commands skill: {}", error.message);
                                           },
                                       .written = [shelf = shelf_] { shelf->refresh(); }});
    const auto write = [commands, writer = writer_] {
      writer->update(skills::commandsText(commands->list()));
    };
    changes_.push_back(commands->onChanged(write));
    context.when_ready([write] { write(); });
  }

  IMainExecutor* main_ = nullptr;
  std::shared_ptr<skills::SkillShelf> shelf_;
  std::optional<skills::FolderWatch> watch_;
  std::shared_ptr<skills::SkillWriter> writer_;
  std::vector<Handle> changes_;
  std::optional<skills::SkillRoutes> routes_;
};

constexpr std::array kProvides{skills::ISkills::kId};
constexpr std::array kRequires{Requirement(http::IHttpServer::kId),
                               Requirement(plugins::IPluginAssets::kId, true),
                               Requirement(plugins::IPluginManager::kId, true),
                               Requirement(cli::ICommands::kId, true),
                               Requirement(realtime::IRealtimeHub::kId, true),
                               Requirement(machines::IHostRegistry::kId, true)};

}  // namespace

SVC_MODULE(SkillsModule, "skills", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
