#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::threads {

/// A tool call of which an agent was told that its result comes as a message.
struct DetachedCall {
  std::string id{};
  std::string thread_id{};
  std::string tool{};
};

/// Those whose message is not stored yet, one file each: a server that ends before it owes the agent an answer all the same.
/// Everything blocks; one thread at a time.
class DetachedCalls {
 public:
  explicit DetachedCalls(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] Status add(const DetachedCall& call) const;
  void remove(const std::string& id) const;
  /// What is owed, the oldest first.
  [[nodiscard]] std::vector<DetachedCall> list() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace svc::threads
