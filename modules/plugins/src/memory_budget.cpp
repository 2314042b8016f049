#include "memory_budget.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace svc::plugins {
namespace {

/// As often as environments say what they hold.
constexpr std::chrono::seconds kLook{1};
constexpr unsigned kMebiShift = 20;

std::uint64_t heldBy(const PluginUsage& plugin) {
  return plugin.heap_bytes + plugin.external_bytes + plugin.database_bytes + plugin.parked_bytes;
}

}  // namespace

void MemoryBudget::setLimit(std::uint64_t bytes) {
  limit_ = bytes;
  was_exceeded_ = false;
  timer_.reset();
  if (limit_ != 0) {
    lookLater();
  }
}

void MemoryBudget::lookLater() {
  timer_ = at_.main.after(kLook, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->look();
      self->lookLater();
    }
  });
}

void MemoryBudget::look() {
  auto plugins = at_.usage();
  std::uint64_t all = 0;
  for (const auto& plugin : plugins) {
    all += heldBy(plugin);
  }
  const bool exceeded = all > limit_;
  if (std::exchange(was_exceeded_, exceeded) && exceeded) {
    endLargest(std::move(plugins), all);
    was_exceeded_ = false;
  }
}

void MemoryBudget::endLargest(std::vector<PluginUsage> plugins, std::uint64_t all) const {
  std::sort(plugins.begin(), plugins.end(),
            [](const auto& left, const auto& right) { return heldBy(left) > heldBy(right); });
  for (const auto& plugin : plugins) {
    const auto why = fmt::format(
        "the plugins of this server hold {} MiB together, more than the {} of plugins.totalMiB; "
        "this one held most, {} MiB",
        all >> kMebiShift, limit_ >> kMebiShift, heldBy(plugin) >> kMebiShift);
    if (at_.end(plugin.id, why)) {
      return;
    }
  }
}

}  // namespace svc::plugins
