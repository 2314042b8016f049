#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "file_routes.h"
#include "previews.h"

namespace {

using namespace svc;

class FilesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto commands = context.services.require<hosts::IHostCommands>();
    auto registry = context.services.require<machines::IHostRegistry>();
    if (!server || !reactor || !commands || !registry) {
      return !server     ? server.error()
             : !reactor  ? reactor.error()
             : !commands ? commands.error()
                         : registry.error();
    }
    routes_.emplace(files::FileRoutes::With{.reactor = *reactor.value(),
                                            .workers = context.workers,
                                            .commands = *commands.value(),
                                            .registry = *registry.value()});
    previews_ = std::make_shared<files::Previews>(files::Previews::With{
        .commands = *commands.value(), .registry = *registry.value(), .clock = context.clock});
    if (auto attached = routes_->attach(*server.value()); !attached) {
      return attached;
    }
    return previews_->attach(*server.value());
  }

  void stop() override {
    if (previews_) {
      previews_->detach();
    }
    previews_.reset();
    routes_.reset();
  }

 private:
  std::optional<files::FileRoutes> routes_;
  std::shared_ptr<files::Previews> previews_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(http::IReactor::kId),
    Requirement(hosts::IHostCommands::kId),
    Requirement(machines::IHostRegistry::kId),
};

}  // namespace

SVC_MODULE(FilesModule, "files", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
