#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace svc::base {

enum class ChangeType : std::uint8_t { kCreate, kUpdate, kDelete };

/// What changed below a root since somebody looked, in bounded memory: what is beyond the limit makes a rescan of it.
class TreeChanges {
 public:
  struct Limit {
    std::size_t paths = std::numeric_limits<std::size_t>::max();
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of all paths
  };

  TreeChanges() = default;
  explicit TreeChanges(Limit limit) : limit_(limit) {}

  void add(std::string path, ChangeType type) {
    if (rescan_) {
      return;
    }
    const auto size = path.size();
    const auto [entry, is_new] = paths_.try_emplace(std::move(path), type);
    if (is_new) {
      bytes_ += size;
      if (paths_.size() > limit_.paths || bytes_ > limit_.bytes) {
        requireRescan();
      }
      return;
    }
    auto& before = entry->second;
    if (before == ChangeType::kCreate && type == ChangeType::kDelete) {
      // Came and went unseen.
      bytes_ -= size;
      paths_.erase(entry);
    } else if (before == ChangeType::kDelete && type == ChangeType::kCreate) {
      before = ChangeType::kUpdate;
    } else if (before != ChangeType::kCreate) {
      before = type;
    }
  }
  void add(const TreeChanges& others) {
    for (const auto& [path, type] : others.paths_) {
      add(path, type);
    }
    if (others.rescan_) {
      requireRescan();
    }
    if (error_.empty()) {
      error_ = others.error_;
    }
  }
  void requireRescan() {
    rescan_ = true;
    paths_.clear();
    bytes_ = 0;
  }
  /// The root cannot be watched any more.
  void fail(std::string why) { error_ = std::move(why); }

  [[nodiscard]] bool empty() const { return paths_.empty() && !rescan_ && error_.empty(); }
  [[nodiscard]] bool rescan() const { return rescan_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Relative to the root.
  [[nodiscard]] const std::map<std::string, ChangeType>& paths() const { return paths_; }

 private:
  Limit limit_;
  std::map<std::string, ChangeType> paths_;
  std::size_t bytes_ = 0;
  bool rescan_ = false;
  std::string error_;
};

}  // namespace svc::base
