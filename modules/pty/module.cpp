#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/serverlink/server_link.h"

#include "pty_commands.h"

namespace {

using namespace svc;

class PtyModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto link = context.services.require<serverlink::IServerLink>();
    if (!link) {
      return std::move(link).error();
    }
    if (context.config.getBoolean("terminals.enabled")) {
      commands_ = std::make_unique<pty::PtyCommands>(
          *link.value(), context.main, context.bulk_workers,
          std::make_shared<pty::Starter>(base::currentEnvironment(), context.paths.bin,
                                         context.paths.data / "terminals"));
    } else {
      refuse(*link.value());
    }
    return {};
  }

  void drain(Completion<void> done) override {
    if (commands_) {
      commands_->drain(std::move(done));
    } else {
      done({});
    }
  }

  void stop() override {
    commands_.reset();
    refusals_.clear();
  }

 private:
  void refuse(serverlink::IServerLink& link) {
    for (const auto type :
         {hostprotocol::command::kTerminalOpen, hostprotocol::command::kTerminalClose,
          hostprotocol::command::kTerminalResume}) {
      refusals_.push_back(
          link.onCommand(std::string(type), [](const std::string&, Completion<std::string> done) {
            done(Error{errc::kForbidden,
                       "terminals are switched off on this machine (terminals.enabled)"});
          }));
    }
  }

  std::vector<Handle> refusals_;
  std::unique_ptr<pty::PtyCommands> commands_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};
constexpr std::array kConfig{
    ConfigKey{"terminals.enabled", ConfigType::kBoolean, "true",
              "whether the server may open terminals on this machine"},
};

}  // namespace

SVC_MODULE(PtyModule, "pty", "0.43.0", kProvides, kRequires, kConfig);
