#include "owner_keeper.h"

#include <functional>
#include <utility>

#include "svc/common/json.h"
#include "svc/kernel/async.h"

namespace svc::mcp {
namespace {

using common::Json;

constexpr const char* kToolOwners = "mcp.toolOwners";

}  // namespace

ToolOwners OwnerKeeper::load() {
  ToolOwners owners;
  const auto text = store_.get(kToolOwners);
  const auto kept = text && text.value() ? Json::parse(*text.value()) : Result<Json>(Json());
  if (kept && kept.value().isObject()) {
    for (const auto& [tool, plugin] : kept.value().members()) {
      owners.emplace(tool, plugin.asString());
    }
  }
  return owners;
}

void OwnerKeeper::keep(const ToolOwners& owners) {
  auto kept = Json::object();
  std::size_t count = 0;
  for (auto owner = owners.begin(); owner != owners.end() && count < kKept; ++owner, ++count) {
    kept.set(owner->first, owner->second);
  }
  if (writing_) {
    next_ = kept.dump();
  } else {
    write(kept.dump());
  }
}

void OwnerKeeper::write(std::string text) {
  writing_ = true;
  const std::function job = [&store = store_, text = std::move(text)] {
    return store.set(kToolOwners, text);
  };
  runOnWorker<void>(workers_, main_, job, [self = shared_from_this()](const Status&) {
    self->writing_ = false;
    if (auto next = std::exchange(self->next_, std::nullopt)) {
      self->write(*std::move(next));
    }
  });
}

}  // namespace svc::mcp
