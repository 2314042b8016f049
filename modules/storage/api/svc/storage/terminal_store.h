#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// In place of an exit code: there is none, or none yet.
inline constexpr std::int64_t kNoExitCode = -1;

/// One terminal of a machine. Times are milliseconds since the epoch; 0 = not yet.
struct TerminalRow {
  std::string id;
  std::string host_id;
  std::string scope;  ///< JSON text, as its maker gave it
  std::string thread_id{};
  std::string environment_id{};
  std::string title;
  std::string status;
  std::int64_t exit_code = kNoExitCode;
  std::string close_reason{};  ///< empty = none
  std::string initial_cwd{};
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t last_input_at = 0;
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const TerminalRow&, const TerminalRow&) = default;
};

/// Rows that change together.
struct TerminalChange {
  std::vector<TerminalRow> terminals{};  ///< inserted or replaced
  std::vector<std::string> gone{};       ///< ids
};

/// The records of terminals, live and ended. Thread-safe. Every call blocks until the answer is durable, so it is never made from
/// the io thread or a script thread.
class ITerminalStore {
 public:
  static constexpr ServiceId kId{"svc.storage.TerminalStore", 1};
  virtual ~ITerminalStore() = default;

  /// Ascending by time of creation, then by id.
  [[nodiscard]] virtual Result<std::vector<TerminalRow>> terminals() = 0;
  /// All of it or nothing; removals come first. What is already gone is no error. `invalid_argument` for an empty id.
  [[nodiscard]] virtual Status apply(const TerminalChange& change) = 0;
};

/// What every implementation answers to a row without its key; success when there is none.
[[nodiscard]] inline Status checkTerminalChange(const TerminalChange& change) {
  for (const auto& terminal : change.terminals) {
    if (terminal.id.empty() || terminal.host_id.empty()) {
      return Error{errc::kInvalidArgument, "a terminal needs an id and the id of its host"};
    }
  }
  return {};
}

}  // namespace svc::storage
