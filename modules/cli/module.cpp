#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "cli_part.h"
#include "cli_routes.h"
#include "commands.h"

namespace {

using namespace svc;

class CliModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    for (const Error* missing :
         {errorOf(server), errorOf(reactor), errorOf(loaded), errorOf(api), errorOf(manager)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    commands_ = std::make_shared<cli::Commands>(*loaded.value(), context.main);
    part_ = api.value()->addPart(cli::cliPart(refreshLater(context.main)));
    changes_ = manager.value()->onChanged(
        [commands = commands_](const std::vector<plugins::PluginRecord>& records) {
          commands->recordsChanged(records);
        });
    context.when_ready(refreshLater(context.main));
    routes_.emplace(*loaded.value(), *reactor.value(), context.main, commands_);
    if (auto status = routes_->attach(*server.value()); !status) {
      return status;
    }
    return context.services.provide<cli::ICommands>(*commands_, "cli");
  }

  void stop() override {
    routes_.reset();
    changes_.reset();
    part_.reset();
    commands_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  [[nodiscard]] std::function<void()> refreshLater(IMainExecutor& main) const {
    return [&main, weak = std::weak_ptr(commands_)] {
      main.post([weak] {
        if (const auto commands = weak.lock()) {
          commands->refresh();
        }
      });
    };
  }

  std::shared_ptr<cli::Commands> commands_;
  Handle part_;
  Handle changes_;
  std::optional<cli::CliRoutes> routes_;
};

constexpr std::array kProvides{cli::ICommands::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),       Requirement(http::IReactor::kId),
    Requirement(plugins::ILoadedPlugins::kId), Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId),
};

}  // namespace

SVC_MODULE(CliModule, "cli", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
