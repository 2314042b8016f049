#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

#include <sqlite3.h>

#include "svc/kernel/result.h"

namespace svc::storage {

/// A failed SQLite call, inside this module only; noThrow() turns it into the Error it carries.
class SqliteFailure : public std::runtime_error {
 public:
  explicit SqliteFailure(Error error)
      : std::runtime_error(error.message), error_(std::move(error)) {}
  /// Describes the last failure of the connection.
  SqliteFailure(sqlite3* connection, int code);

  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

/// The error of a SQLite result code: what is wrong with `file` and what to do about it. `system_errno` is 0 when
/// unknown; `detail` is SQLite's own text.
[[nodiscard]] Error sqliteError(int code, int system_errno, const std::string& file,
                                const std::string& detail);

/// As guarded(), keeping the code of a SqliteFailure.
template <class Body>
auto noThrow(Body&& body) noexcept -> std::invoke_result_t<Body> {
  using Outcome = std::invoke_result_t<Body>;
  return guarded([&]() -> Outcome {
    try {
      return std::forward<Body>(body)();
    } catch (const SqliteFailure& failure) {
      return failure.error();
    }
  });
}

}  // namespace svc::storage
