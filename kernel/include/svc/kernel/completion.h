#pragma once

#include <type_traits>
#include <utility>

#include "svc/kernel/result.h"
#include "svc/kernel/unique_function.h"

namespace svc {

/// The answer to one asynchronous request. Fires exactly once: dropping an unfired completion
/// answers `aborted`, so a caller never waits for ever. Move-only. The thread it fires on is the
/// provider's; each interface says which. Handlers must not throw.
template <class T>
class Completion {
 public:
  using value_type = T;
  using Handler = UniqueFunction<void(Result<T>)>;

  Completion() = default;
  // NOLINTBEGIN(google-explicit-constructor): a lambda is passed where a completion is asked for
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Completion> &&
                                              std::is_constructible_v<Handler, F>>>
  Completion(F&& handler) : handler_(std::forward<F>(handler)) {}
  // NOLINTEND(google-explicit-constructor)
  Completion(Completion&& other) noexcept : handler_(std::exchange(other.handler_, nullptr)) {}
  Completion& operator=(Completion&& other) noexcept {
    if (this != &other) {
      drop();
      handler_ = std::exchange(other.handler_, nullptr);
    }
    return *this;
  }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  ~Completion() { drop(); }

  /// Fires the handler; a second call does nothing.
  void operator()(Result<T> result) {
    if (auto handler = std::exchange(handler_, nullptr)) {
      handler(std::move(result));
    }
  }

  [[nodiscard]] bool pending() const { return static_cast<bool>(handler_); }

 private:
  void drop() {
    if (handler_) {
      (*this)(Error{errc::kAborted, "the request was dropped"});
    }
  }

  Handler handler_;
};

}  // namespace svc
