#include "bundle_shelf.h"

#include "svc/common/limits/builds.h"

namespace svc::app {

void BundleShelf::stage(const std::string& plugin_id, AppBundlePtr bundle) {
  const std::scoped_lock lock(mutex_);
  entries_[plugin_id].staged = std::move(bundle);
}

void BundleShelf::commit(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  auto& entry = entries_[plugin_id];
  auto old = std::exchange(entry.current, std::exchange(entry.staged, nullptr));
  if (old && (!entry.current || old->hash != entry.current->hash)) {
    std::erase_if(entry.previous,
                  [&old](const AppBundlePtr& each) { return each->hash == old->hash; });
    entry.previous.push_front(std::move(old));
    if (entry.previous.size() > limits::kBundlesKept) {
      entry.previous.pop_back();
    }
  }
}

void BundleShelf::keepOnly(const std::set<std::string>& plugin_ids) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_,
                [&plugin_ids](const auto& entry) { return !plugin_ids.contains(entry.first); });
}

AppBundlePtr BundleShelf::current(const std::string& plugin_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(plugin_id);
  return found == entries_.end() ? nullptr : found->second.current;
}

AppBundlePtr BundleShelf::findIn(const Entry& entry, const std::string& hash) {
  for (const auto* bundle : {&entry.current, &entry.staged}) {
    if (*bundle && (*bundle)->hash == hash) {
      return *bundle;
    }
  }
  for (const auto& bundle : entry.previous) {
    if (bundle->hash == hash) {
      return bundle;
    }
  }
  return nullptr;
}

AppBundlePtr BundleShelf::find(const std::string& plugin_id, const std::string& hash) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(plugin_id);
  return found == entries_.end() ? nullptr : findIn(found->second, hash);
}

std::optional<std::string> BundleShelf::ownerOf(const std::string& hash) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [plugin_id, entry] : entries_) {
    if (findIn(entry, hash)) {
      return plugin_id;
    }
  }
  return std::nullopt;
}

}  // namespace svc::app
