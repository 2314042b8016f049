#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/environments/environments.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/terminal_store.h"
#include "svc/threads/threads.h"

#include "book.h"
#include "journal.h"
#include "requests.h"
#include "terminal_routes.h"

namespace {

using namespace svc;

class TerminalsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto commands = context.services.require<hosts::IHostCommands>();
    auto messages = context.services.require<hosts::IHostMessages>();
    auto registry = context.services.require<machines::IHostRegistry>();
    auto store = context.services.require<storage::ITerminalStore>();
    for (const Error* missing : {errorOf(server), errorOf(reactor), errorOf(commands),
                                 errorOf(messages), errorOf(registry), errorOf(store)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    auto rows = store.value()->terminals();
    if (!rows) {
      return std::move(rows).error();
    }
    main_ = &context.main;
    reactor_ = reactor.value();
    journal_ =
        std::make_shared<terminals::Journal>(*store.value(), context.bulk_workers, context.log);
    book_ = std::make_shared<terminals::Book>(
        terminals::Book::With{.reactor = *reactor_,
                              .clock = context.clock,
                              .commands = *commands.value(),
                              .messages = *messages.value(),
                              .registry = *registry.value(),
                              .journal = journal_,
                              .hub = context.services.optional<realtime::IRealtimeHub>(),
                              .data_directory = context.paths.data.string(),
                              .tell_thread = tellThread(context.services),
                              .why_gone = whyGone(context.services)});
    book_->load(std::move(rows).value());
    reactor_->post([book = book_] { book->start(); });
    listening_ = messages.value()->listen(*book_);
    followPlaces(context.services);
    routes_.emplace(book_, *registry.value(), placesOf(context.services));
    return routes_->attach(*server.value());
  }

  void drain(Completion<void> done) override {
    auto held = std::make_shared<Completion<void>>(std::move(done));
    journal_->flush([main = main_, held](const Status&) { main->post([held] { (*held)({}); }); });
  }

  void stop() override {
    routes_.reset();
    places_.reset();
    listening_.reset();
    // Its timers, and whoever hears of daemons, are on that thread.
    if (reactor_ != nullptr) {
      reactor_->post([book = std::move(book_)] {});
    }
    journal_.reset();
  }

 private:
  static terminals::TellThread tellThread(ServiceRegistry& services) {
    return [threads = services.optional<threads::IThreads>()](const std::string& thread_id) {
      if (threads != nullptr) {
        threads->tellTerminals(thread_id);
      }
    };
  }

  static terminals::WhyGone whyGone(ServiceRegistry& services) {
    return [environments = services.optional<environments::IEnvironments>(),
            threads = services.optional<threads::IThreads>()](
               const std::string& thread_id, const std::string& environment_id) -> const char* {
      if (threads != nullptr && !thread_id.empty()) {
        const auto thread = threads->find(thread_id);
        if (!thread || thread->archived) {
          return thread ? terminals::reason::kThreadArchived : terminals::reason::kThreadDeleted;
        }
      }
      if (environments != nullptr && !environment_id.empty()) {
        const auto environment = environments->find(environment_id);
        if (!environment || environment->status == "destroyed") {
          return terminals::reason::kEnvironmentDestroyed;
        }
      }
      return nullptr;
    };
  }

  /// The reason is looked up where the change is told: a thread may be unarchived before the book hears of it.
  void followPlaces(ServiceRegistry& services) {
    auto* hub = services.optional<realtime::IRealtimeHub>();
    if (hub == nullptr) {
      return;
    }
    places_ = hub->onChanged([reactor = reactor_, book = std::weak_ptr(book_),
                              why_gone = whyGone(services)](const realtime::Change& change) {
      const auto kind = change.kinds.empty() ? std::string() : change.kinds.front();
      const bool of_thread = kind == "archived-changed" || kind == "thread-deleted";
      if (!of_thread && kind != "environment-deleted") {
        return;
      }
      const auto* why = of_thread ? why_gone(change.id, {}) : why_gone({}, change.id);
      if (why != nullptr) {
        reactor->post([book, id = change.id, why] {
          if (const auto self = book.lock()) {
            self->placeGone(id, why);
          }
        });
      }
    });
  }

  static terminals::FindPlace placesOf(ServiceRegistry& services) {
    return [environments = services.optional<environments::IEnvironments>(),
            threads = services.optional<threads::IThreads>()](
               const std::string& kind, const std::string& id) -> Result<terminals::NewTerminal> {
      const bool of_thread = kind == "thread";
      if (environments == nullptr || (of_thread && threads == nullptr)) {
        return Error{errc::kNotSupported,
                     fmt::format("this server has no {}s; use the scope host_path", kind)};
      }
      terminals::NewTerminal out;
      auto environment_id = id;
      if (of_thread) {
        const auto thread = threads->find(id);
        if (!thread) {
          return Error{errc::kNotFound, fmt::format("there is no thread \"{}\"", id)};
        }
        out.thread_id = id;
        environment_id = thread->environment_id;
      }
      const auto environment = environments->find(environment_id);
      if (!environment && !of_thread) {
        return Error{errc::kNotFound, fmt::format("there is no environment \"{}\"", id)};
      }
      if (!environment || environment->path.empty() || environment->status == "destroyed") {
        return Error{
            errc::kConflict,
            fmt::format("the {} \"{}\" has no folder {}", kind, id,
                        environment && environment->status == "destroyed" ? "any more" : "yet")};
      }
      out.host_id = environment->host_id;
      out.cwd = environment->path;
      out.environment_id = environment_id;
      out.project_id = environment->project_id;
      return out;
    };
  }

  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  IMainExecutor* main_ = nullptr;
  http::IReactor* reactor_ = nullptr;
  std::shared_ptr<terminals::Journal> journal_;
  std::shared_ptr<terminals::Book> book_;
  Handle listening_;
  Handle places_;
  std::optional<terminals::TerminalRoutes> routes_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(http::IReactor::kId),
    Requirement(hosts::IHostCommands::kId),
    Requirement(hosts::IHostMessages::kId),
    Requirement(machines::IHostRegistry::kId),
    Requirement(storage::ITerminalStore::kId),
    Requirement(realtime::IRealtimeHub::kId, true),
    Requirement(environments::IEnvironments::kId, true),
    Requirement(threads::IThreads::kId, true),
};

}  // namespace

SVC_MODULE(TerminalsModule, "terminals", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
