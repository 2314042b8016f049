#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace svc {

/// A stable, machine-readable error name such as "not_found". The set is open so that each layer can name
/// its own failures, but every code is a constant declared once in a header, never built at run time.
class Errc {
 public:
  constexpr explicit Errc(std::string_view name) : name_(name) {}
  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(Errc left, Errc right) { return left.name_ == right.name_; }
  friend std::ostream& operator<<(std::ostream& out, Errc code) { return out << code.name_; }

 private:
  std::string_view name_;
};

namespace errc {
inline constexpr Errc kAborted{"aborted"};
inline constexpr Errc kConflict{"conflict"};
inline constexpr Errc kInternal{"internal_error"};
inline constexpr Errc kInvalidArgument{"invalid_argument"};
inline constexpr Errc kNotFound{"not_found"};
inline constexpr Errc kOverloaded{"overloaded"};
inline constexpr Errc kTimeout{"timeout"};
inline constexpr Errc kTooLarge{"too_large"};
inline constexpr Errc kUnavailable{"unavailable"};
}  // namespace errc

/// What went wrong: a stable code for programs, one sentence for people, and optional JSON for both.
struct Error {
  Errc code;
  std::string message;
  /// JSON text of an object, or empty.
  std::string details{};
  /// JSON text of an array of validation issues, or empty.
  std::string issues{};

  Error(Errc error_code, std::string text) : code(error_code), message(std::move(text)) {}
  Error(Errc error_code, std::string text, std::string details_json)
      : code(error_code), message(std::move(text)), details(std::move(details_json)) {}
};

}  // namespace svc
