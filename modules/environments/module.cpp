#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "svc/environments/environments.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/projects/projects.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/environment_store.h"

#include "book.h"
#include "environment_routes.h"
#include "record.h"

namespace {

using namespace svc;

class EnvironmentsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto commands = context.services.require<hosts::IHostCommands>();
    auto messages = context.services.require<hosts::IHostMessages>();
    auto machines = context.services.require<machines::IHostRegistry>();
    auto projects = context.services.require<projects::IProjects>();
    auto store = context.services.require<storage::IEnvironmentStore>();
    for (const Error* missing :
         {errorOf(server), errorOf(reactor), errorOf(commands), errorOf(messages),
          errorOf(machines), errorOf(projects), errorOf(store)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    reactor_ = reactor.value();
    const environments::Announcer announce =
        [hub = context.services.optional<realtime::IRealtimeHub>()](const std::string& id,
                                                                    const char* kind) {
          if (hub != nullptr) {
            hub->changed({.entity = "environment", .id = id, .kinds = {kind}});
          }
        };
    rows_ = std::make_shared<environments::Rows>(*store.value(), context.workers, *reactor_);
    if (auto opened = rows_->open(); !opened) {
      return opened;
    }
    book_ = std::make_shared<environments::Book>(
        environments::Book::With{.rows = rows_,
                                 .commands = *commands.value(),
                                 .machines = *machines.value(),
                                 .projects = *projects.value(),
                                 .io = *reactor_,
                                 .clock = context.clock,
                                 .announce = announce,
                                 .data_directory = context.paths.data.string()});
    listening_ = messages.value()->listen(*book_);
    removed_ = projects.value()->onRemoved(
        [book = book_](const std::string& project_id) { book->projectRemoved(project_id); });
    machines_removed_ = machines.value()->onRemoved(
        [book = book_](const std::string& host_id) { book->machineRemoved(host_id); });
    givePlaces(*projects.value());
    routes_.emplace(environments::EnvironmentRoutes::With{.book = book_,
                                                          .rows = rows_,
                                                          .commands = *commands.value(),
                                                          .clock = context.clock,
                                                          .announce = announce});
    if (auto attached = routes_->attach(*server.value()); !attached) {
      return attached;
    }
    return context.services.provide<environments::IEnvironments>(*book_, "environments");
  }

  void ready(Completion<void> done) override {
    reactor_->post([book = book_] { book->begin(); });
    done({});
  }

  void stop() override {
    routes_.reset();
    places_.reset();
    machines_removed_.reset();
    removed_.reset();
    listening_.reset();
    // Its timers are on that thread.
    if (book_) {
      reactor_->post([book = std::move(book_)] { book->end(); });
    }
    rows_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  void givePlaces(projects::IProjects& projects) {
    places_ = projects.useEnvironments(
        [rows = rows_](const std::string& project_id,
                       const std::string& environment_id) -> Result<projects::WorkPlace> {
          const auto row = rows->find(environment_id);
          if (!row || row->project_id != project_id) {
            return environments::noSuchEnvironment(environment_id);
          }
          if (row->path.empty() ||
              environments::stateOf(row->status) == environments::State::kDestroyed) {
            return environments::notUsable(*row);
          }
          return projects::WorkPlace{row->host_id, row->path};
        });
  }

  http::IReactor* reactor_ = nullptr;
  std::shared_ptr<environments::Rows> rows_;
  std::shared_ptr<environments::Book> book_;
  Handle listening_;
  Handle removed_;
  Handle machines_removed_;
  Handle places_;
  std::optional<environments::EnvironmentRoutes> routes_;
};

constexpr std::array kProvides{environments::IEnvironments::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),          Requirement(http::IReactor::kId),
    Requirement(hosts::IHostCommands::kId),       Requirement(hosts::IHostMessages::kId),
    Requirement(machines::IHostRegistry::kId),    Requirement(projects::IProjects::kId),
    Requirement(storage::IEnvironmentStore::kId), Requirement(realtime::IRealtimeHub::kId, true),
};

}  // namespace

SVC_MODULE(EnvironmentsModule, "environments", "0.1.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
