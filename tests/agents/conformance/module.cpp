// A module only the conformance suite loads.
#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "fixtures.h"

namespace {

using namespace svc;

class FixturesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto sources = context.services.require<mcp::ISources>();
    if (!sources) {
      return std::move(sources).error();
    }
    added_ = sources.value()->add(
        std::make_shared<conformance::Fixtures>(*sources.value(), context.main));
    return {};
  }
  void stop() override { added_.reset(); }

 private:
  Handle added_;
};

constexpr std::array kRequires{Requirement(mcp::ISources::kId)};

}  // namespace

SVC_MODULE(FixturesModule, "mcpfixtures", "1.0.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
