#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "svc/base/assert.h"
#include "svc/base/error.h"

namespace svc {

/// A value or an Error. Module boundaries speak Result; exceptions stop at the edge (see guarded()).
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return Error{…};` read best
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    SVC_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    SVC_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    SVC_ASSERT(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const& {
    SVC_ASSERT(!ok());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    SVC_ASSERT(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error. `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const& {
    SVC_ASSERT(!ok());
    return *error_;
  }
  [[nodiscard]] Error&& error() && {
    SVC_ASSERT(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

/// Runs `body` (which returns a Result) and turns an escaping exception into an internal error, so that no
/// exception crosses a module boundary.
template <class Body>
auto guarded(Body&& body) noexcept -> std::invoke_result_t<Body> {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& failure) {
    return Error{errc::kInternal, failure.what()};
  } catch (...) {
    return Error{errc::kInternal, "unknown exception"};
  }
}

}  // namespace svc
