#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/limits/hosts.h"
#include "svc/kernel/main_io.h"
#include "svc/serverlink/server_link.h"

#include "artifact_cache.h"
#include "file_watches.h"
#include "launcher.h"
#include "worker_table.h"

namespace {

using namespace svc;

/// Host entries of plugins on this machine.
class HostWorkersModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto link = context.services.require<serverlink::IServerLink>();
    if (!link) {
      return std::move(link).error();
    }
    auto main_io = context.services.require<IMainIo>();
    if (!main_io) {
      return std::move(main_io).error();
    }
    auto* server = link.value();
    hostworkers::LauncherOptions options;
    // The program that runs, even when its file has been replaced meanwhile.
    options.program = {"/proc/self/exe", "worker"};
    options.shown_as = (context.paths.bin / "svc-hostd").string();
    options.data = context.paths.data;
    options.environment = base::currentEnvironment();
    options.log = [server](const hostworkers::WorkerSpec& spec,
                           std::vector<hostworkers::LogLine> lines) {
      server->send(hostworkers::logMessage(spec.plugin_id, spec.generation, lines));
    };
    // Signals of one plugin must not cost the connection of all.
    options.congested = [server] { return server->backlog() > limits::kIpcMessage; };
    launcher_.emplace(std::move(options),
                      hostworkers::MainThread{context.main, main_io.value()->context()},
                      context.workers, context.clock);
    artifacts_ = std::make_shared<hostworkers::ArtifactCache>(
        context.paths.data / "plugin-host-artifacts",
        hostworkers::ArtifactCache::Context{*server, context.main, context.workers, context.clock,
                                            context.log});
    watches_.emplace(context.main);
    table_.emplace(hostworkers::WorkerServices{
        .main = context.main,
        .artifacts = *artifacts_,
        .launcher = *launcher_,
        .watches = [this](auto send) { return watches_->session(std::move(send)); },
        .tell = [server](std::string message) { server->send(std::move(message)); },
        .most_heap_mib = context.config.getInteger("workers.heapMiB"),
        .log = context.log});
    table_->attach(*server);
    return {};
  }

  void drain(Completion<void> done) override { table_->drain(std::move(done)); }

  void stop() override {
    table_.reset();
    watches_.reset();
    artifacts_.reset();
    launcher_.reset();
  }

 private:
  std::optional<hostworkers::Launcher> launcher_;
  std::shared_ptr<hostworkers::ArtifactCache> artifacts_;
  std::optional<hostworkers::FileWatches> watches_;
  std::optional<hostworkers::WorkerTable> table_;
};

Status isHeapBound(const IConfig& config, std::string_view key) {
  constexpr std::int64_t kLeastHeap = 16;
  const auto heap_mib = config.getInteger(key);
  return heap_mib == 0 || heap_mib >= kLeastHeap
             ? Status()
             : Status(Error{errc::kInvalidArgument,
                            "expected a number of at least " + std::to_string(kLeastHeap) +
                                ", or 0 for no bound, got " + std::to_string(heap_mib)});
}

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};
constexpr std::array kConfig{
    ConfigKey{"workers.heapMiB", ConfigType::kInteger, "0",
              "most MiB of JavaScript heap a worker gets here, whatever the server allows its "
              "plugin; 0 = no bound",
              isHeapBound},
};

}  // namespace

SVC_MODULE(HostWorkersModule, "hostworkers", "0.43.0", kProvides, kRequires, kConfig);
