#include "svc/kernel/module.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "svc/base/home.h"
#include "svc/base/random.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/platform.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/kernel/main_io.h"
#include "svc/kernel/program_exit.h"
#include "svc/serverlink/server_link.h"

#include "daemon.h"
#include "inherited.h"
#include "network.h"
#include "program_check.h"
#include "proxy.h"
#include "self_update.h"
#include "server_link.h"
#include "tls.h"

namespace {

using namespace svc;

/// Nobody calls it: that it is provided, in this version, tells `--check` which protocol this module speaks.
struct SpokenProtocol {
  static constexpr ServiceId kId{serverlink::kProtocolService, hostprotocol::kProtocolVersion};
};

/// Of this process, without the name of the program.
std::vector<std::string> ownArguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) {
    words.push_back(std::move(word));
  }
  if (!words.empty()) {
    words.erase(words.begin());
  }
  return words;
}

std::string environmentVariable(const char* name) {
  // Before any other thread of this module. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<serverlink::DaemonSettings> settingsOf(const ModuleContext& context) {
  const auto& config = context.config;
  serverlink::DaemonSettings settings;
  settings.join = config.getBoolean("join");
  settings.enroll_only = config.getBoolean("enrollOnly");
  settings.local = config.getBoolean("local");
  settings.ephemeral = config.getBoolean("ephemeral");
  settings.server = config.getString("server");
  settings.code = config.getString("code");
  settings.name = config.getString("name");
  settings.fingerprint = config.getString("fingerprint");
  settings.data_directory = context.paths.data;
  settings.protocol_version = hostprotocol::kProtocolVersion;
  // A server updates the daemon of its own machine together with itself.
  settings.auto_update = config.getBoolean("autoUpdate") && !settings.local;
  if (const auto descriptor = config.getInteger("enrollFd"); descriptor >= 0) {
    auto key = serverlink::readInherited(static_cast<int>(descriptor), limits::kSessionConnect);
    if (!key) {
      return std::move(key).error();
    }
    settings.enroll_key = std::move(key).value();
  }
  return settings;
}

class ServerlinkModule final : public Module {
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
    auto main_io = context.services.require<IMainIo>();
    if (!main_io) {
      return std::move(main_io).error();
    }
    makeNetwork(context, main_io.value()->context());
    makeSelfUpdate(context, *exit.value());
    const auto begun = self_update_->begin();
    settings.value().resumed = begun == serverlink::SelfUpdate::Start::kResumed;
    goes_back_ = begun == serverlink::SelfUpdate::Start::kGoesBack;
    link_.emplace(*network_, context.main, context.clock, context.workers,
                  base::PathBounds(base::homeDirectory(environmentVariable("HOME")),
                                   context.config.getStringList("files.roots")),
                  context.log, base::randomShare);
    works_ = link_->onSession([this](const auto& /*current*/) { self_update_->connected(); });
    if (auto made = makeDaemon(context, *exit.value(), std::move(settings).value()); !made) {
      return made;
    }
    if (auto watched = watchParent(context); !watched) {
      return watched;
    }
    context.when_ready([this] {
      if (!goes_back_) {
        daemon_->connect();
      }
    });
    for (auto provided : {context.services.provide<serverlink::IServerLink>(*link_, "serverlink"),
                          context.services.provide<SpokenProtocol>(spoken_, "serverlink")}) {
      if (!provided) {
        return provided;
      }
    }
    return {};
  }

  void ready(Completion<void> done) override {
    if (goes_back_) {
      done({});
    } else {
      daemon_->enrollIfNeeded(std::move(done));
    }
  }

  void drain(Completion<void> done) override {
    self_update_->stop();
    link_->stop(std::move(done));
  }

  void stop() override {
    daemon_.reset();
    works_.reset();
    self_update_.reset();
    if (network_) {
      network_->stop();
    }
  }

 private:
  void makeNetwork(ModuleContext& context, boost::asio::io_context& main_io) {
    serverlink::ProxySettings proxies(&environmentVariable);
    for (const auto& problem : proxies.problems()) {
      context.log->warn("{}", problem);
    }
    network_.emplace(context.main, main_io, std::move(proxies));
  }

  Status makeDaemon(ModuleContext& context, IProgramExit& exit,
                    serverlink::DaemonSettings settings) {
    serverlink::DaemonActions actions{
        [](const std::string& text) { std::cout << text << std::endl; }, context.request_shutdown,
        [&exit](const std::string& why) { exit.fail(why); },
        [this](serverlink::UpdateOffer offer) { self_update_->offer(std::move(offer)); }};
    daemon_ = std::make_shared<serverlink::Daemon>(std::move(settings), *network_, *link_,
                                                   std::move(actions), context.log);
    auto prepared = goes_back_ ? Status() : daemon_->prepare();
    if (!prepared && self_update_->giveWay(prepared.error().message)) {
      goes_back_ = true;
      return {};
    }
    return prepared;
  }

  void makeSelfUpdate(ModuleContext& context, IProgramExit& exit) {
    self_update_ = std::make_shared<serverlink::SelfUpdate>(serverlink::SelfUpdate::With{
        .transport = *network_,
        .main = context.main,
        .workers = context.bulk_workers,
        .installation = serverlink::Installation(context.paths.bin),
        .data_directory = context.paths.data,
        .arguments = ownArguments(),
        .platform = common::platformName(),
        .protocol_version = hostprotocol::kProtocolVersion,
        .start_again = [&exit](const std::filesystem::path& executable,
                               const std::string& why) { exit.startAgain(executable, why); },
        .log = context.log});
  }

  /// A local daemon ends with its server, however that ends.
  Status watchParent(ModuleContext& context) {
    const auto descriptor = static_cast<int>(context.config.getInteger("parentFd"));
    if (descriptor < 0) {
      return {};
    }
    if (auto kept = serverlink::keepToSelf(descriptor); !kept) {
      return kept;
    }
    network_->watchPipe(descriptor, [shutdown = context.request_shutdown] {
      shutdown("the server that has started it is gone");
    });
    return {};
  }

  SpokenProtocol spoken_;
  bool goes_back_ = false;
  std::optional<serverlink::Network> network_;
  std::shared_ptr<serverlink::SelfUpdate> self_update_;
  std::optional<serverlink::ServerLink> link_;
  Handle works_;
  std::shared_ptr<serverlink::Daemon> daemon_;
};

