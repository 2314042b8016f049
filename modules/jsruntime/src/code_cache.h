#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace svc::jsruntime {

/// What a script is known by: its name, and what it says.
struct ScriptKey {
  std::string name;
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of its text

  friend bool operator==(const ScriptKey&, const ScriptKey&) = default;
};

/// V8's code of the scripts that every environment runs, Node's and the service's own: made once, then for all environments
/// of this process and, in a file, of the next ones. It only saves time: whatever is missing, unreadable or of another
/// engine is compiled again. Thread-safe.
class CodeCache {
 public:
  using Code = std::shared_ptr<const std::string>;

  /// The one that this process uses.
  static CodeCache& instance();

  /// Reads the file, and keeps it up to date from now on. `engine` tells engines apart that do not understand each other's
  /// code. Blocking. A file that is none of a cache, is another user's, or can be written by others, stays
  /// as it is, and nothing is kept.
  void keepIn(std::filesystem::path file, std::uint32_t engine);

  /// Null when there is none.
  [[nodiscard]] Code find(const ScriptKey& key) const;
  /// Replaces the code of an earlier text of that name. What would make the cache too large is left out.
  void put(const ScriptKey& key, std::string code);
  /// V8 did not take it.
  void drop(const ScriptKey& key);
  /// V8 took what find() gave.
  void noteTaken() { taken_.fetch_add(1, std::memory_order_relaxed); }
  /// How often that was since the process began.
  [[nodiscard]] std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool contains(std::string_view name) const;
  /// Writes the file when there is something new. Blocking; what goes wrong costs the next process time, nothing else.
  void save();

 private:
  struct Entry {
    std::array<std::uint8_t, 32> digest{};
    Code code;
  };

  [[nodiscard]] std::string serialised() const;
  void read(std::string_view text);

  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::size_t bytes_ = 0;
  std::filesystem::path file_;
  std::uint32_t engine_ = 0;
  bool changed_ = false;
  std::atomic<std::uint64_t> taken_{0};
};

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace svc::jsruntime
