#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::installs {

/// A directory below the staging area, removed with the object unless it was promoted.
class Stage {
 public:
  explicit Stage(std::filesystem::path path) : path_(std::move(path)) {}
  Stage(Stage&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Stage& operator=(Stage&&) = delete;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Promoted {
  std::filesystem::path path;
  /// Keeps it from being pruned until the plugin's row names it.
  Handle keep;
};

struct PruneEntry {
  std::string path;  ///< relative to the cache
  std::uint64_t bytes = 0;
};

/// The files of managed plugins: <data>/plugins/cache/{npm,git,tarball}/…, each entry complete or not there, and
/// .staging beside them. Thread-safe; everything that touches files blocks.
class Cache {
 public:
  Cache(std::filesystem::path directory, const IClock& clock, std::shared_ptr<spdlog::logger> log)
      : directory_(std::move(directory)), clock_(clock), log_(std::move(log)) {}

  /// Removes what interrupted requests have left, marks the entries in use as seen now, and removes those nobody has
  /// used for `keep`.
  void repair(const std::vector<std::string>& roots_in_use, std::chrono::milliseconds keep);
  /// A new private directory on the file system of the cache.
  [[nodiscard]] Result<Stage> stage();
  /// Moves `tree` (in a stage) to `entry` (relative: "npm/todo/1.2.3") and returns where it is. An entry that is there
  /// already is used when `same` says so; one that differs gets a name of its own beside it.
  [[nodiscard]] Result<Promoted> promote(
      const std::filesystem::path& tree, const std::string& entry, const std::string& digest,
      const std::function<bool(const std::filesystem::path& existing)>& same);

  /// Keeps the entry of this root from being pruned while the handle lives.
  [[nodiscard]] Handle keep(const std::string& root);
  /// The entries that none of the roots and no handle uses, removed unless `dry_run`.
  [[nodiscard]] std::vector<PruneEntry> prune(const std::vector<std::string>& roots_in_use,
                                              bool dry_run);
  /// As prune() for the entry of one root.
  void release(const std::string& root, const std::vector<std::string>& roots_in_use);
  /// True for a path below the cache.
  [[nodiscard]] bool contains(const std::string& root) const;

 private:
  /// The entry (relative) a root belongs to; empty when it is none of the cache's.
  [[nodiscard]] std::string entryOf(const std::string& root) const;
  [[nodiscard]] std::vector<std::string> entries() const;
  [[nodiscard]] std::set<std::string> used(const std::vector<std::string>& roots) const;
  void removeEntry(const std::string& entry);

  std::filesystem::path directory_;
  const IClock& clock_;
  std::shared_ptr<spdlog::logger> log_;
  // Promotions and removals exclude each other.
  mutable std::mutex mutex_;
  std::uint64_t last_stage_ = 0;
  struct Kept {
    std::mutex mutex;
    std::map<std::string, int> entries;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

/// A name that is one component of a path: other characters become "-"; long ones end in a digest.
[[nodiscard]] std::string pathComponent(std::string_view text);

}  // namespace svc::installs
