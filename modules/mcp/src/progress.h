#pragma once

#include <optional>
#include <string>

namespace svc::mcp {

/// How far a call is, as its client is told.
struct ProgressReport {
  double value = 0;
  std::optional<double> total{};
  std::string message{};
};

/// What the client of one call hears of its progress. The numbers it gets must rise, and it gives up on a call that says nothing:
/// between what the source reports, each sign of life is a step too small to be seen, so that no later report falls behind it.
class Progress {
 public:
  /// What to send for a report of the source; nothing when that is no further than the one before.
  [[nodiscard]] std::optional<ProgressReport> reported(ProgressReport report);
  /// What to send when it is time for a sign of life: the last report again, `running` when there is none with a message. Nothing when
  /// no number is left to rise to.
  [[nodiscard]] std::optional<ProgressReport> signOfLife(std::string running);

 private:
  std::optional<ProgressReport> source_;  // its last report
  std::optional<double> sent_;
};

}  // namespace svc::mcp
