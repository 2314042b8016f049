#include "svc/kernel/module.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <span>

#include "svc/common/limits.h"
#include "svc/hostlink/server_link.h"
#include "svc/kernel/program_exit.h"

#include "daemon.h"
#include "inherited.h"
#include "network.h"
#include "server_link.h"

namespace {

using namespace svc;

std::string homeDirectory() {
  // Before any other thread of this module. NOLINTBEGIN(concurrency-mt-unsafe)
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return home;
  }
  const auto* entry = ::getpwuid(::getuid());
  // NOLINTEND(concurrency-mt-unsafe)
  return entry != nullptr ? entry->pw_dir : "/";
}

Result<hostlink::DaemonSettings> settingsOf(const ModuleContext& context) {
  const auto& config = context.config;
  hostlink::DaemonSettings settings;
  settings.join = config.getBoolean("join");
  settings.enroll_only = config.getBoolean("enrollOnly");
  settings.local = config.getBoolean("local");
  settings.ephemeral = config.getBoolean("ephemeral");
  settings.server = config.getString("server");
  settings.code = config.getString("code");
  settings.name = config.getString("name");
  settings.fingerprint = config.getString("fingerprint");
  settings.data_directory = context.paths.data;
  if (const auto descriptor = config.getInteger("enrollFd"); descriptor >= 0) {
    auto key = hostlink::readInherited(static_cast<int>(descriptor), limits::kSessionConnect);
    if (!key) {
      return std::move(key).error();
    }
    settings.enroll_key = std::move(key).value();
  }
  return settings;
}

class HostlinkModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto exit = context.services.require<IProgramExit>();
    if (!exit) {
      return std::move(exit).error();
    }
    auto settings = settingsOf(context);
    if (!settings) {
      return std::move(settings).error();
    }
    network_.emplace(context.main);
    link_.emplace(*network_, context.main, context.clock, context.workers, homeDirectory(),
                  context.log, [engine = std::mt19937(std::random_device{}())]() mutable {
                    return std::uniform_real_distribution<double>(0, 1)(engine);
                  });
    hostlink::DaemonActions actions{
        [](const std::string& text) { std::cout << text << std::endl; }, context.request_shutdown,
        [exit = exit.value()](const std::string& why) { exit->fail(why); }};
    daemon_ = std::make_shared<hostlink::Daemon>(std::move(settings).value(), *network_, *link_,
                                                 std::move(actions), context.log);
    if (auto prepared = daemon_->prepare(); !prepared) {
      return prepared;
    }
    if (auto watched = watchParent(context); !watched) {
      return watched;
    }
    context.when_ready([this] { daemon_->connect(); });
    return context.services.provide<hostlink::IServerLink>(*link_, "hostlink");
  }

  void ready(Completion<void> done) override { daemon_->enrollIfNeeded(std::move(done)); }

  void drain(Completion<void> done) override { link_->stop(std::move(done)); }

  void stop() override {
    daemon_.reset();
    if (network_) {
      network_->stop();
    }
  }

 private:
  /// A local daemon ends with its server, however that ends.
  Status watchParent(ModuleContext& context) {
    const auto descriptor = static_cast<int>(context.config.getInteger("parentFd"));
    if (descriptor < 0) {
      return {};
    }
    if (auto kept = hostlink::keepToSelf(descriptor); !kept) {
      return kept;
    }
    network_->watchPipe(descriptor, [shutdown = context.request_shutdown] {
      shutdown("the server that has started it is gone");
    });
    return {};
  }

  std::optional<hostlink::Network> network_;
  std::optional<hostlink::ServerLink> link_;
  std::shared_ptr<hostlink::Daemon> daemon_;
};

constexpr std::array kProvides{hostlink::IServerLink::kId};

constexpr std::array kConfig{
    ConfigKey{"join", ConfigType::kBoolean, "false",
              "enroll this machine at --server with --code, then run (svc-hostd join)"},
    ConfigKey{"server", ConfigType::kString, "", "address of the server, http or https"},
    ConfigKey{"code", ConfigType::kString, "", "join code from \"svc machine enroll\""},
    ConfigKey{"name", ConfigType::kString, "", "name of this machine; the host name by default"},
    ConfigKey{"fingerprint", ConfigType::kString, "",
              "join: SHA-256 fingerprint of the only server certificate to accept"},
    ConfigKey{"enrollOnly", ConfigType::kBoolean, "false", "join: enroll and exit"},
    ConfigKey{"ephemeral", ConfigType::kBoolean, "false",
              "join: this machine is a short-lived one"},
    ConfigKey{"local", ConfigType::kBoolean, "false", "started by the server of this machine"},
    ConfigKey{"enrollFd", ConfigType::kInteger, "-1",
              "descriptor from which a local daemon reads its enroll key"},
    ConfigKey{"parentFd", ConfigType::kInteger, "-1", "descriptor whose end ends a local daemon"},
};

}  // namespace

SVC_MODULE(HostlinkModule, "hostlink", "0.43.0", kProvides, std::span<const Requirement>{},
           kConfig);
