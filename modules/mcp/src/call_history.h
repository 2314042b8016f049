#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::mcp {

inline constexpr std::string_view kRunning = "running";

/// One call of a tool, without its arguments.
struct Call {
  std::uint64_t id = 0;  ///< ascending
  std::string tool;
  std::string plugin_id;
  std::string client;
  std::string token;  ///< its name; empty = none
  std::int64_t started_at = 0;
  std::optional<std::int64_t> duration_ms{};  ///< absent while it runs
  /// "running"; "ok", "failed" (the tool says so), "refused" (an error), "cancelled" (by the client), "revoked" (its token); "asked" is
  /// one that goes on with the next call, when the user has been asked. "detached" and "late" are calls whose client has got an answer
  /// without the result, with a duration once they have ended; the result of a late one comes as a message of its thread.
  std::string_view outcome = kRunning;
};
using CallPtr = std::shared_ptr<Call>;

/// The last lim.mcpHistory calls. Io thread.
class CallHistory {
 public:
  void add(CallPtr call);
  /// Oldest first.
  [[nodiscard]] const std::deque<CallPtr>& calls() const { return calls_; }

 private:
  std::deque<CallPtr> calls_;
  std::uint64_t last_id_ = 0;
};

}  // namespace svc::mcp
