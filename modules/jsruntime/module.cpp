#include "svc/kernel/module.h"

#include <array>
#include <memory>

#include "node_process.h"
#include "runtime.h"

namespace {

using svc::script::IScriptRuntime;

std::filesystem::path codeCache(const svc::ModuleContext& context) {
  const auto chosen = context.config.getString("jsruntime.codeCache");
  return chosen.empty() ? context.paths.data / "cache" / "scripts" : std::filesystem::path(chosen);
}

class JsRuntimeModule final : public svc::Module {
 public:
  svc::Status start(svc::ModuleContext& context) override {
    svc::jsruntime::NodeProcess::prepare(codeCache(context));
    runtime_ = std::make_unique<svc::jsruntime::Runtime>(
        svc::jsruntime::RuntimeOptions{.share = context.paths.share,
                                       .keep_spare = context.config.getBoolean("jsruntime.spare"),
                                       .log = context.log});
    services_ = &context.services;
    return services_->provide<IScriptRuntime>(*runtime_, "jsruntime");
  }

  /// Waits a bounded time for the environments; the end of the process takes what is left.
  void stop() override {
    services_->withdraw("jsruntime");
    runtime_.reset();
  }

 private:
  svc::ServiceRegistry* services_ = nullptr;
  std::unique_ptr<svc::jsruntime::Runtime> runtime_;
};

svc::Status isAbsolute(const svc::IConfig& config, std::string_view key) {
  const auto path = config.getString(key);
  if (path.empty() || std::filesystem::path(path).is_absolute()) {
    return {};
  }
  return svc::Error{svc::errc::kInvalidArgument, "expected an absolute path, got \"" + path + "\""};
}

constexpr std::array kProvides{IScriptRuntime::kId};
constexpr std::array<svc::Requirement, 0> kRequires{};
constexpr std::array kConfig{
    svc::ConfigKey{"jsruntime.spare", svc::ConfigType::kBoolean, "true",
                   "keep a prepared environment for the next load of a plugin"},
    svc::ConfigKey{"jsruntime.codeCache", svc::ConfigType::kString, "",
                   "file for the compiled scripts of the runtime (empty: in the data directory)",
                   isAbsolute},
};

}  // namespace

SVC_MODULE(JsRuntimeModule, "jsruntime", "1.0.0", kProvides, kRequires, kConfig);
