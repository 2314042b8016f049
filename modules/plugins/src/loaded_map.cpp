#include "loaded_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

namespace svc::plugins {

using common::Json;

Error LoadedMap::refusal(const std::string& plugin_id, const Entry* entry) const {
  auto details = Json::object().set("pluginId", plugin_id);
  if (entry == nullptr) {
    return {errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id),
            details.dump()};
  }
  details.set("status", statusName(entry->status));
  details.set("statusDetail", entry->detail.empty() ? Json() : Json(entry->detail));
  auto message =
      fmt::format("plugin \"{}\" is not running (status {})", plugin_id, statusName(entry->status));
  if (!entry->detail.empty()) {
    message += ": " + entry->detail;
  }
  return {errc::kPluginNotRunning, std::move(message), details.dump()};
}

void LoadedMap::onWanted(std::function<void(const std::string& plugin_id)> wanted) {
  const std::scoped_lock lock(mutex_);
  wanted_ = std::move(wanted);
}

void LoadedMap::acquire(const std::string& plugin_id, Completion<GenerationPtr> done) {
  std::function<void(const std::string&)> tell;
  const auto answer = [&]() -> std::optional<Result<GenerationPtr>> {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(plugin_id);
    auto* entry = found == entries_.end() ? nullptr : &found->second;
    if (entry == nullptr || !entry->holding) {
      const bool loaded = entry != nullptr && entry->generation;
      if (!loaded && entry != nullptr && entry->isNew()) {
        tell = wanted_;
      }
      return loaded ? Result<GenerationPtr>(entry->lease()) : refusal(plugin_id, entry);
    }
    if (entry->held.size() >= limits::kHeldCalls) {
      auto error = refusal(plugin_id, entry);
      error.message = fmt::format(
          "plugin \"{}\" is reloading and {} calls wait already (limit heldCalls is {})", plugin_id,
          entry->held.size(), limits::kHeldCalls);
      return Result<GenerationPtr>(std::move(error));
    }
    entry->meters->recordHeldCall();
    entry->held.push_back(std::make_shared<Completion<GenerationPtr>>(std::move(done)));
    return std::nullopt;
  }();
  if (tell) {
    tell(plugin_id);
  }
  if (answer) {
    done(*answer);
  }
}

std::vector<GenerationPtr> LoadedMap::all() const {
  std::vector<GenerationPtr> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.generation) {
      out.push_back(entry.generation);
    }
  }
  return out;
}

void LoadedMap::settled(IMainExecutor& main, std::chrono::milliseconds patience,
                        Completion<void> done) {
  auto waits = std::make_shared<Completion<void>>(limited<void>(
      main, patience, {errc::kTimeout, "plugins are still being loaded"},
      Completion<void>([done = std::move(done)](const Status&) mutable { done({}); })));
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(waits));
  }
  tellSettled();
}

std::vector<std::string> LoadedMap::loading() const {
  std::vector<std::string> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.isNew()) {
      out.push_back(id);
    }
  }
  return out;
}

void LoadedMap::tellSettled() {
  std::vector<std::shared_ptr<Completion<void>>> told;
  {
    const std::scoped_lock lock(mutex_);
    if (std::none_of(entries_.begin(), entries_.end(),
                     [](const auto& each) { return each.second.isNew(); })) {
      told.swap(waiting_);
    }
  }
  for (const auto& each : told) {
    (*each)({});
  }
}

void LoadedMap::add(const std::string& plugin_id, std::shared_ptr<Meters> meters) {
  const std::scoped_lock lock(mutex_);
  entries_[plugin_id].meters = std::move(meters);
}

void LoadedMap::erase(const std::string& plugin_id) {
  withdraw(plugin_id);
  {
    const std::scoped_lock lock(mutex_);
    entries_.erase(plugin_id);
  }
  tellSettled();
}

void LoadedMap::hold(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  if (const auto entry = entries_.find(plugin_id); entry != entries_.end()) {
    entry->second.holding = true;
  }
}

void LoadedMap::suspend(const std::string& plugin_id) {
  GenerationPtr replaced;                         // destroyed after the lock
  std::function<GenerationPtr()> replaced_lease;  // destroyed after the lock
  const std::scoped_lock lock(mutex_);
  if (const auto entry = entries_.find(plugin_id); entry != entries_.end()) {
    entry->second.holding = true;
    replaced = std::exchange(entry->second.generation, nullptr);
    replaced_lease = std::exchange(entry->second.lease, nullptr);
  }
}

void LoadedMap::publish(const std::string& plugin_id, const GenerationPtr& generation,
                        std::function<GenerationPtr()> lease) {
  if (!lease) {
    lease = [generation] { return generation; };
  }
  std::deque<std::pair<Waiting, GenerationPtr>> served;
  std::function<GenerationPtr()> replaced_lease;  // destroyed after the lock
  GenerationPtr replaced;                         // destroyed after the lock
  {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(plugin_id);
    if (entry == entries_.end()) {
      return;
    }
    entry->second.holding = false;
    replaced = std::exchange(entry->second.generation, generation);
    replaced_lease = std::exchange(entry->second.lease, lease);
    for (auto& call : std::exchange(entry->second.held, {})) {
      served.emplace_back(std::move(call), lease());
    }
  }
  for (auto& [call, reference] : served) {
    (*call)(std::move(reference));
  }
}

void LoadedMap::withdraw(const std::string& plugin_id) {
  std::deque<Waiting> held;
  GenerationPtr replaced;
  std::function<GenerationPtr()> replaced_lease;
  {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(plugin_id);
    if (entry == entries_.end()) {
      return;
    }
    entry->second.holding = false;
    replaced = std::exchange(entry->second.generation, nullptr);
    replaced_lease = std::exchange(entry->second.lease, nullptr);
    held.swap(entry->second.held);
  }
  for (const auto& call : held) {
    (*call)(notRunning(plugin_id));
  }
}

void LoadedMap::setStatus(const std::string& plugin_id, PluginStatus status, std::string detail) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto entry = entries_.find(plugin_id); entry != entries_.end()) {
      entry->second.status = status;
      entry->second.was_loaded |= status != PluginStatus::kStarting;
      entry->second.detail = std::move(detail);
    }
  }
  tellSettled();
}

Error LoadedMap::notRunning(const std::string& plugin_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(plugin_id);
  return refusal(plugin_id, found == entries_.end() ? nullptr : &found->second);
}

std::vector<LoadedMap::Metered> LoadedMap::meters() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Metered> out;
  out.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) {
    out.push_back({id, entry.status, entry.meters});
  }
  return out;
}

std::vector<std::pair<std::string, PluginStatus>> LoadedMap::statuses() const {
  std::vector<std::pair<std::string, PluginStatus>> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    out.emplace_back(id, entry.status);
  }
  return out;
}

}  // namespace svc::plugins
