#include "svc/kernel/module.h"

#include <array>
#include <span>

#include "svc/plugins/plugins.h"

#include "database_part.h"
#include "memory_account.h"

namespace {

using namespace svc;

/// While the module is loaded: every module is, before the first one starts and may use SQLite.
const Status kMemoryIsCounted = database::MemoryAccount::install();

class DatabaseModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    if (!kMemoryIsCounted) {
      return kMemoryIsCounted;
    }
    auto api = context.services.require<plugins::IPluginApi>();
    if (!api) {
      return api.error();
    }
    part_ = api.value()->addPart(database::databasePart(context.paths.data));
    close_ = api.value()->addDisposeStep(plugins::DisposePhase::kCloseDatabases,
                                         database::closeDatabases);
    return {};
  }

  void stop() override {
    close_.reset();
    part_.reset();
  }

 private:
  Handle part_;
  Handle close_;
};

constexpr std::array kRequires{Requirement(plugins::IPluginApi::kId)};

}  // namespace

SVC_MODULE(DatabaseModule, "database", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
