#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "svc/kernel/executor.h"

namespace svc::machines {

/// Remembers enrollments that were refused: how many came from each peer within the last minute, and which keys were
/// logged. A key that is right is never held up, so that nobody can lock a machine out. Thread-safe.
class Refusals {
 public:
  static constexpr int kPerMinute = 10;

  explicit Refusals(const IClock& clock) : clock_(clock) {}

  struct Verdict {
    bool too_many = false;  ///< this peer has had its refusals for now
    bool log = false;       ///< nobody has heard of it yet
  };
  [[nodiscard]] Verdict note(const std::string& peer, const std::string& key_hash);

 private:
  struct Window {
    std::chrono::steady_clock::time_point until{};
    int count = 0;
  };

  const IClock& clock_;
  std::mutex mutex_;
  std::map<std::string, Window> peers_;
  std::set<std::string> logged_;
};

}  // namespace svc::machines
