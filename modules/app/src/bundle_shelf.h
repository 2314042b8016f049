#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "app_bundle.h"

namespace svc::app {

/// The bundles that can be served: of each plugin the present one, that of a generation about to be committed, and the
/// previous ones (limit bundles-kept). Thread-safe and quick.
class BundleShelf {
 public:
  /// A bundle whose generation may be committed soon; null = that generation has none. Replaces an earlier one.
  void stage(const std::string& plugin_id, AppBundlePtr bundle);
  /// The staged bundle becomes the present one.
  void commit(const std::string& plugin_id);
  /// Forgets plugins that are not installed any more.
  void keepOnly(const std::set<std::string>& plugin_ids);

  [[nodiscard]] AppBundlePtr current(const std::string& plugin_id) const;
  [[nodiscard]] AppBundlePtr find(const std::string& plugin_id, const std::string& hash) const;
  /// A plugin that has a bundle with this hash.
  [[nodiscard]] std::optional<std::string> ownerOf(const std::string& hash) const;

 private:
  struct Entry {
    AppBundlePtr staged;
    AppBundlePtr current;
    std::deque<AppBundlePtr> previous;  ///< newest first
  };

  [[nodiscard]] static AppBundlePtr findIn(const Entry& entry, const std::string& hash);

  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace svc::app
