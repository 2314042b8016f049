#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

#include "svc/kernel/api_digest.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/config.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/registry.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc {

/// Where things are. Absolute paths; the directories exist before the first module starts.
struct Paths {
  std::filesystem::path data;    ///< durable state, mode 0700
  std::filesystem::path config;  ///< directory of config.json
  std::filesystem::path share;   ///< read-only files that ship with the program
  std::filesystem::path bin;     ///< directory of the executables
};

/// What the kernel hands a module. References outlive the module.
struct ModuleContext {
  ServiceRegistry& services;
  const IConfig& config;
  IMainExecutor& main;
  IWorkerPool& workers;
  IBulkWorkers& bulk_workers;
  const IClock& clock;
  Paths paths;
  /// Version of the program, for example "0.43.0".
  std::string version;
  std::shared_ptr<spdlog::logger> log;
  /// Runs `task` on the main thread once every module is ready.
  std::function<void(Task task)> when_ready;
  /// Ends the process as a signal would, with the reason in the log. Thread-safe.
  std::function<void(std::string reason)> request_shutdown;
};

/// One loadable subsystem. Every method runs on the main thread. Members are declared in start order, so
/// that destruction undoes them in reverse.
class Module {
 public:
  virtual ~Module() = default;
  /// Finds collaborators, builds the core, offers services. Modules it requires have started.
  [[nodiscard]] virtual Status start(ModuleContext& context) = 0;
  /// Every module has started: begin to serve. Called in start order; the next module is called when done fires.
  virtual void ready(Completion<void> done) { done({}); }
  /// Stop taking work and finish what runs. Called in reverse start order; bounded by the kernel.
  virtual void drain(Completion<void> done) { done({}); }
  /// Release everything, also after a start() that failed half-way. Called in reverse start order; must not block on other threads without a bound.
  virtual void stop() {}
};

/// The kernel fills in ModuleDescriptor fields it knows; these say what it can load.
inline constexpr std::uint64_t kModuleMagic = 0x3143564d4f44554cULL;  // "LUDOMVC1"
inline constexpr std::uint32_t kModuleAbi = 1;

struct Requirement {
  ServiceId service;
  /// An optional requirement orders start-up when its provider is there and is reported when it is not.
  bool optional = false;

  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Requirement(ServiceId service_id, bool is_optional = false)
      : service(service_id), optional(is_optional) {}
};

/// The one exported symbol of a module, `svc_module`. Plain data: the kernel checks magic, ABI number, size and
/// build tag in that order before it calls the module; constructors of its globals have run by then.
struct ModuleDescriptor {
  std::uint64_t magic = kModuleMagic;
  std::uint32_t abi = kModuleAbi;
  std::uint32_t size = sizeof(ModuleDescriptor);
  /// Compiler, library and flag fingerprint of the headers it was built with (SVC_BUILD_TAG).
  const char* build_tag = nullptr;
  const char* name = nullptr;
  const char* version = nullptr;
  std::span<const ServiceId> provides;
  std::span<const Requirement> required;
  std::span<const ConfigKey> config;
  Module* (*create)() = nullptr;
  void (*destroy)(Module*) = nullptr;
};

}  // namespace svc

#define SVC_STRINGIFY_DETAIL(x) #x
#define SVC_STRINGIFY(x) SVC_STRINGIFY_DETAIL(x)
#ifdef __SANITIZE_ADDRESS__
#define SVC_SANITIZER_TAG "-asan"
#elif defined(__SANITIZE_THREAD__)
#define SVC_SANITIZER_TAG "-tsan"
#else
#define SVC_SANITIZER_TAG ""
#endif
/// Fingerprint of what must match for C++ objects to cross the boundary: the compiler, the libraries in signatures, and the
/// text of all headers that modules share.
#define SVC_BUILD_TAG                                                                               \
  "abi" SVC_STRINGIFY(__GXX_ABI_VERSION) "-cxx" SVC_STRINGIFY(__cplusplus) "-lib" SVC_STRINGIFY(    \
      _GLIBCXX_RELEASE) "." SVC_STRINGIFY(_GLIBCXX_USE_CXX11_ABI) "-fmt" SVC_STRINGIFY(FMT_VERSION) \
      SVC_SANITIZER_TAG "-api" SVC_API_DIGEST

// clang-format off
/// Exports Type as the module of this library. The last three are constexpr arrays.
#define SVC_MODULE(Type, Name, Version, Provides, Required, Config)                              \
  extern "C" __attribute__((visibility("default"))) const ::svc::ModuleDescriptor svc_module;    \
  extern "C" const ::svc::ModuleDescriptor svc_module{                                           \
      .build_tag = SVC_BUILD_TAG,                                                                \
      .name = (Name),                                                                            \
      .version = (Version),                                                                      \
      .provides = (Provides),                                                                    \
      .required = (Required),                                                                    \
      .config = (Config),                                                                        \
      .create = []() -> ::svc::Module* { return new Type; }, /* NOLINT(bugprone-macro-parentheses) */ \
      .destroy = [](::svc::Module* module) { delete module; }}
// clang-format on
