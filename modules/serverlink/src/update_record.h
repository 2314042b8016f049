#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "svc/kernel/result.h"

namespace svc::serverlink {

/// What this daemon knows of its last update: update.json of its directory.
struct UpdateRecord {
  enum class State : std::uint8_t {
    kTrying,  ///< the new program starts, and has not connected yet
    kFailed,  ///< it never connected; it is not tried again
  };
  State state = State::kTrying;
  std::string sha256;  ///< of the package
  /// When a person has last asked the server to have the machine try again (ms since 1970); 0 = never.
  std::int64_t retry_requested_at = 0;
  int starts = 0;  ///< without a clean stop since
  bool resume =
      true;  ///< the next process goes on with what the command line of the last one has asked for
  std::string reason{};

  friend bool operator==(const UpdateRecord&, const UpdateRecord&) = default;
};

/// Nothing when there is none, or a damaged one. Blocks.
[[nodiscard]] std::optional<UpdateRecord> readUpdateRecord(const std::filesystem::path& directory);
/// Durable when it returns. Nothing = removed. `unavailable`. Blocks.
[[nodiscard]] Status writeUpdateRecord(const std::filesystem::path& directory,
                                       const std::optional<UpdateRecord>& record);

}  // namespace svc::serverlink
