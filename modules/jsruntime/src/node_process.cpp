#include "node_process.h"

#include <dlfcn.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <node.h>

#include "blocking_threads.h"
#include "code_cache.h"
#include "node_isolate.h"
#include "uv_slots.h"

namespace svc::jsruntime {

namespace {

/// Blocking work of scripts has threads of its own (BlockingThreads). libuv's are left with what environments begin that have
/// run out of threads or descriptors.
constexpr const char* kSharedThreads = "16";

std::vector<std::string> nodeArguments() {
  // Modules whose imports the service resolves: built entries of hosts have no files to resolve them from.
  std::vector<std::string> arguments{"svcd", "--no-force-async-hooks-checks",
                                     "--experimental-vm-modules",
                                     // Other users of the machine reach the port of an inspector:
                                     // only who opened it learns the random part of its address.
                                     "--inspect-publish-uid=stderr"};
#if NODE_MAJOR_VERSION < 20
  arguments.emplace_back("--experimental-global-webcrypto");
  arguments.emplace_back("--experimental-global-customevent");
#elif NODE_MAJOR_VERSION < 22
  arguments.emplace_back("--experimental-websocket");
#endif
  return arguments;
}

/// V8 ends the process for what it takes as a fault of its embedder, also for an array that is too long. Before that it
/// calls this hook, which has no public header.
void containFailedChecks() {
  using Hook = void (*)();
  const auto set_hook = reinterpret_cast<void (*)(Hook)>(
      ::dlsym(RTLD_DEFAULT, "_ZN2v84base18SetPrintStackTraceEPFvvE"));
  if (set_hook != nullptr) {
    set_hook(NodeIsolate::fatalCheck);
  }
}

std::filesystem::path& codeCacheFile() {
  static auto* const file = new std::filesystem::path;
  return *file;
}

}  // namespace

void NodeProcess::prepare(std::filesystem::path code_cache) {
  codeCacheFile() = std::move(code_cache);
  // Before the first environment starts a thread. NOLINTNEXTLINE(concurrency-mt-unsafe)
  ::setenv("UV_THREADPOOL_SIZE", kSharedThreads, 0);
}

const Result<NodeProcess*>& NodeProcess::instance() {
  static const auto* process = new Result<NodeProcess*>(initialise());
  return *process;
}

Result<NodeProcess*> NodeProcess::initialise() {
#ifdef SVC_NODE_EXECUTABLE
  if (auto status = fillUvSlots(); !status) {
    return status.error();
  }
#endif
  using namespace node::ProcessInitializationFlags;
  auto init = node::InitializeOncePerProcess(
      nodeArguments(),
      {kNoInitializeV8, kNoInitializeNodeV8Platform, kNoStdioInitialization,
       kNoDefaultSignalHandling, kNoAdjustResourceLimits, kDisableNodeOptionsEnv,
       kNoPrintHelpOrVersionOutput, kNoUseLargePages, kNoParseGlobalDebugVariables});
  if (!init->errors().empty()) {
    return Error{errc::kUnavailable, "Node cannot be initialised: " + init->errors().front()};
  }
  const auto threads = std::clamp(std::thread::hardware_concurrency(), 2U, 4U);
  auto* platform = node::MultiIsolatePlatform::Create(static_cast<int>(threads)).release();
  v8::V8::InitializePlatform(platform);
  v8::V8::Initialize();
  // A socket or pipe that a script writes to after the other side left must not end the server.
  struct sigaction pipe {};
  if (sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL) {
    signal(SIGPIPE, SIG_IGN);
  }
  containFailedChecks();
  BlockingThreads::prepareProcess();
  if (!codeCacheFile().empty()) {
    CodeCache::instance().keepIn(codeCacheFile(), v8::ScriptCompiler::CachedDataVersionTag());
  }
  return new NodeProcess(platform);
}

}  // namespace svc::jsruntime
