#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::http {

class BodyBudget;

enum class BodySender : std::uint8_t {
  kKnown,
  /// Nothing has shown that it is anybody yet: what it has to show is looked at when its body is here.
  kStranger,
};

/// What the body of one request takes of the budget; let go, it is given back. Any thread, one at a time. May outlive the server.
class BodyShare {
 public:
  BodyShare() = default;
  BodyShare(std::shared_ptr<BodyBudget> budget, std::string plugin, BodySender sender)
      : budget_(std::move(budget)), plugin_(std::move(plugin)), sender_(sender) {}
  BodyShare(BodyShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)),
        plugin_(std::move(other.plugin_)),
        sender_(other.sender_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  BodyShare& operator=(BodyShare&& other) noexcept;
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  ~BodyShare();

  /// Takes more, so that it is `bytes` in all. `overloaded` when there is no room; what was taken stays.
  [[nodiscard]] Status growTo(std::size_t bytes);

 private:
  std::shared_ptr<BodyBudget> budget_;
  std::string plugin_;
  BodySender sender_ = BodySender::kKnown;
  std::size_t bytes_ = 0;
};

/// Bytes of request bodies that are in memory until their requests are answered, of the process and of each plugin that they wait for.
/// Those of strangers have a part of the process's only, so that they leave room for the others.
/// Small bodies are not counted: the number of connections bounds them. Thread-safe.
class BodyBudget : public std::enable_shared_from_this<BodyBudget> {
 public:
  /// Bodies up to this size are free.
  static constexpr std::size_t kSmall = 4096;
  static constexpr std::size_t kStrangersPart = 8;
  /// So that the part has room for one body of most routes.
  static constexpr std::size_t kStrangersLeast = 8UL * 1024 * 1024;
  struct Limits {
    std::size_t process = 512UL * 1024 * 1024;
    std::size_t plugin = 128UL * 1024 * 1024;
  };
  struct Usage {
    std::size_t bytes = 0;
    std::uint64_t refused = 0;
    std::vector<std::pair<std::string, std::size_t>> plugins{};
  };

  void setLimits(Limits limits);
  /// `plugin` may be empty. Nothing is taken yet.
  [[nodiscard]] BodyShare share(std::string_view plugin, BodySender sender = BodySender::kKnown) {
    return {shared_from_this(), std::string(plugin), sender};
  }
  [[nodiscard]] Usage usage() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  friend class BodyShare;
  [[nodiscard]] Status take(const std::string& plugin, BodySender sender, std::size_t more,
                            std::size_t body);
  void giveBack(const std::string& plugin, BodySender sender, std::size_t bytes);
  [[nodiscard]] Status checkProcess(BodySender sender, std::size_t more, std::size_t body) const;

  mutable std::mutex mutex_;
  Limits limits_{};
  std::size_t bytes_ = 0;
  std::size_t strangers_bytes_ = 0;  // of bytes_
  std::uint64_t refused_ = 0;
  std::map<std::string, std::size_t, std::less<>> plugins_;
};

}  // namespace svc::http
