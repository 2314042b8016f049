#include "svc/kernel/module.h"

#include <array>

namespace {

using namespace svc;

class ThreadsModule final : public Module {
 public:
  Status start(ModuleContext&) override { return {}; }
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array<Requirement, 0> kRequires{};
constexpr std::array<ConfigKey, 0> kConfig{};

}  // namespace

SVC_MODULE(ThreadsModule, "threads", "0.1.0", kProvides, kRequires, kConfig);