constexpr std::array kProvides{serverlink::IServerLink::kId, SpokenProtocol::kId};

/// A key that need not be set.
template <auto parse>
Status isAbsentOr(const IConfig& config, std::string_view key) {
  const auto text = config.getString(key);
  if (text.empty()) {
    return {};
  }
  const auto parsed = parse(text);
  return parsed ? Status() : Status(parsed.error());
}

Status areAbsolute(const IConfig& config, std::string_view key) {
  for (const auto& root : config.getStringList(key)) {
    if (!root.starts_with('/') && root != "~" && !root.starts_with("~/")) {
      return Error{errc::kInvalidArgument,
                   "expected paths that begin with / or ~/, got \"" + root + "\""};
    }
  }
  return {};
}

constexpr auto* isServerAddress = isAbsentOr<serverlink::ServerAddress::parse>;
constexpr auto* isFingerprint = isAbsentOr<serverlink::parseFingerprint>;

constexpr std::array kConfig{
    ConfigKey{"join", ConfigType::kBoolean, "false",
              "enroll this machine at --server with --code, then run (svc-hostd join)"},
    ConfigKey{"server", ConfigType::kString, "", "address of the server, http or https",
              isServerAddress},
    ConfigKey{"code", ConfigType::kString, "", "join code from \"svc machine enroll\""},
    ConfigKey{"name", ConfigType::kString, "", "name of this machine; the host name by default"},
    ConfigKey{"fingerprint", ConfigType::kString, "",
              "join: SHA-256 fingerprint of the only server certificate to accept", isFingerprint},
    ConfigKey{"enrollOnly", ConfigType::kBoolean, "false", "join: enroll and exit"},
    ConfigKey{"ephemeral", ConfigType::kBoolean, "false",
              "join: this machine is a short-lived one"},
    ConfigKey{"autoUpdate", ConfigType::kBoolean, "false",
              "take the server's svc-hostd when the server speaks a newer protocol"},
    ConfigKey{"local", ConfigType::kBoolean, "false", "started by the server of this machine"},
    ConfigKey{"enrollFd", ConfigType::kInteger, "-1",
              "descriptor from which a local daemon reads its enroll key"},
    ConfigKey{"parentFd", ConfigType::kInteger, "-1", "descriptor whose end ends a local daemon"},
    // What this machine lets its server do, read by the modules that do it.
    ConfigKey{"agents.enabled", ConfigType::kBoolean, "true",
              "whether the server may run agents, and what repositories bring to set up their "
              "worktrees, on this machine"},
    ConfigKey{"files.roots", ConfigType::kStringList, "[]",
              "directories outside of which the server's routes for files, projects and workspaces "
              "reach nothing here; empty = wherever this user may. Terminals, agents and host "
              "entries are not bound by it",
              areAbsolute},
};

}  // namespace

SVC_MODULE(ServerlinkModule, "serverlink", "0.43.0", kProvides, std::span<const Requirement>{},
           kConfig);
