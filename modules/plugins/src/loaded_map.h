#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "svc/plugins/plugins.h"

#include "meters.h"

namespace svc::plugins {

/// The loaded map. Lookups come from any thread; everything else from the main thread. Completions
/// fire without the lock. Held calls wait in order, at most lim.heldCalls per plugin; more are
/// refused with plugin_not_running.
class LoadedMap final : public ILoadedPlugins {
 public:
  void acquire(const std::string& plugin_id, Completion<GenerationPtr> done) override;
  [[nodiscard]] std::vector<GenerationPtr> all() const override;
  void settled(IMainExecutor& main, std::chrono::milliseconds patience,
               Completion<void> done) override;
  [[nodiscard]] std::vector<std::string> loading() const override;

  /// Makes the plugin known; lookups fail with plugin_not_running until publish().
  void add(const std::string& plugin_id, std::shared_ptr<Meters> meters);
  void erase(const std::string& plugin_id);
  /// From here to publish() or withdraw(), lookups wait.
  void hold(const std::string& plugin_id);
  /// Nothing is loaded any more, and lookups wait as after hold().
  void suspend(const std::string& plugin_id);
  /// The atomic switch: lookups see `generation`, and the calls that waited are given it.
  /// `lease` makes the references that lookups get, so that a disposal waits for their holders; it runs under
  /// the map's lock and must be quick. Without one they get the generation itself.
  void publish(const std::string& plugin_id, const GenerationPtr& generation,
               std::function<GenerationPtr()> lease = {});
  /// Nothing is loaded any more; calls that waited fail.
  void withdraw(const std::string& plugin_id);
  /// Told, on the thread of the lookup, when one is for a plugin that waits for its first load. Set before lookups begin.
  void onWanted(std::function<void(const std::string& plugin_id)> wanted);
  /// What a refused lookup says.
  void setStatus(const std::string& plugin_id, PluginStatus status, std::string detail);

  struct Metered {
    std::string id;
    PluginStatus status;
    std::shared_ptr<Meters> meters;
  };
  /// Every known plugin, ascending by id. Thread-safe.
  [[nodiscard]] std::vector<Metered> meters() const;

  /// The error of a lookup that finds no generation. Thread-safe.
  [[nodiscard]] Error notRunning(const std::string& plugin_id) const;
  /// Ascending by id. Thread-safe.
  [[nodiscard]] std::vector<std::pair<std::string, PluginStatus>> statuses() const;

 private:
  using Waiting = std::shared_ptr<Completion<GenerationPtr>>;
  struct Entry {
    GenerationPtr generation;
    std::function<GenerationPtr()> lease;
    bool holding = false;
    std::deque<Waiting> held;
    PluginStatus status = PluginStatus::kStarting;
    bool was_loaded = false;  ///< once, or failed to
    std::string detail;
    std::shared_ptr<Meters> meters;

    /// It is being loaded for the first time.
    [[nodiscard]] bool isNew() const { return status == PluginStatus::kStarting && !was_loaded; }
  };

  [[nodiscard]] Error refusal(const std::string& plugin_id, const Entry* entry) const;
  /// Tells those who wait for it that nothing is being loaded for the first time, when that is so.
  void tellSettled();

  mutable std::mutex mutex_;
  std::function<void(const std::string& plugin_id)> wanted_;
  std::vector<std::shared_ptr<Completion<void>>> waiting_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace svc::plugins
