#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace svc {

template <class Signature>
class UniqueFunction;

/// A callable that is moved, never copied, so that it may own what it answers with. Empty by default.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from callables and nullptr, as std::function does
  UniqueFunction(std::nullptr_t) {}
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, UniqueFunction> &&
                                              std::is_invocable_r_v<R, std::decay_t<F>&, Args...>>>
  UniqueFunction(F&& callable)
      : target_(std::make_unique<Target<std::decay_t<F>>>(std::forward<F>(callable))) {}
  // NOLINTEND(google-explicit-constructor)

  R operator()(Args... arguments) { return target_->call(std::forward<Args>(arguments)...); }
  explicit operator bool() const { return target_ != nullptr; }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual R call(Args... arguments) = 0;
  };
  template <class F>
  struct Target final : Base {
    explicit Target(F&& callable) : function(std::move(callable)) {}
    explicit Target(const F& callable) : function(callable) {}
    R call(Args... arguments) override { return function(std::forward<Args>(arguments)...); }
    F function;
  };

  std::unique_ptr<Base> target_;
};

}  // namespace svc
