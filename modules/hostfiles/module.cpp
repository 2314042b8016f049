#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <span>
#include <string>

#include "svc/base/environment.h"
#include "svc/serverlink/server_link.h"

#include "file_commands.h"

namespace {

using namespace svc;

class HostFilesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto link = context.services.require<serverlink::IServerLink>();
    if (!link) {
      return std::move(link).error();
    }
    const auto environment = base::currentEnvironment();
    const auto home = environment.find("HOME");
    commands_.emplace(context.bulk_workers, context.clock,
                      hostfiles::Bounds{.home = home == environment.end() ? "/" : home->second,
                                        .roots = context.config.getStringList("files.roots")});
    commands_->attach(*link.value());
    return {};
  }

  void stop() override { commands_.reset(); }

 private:
  std::optional<hostfiles::FileCommands> commands_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};

}  // namespace

SVC_MODULE(HostFilesModule, "hostfiles", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
