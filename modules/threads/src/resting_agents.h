#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace svc::threads {

/// How many agents there may be, and for how long without anything to do.
struct AgentBounds {
  std::chrono::milliseconds idle{0};  ///< 0 = for ever
  std::size_t per_machine = 0;        ///< 0 = as many as its machine takes
};

/// Agents of threads, with what each was used for last: which of them can go while nobody needs them. Pure; lives where its owner does.
class RestingAgents {
 public:
  /// Whether the agent of the thread is at work, or owes something.
  using IsBusy = std::function<bool(const std::string& thread_id)>;

  void setBounds(AgentBounds bounds) { bounds_ = bounds; }
  [[nodiscard]] const AgentBounds& bounds() const { return bounds_; }

  void began(const std::string& thread_id, const std::string& host_id, std::int64_t now);
  /// It can be ended and go on later with what it knows.
  void canGoOn(const std::string& thread_id);
  /// It was told something, or has said something.
  void used(const std::string& thread_id, std::int64_t now);
  void ended(const std::string& thread_id) { agents_.erase(thread_id); }

  /// Those that have had nothing to do for too long. One that would forget what was said stays.
  [[nodiscard]] std::vector<std::string> overdue(std::int64_t now, const IsBusy& busy) const;
  /// Those that rest and are more than their machine may have, because the bound was lowered.
  [[nodiscard]] std::vector<std::string> surplus(const IsBusy& busy) const;

  struct Room {
    bool is = true;
    std::vector<std::string> instead_of{};  ///< the threads whose agents must go for it
  };
  /// Whether one more can begin there. Who rests longest goes, those that forget nothing first; more than one where the bound was
  /// lowered a moment ago.
  [[nodiscard]] Room roomOn(const std::string& host_id, const IsBusy& busy) const;

 private:
  struct Agent {
    std::string host_id;
    std::int64_t last_use = 0;
    bool can_go_on = false;
  };
  struct OnMachine {
    std::size_t count = 0;
    std::vector<std::string> resting{};  ///< who goes first is first
  };
  [[nodiscard]] OnMachine onMachine(const std::string& host_id, const IsBusy& busy) const;

  AgentBounds bounds_;
  std::map<std::string, Agent> agents_;  ///< by thread
};

}  // namespace svc::threads
