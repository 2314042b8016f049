#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace svc {

template <class Signature>
class UniqueFunction;

namespace detail {

template <class F>
inline constexpr bool kMayBeEmpty = std::is_pointer_v<F> || std::is_member_pointer_v<F>;
template <class Signature>
inline constexpr bool kMayBeEmpty<std::function<Signature>> = true;
template <class Signature>
inline constexpr bool kMayBeEmpty<UniqueFunction<Signature>> = true;

}  // namespace detail

/// A callable that is moved, never copied, so that it may own what it answers with. Empty by default, and when made of
/// an empty function or a null pointer. What is small (kInline bytes) and moves without throwing is kept inside; moving
/// the function then moves it, so it must not be called where a container may move it meanwhile. A callable may destroy
/// the function that it runs in.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  /// Six words: an object that keeps itself alive, a completion's state and a string's worth of the rest.
  static constexpr std::size_t kInline = 48;
  template <class F>
  static constexpr bool isInline() {
    return sizeof(F) <= kInline && alignof(F) <= alignof(std::max_align_t) &&
           std::is_nothrow_move_constructible_v<F>;
  }

  UniqueFunction() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from callables and nullptr, as std::function does
  UniqueFunction(std::nullptr_t) {}
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, UniqueFunction> &&
                                              std::is_invocable_r_v<R, std::decay_t<F>&, Args...>>>
  UniqueFunction(F&& callable) {
    using Target = std::decay_t<F>;
    if constexpr (detail::kMayBeEmpty<Target>) {
      if (!callable) {
        return;
      }
    }
    if constexpr (isInline<Target>()) {
      ::new (at()) Target(std::forward<F>(callable));
      operations_ = &kOperations<Inline<Target>>;
    } else {
      ::new (at()) Target*(new Target(std::forward<F>(callable)));
      operations_ = &kOperations<Heap<Target>>;
    }
  }
  // NOLINTEND(google-explicit-constructor)
  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      // What was held goes last: its end may look at this function again.
      const UniqueFunction before(std::move(*this));
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() {
    if (const auto* operations = std::exchange(operations_, nullptr)) {
      operations->destroy(at());
    }
  }

  R operator()(Args... arguments) {
    return operations_->call(at(), std::forward<Args>(arguments)...);
  }
  explicit operator bool() const { return operations_ != nullptr; }

 private:
  struct Operations {
    R (*call)(void* storage, Args&&... arguments);
    void (*move)(void* from, void* to) noexcept;
    void (*destroy)(void* storage) noexcept;
  };
  template <class F>
  struct Inline {
    static F& target(void* storage) { return *std::launder(static_cast<F*>(storage)); }
    static void move(void* from, void* to) noexcept {
      ::new (to) F(std::move(target(from)));
      target(from).~F();
    }
    static void destroy(void* storage) noexcept { target(storage).~F(); }
  };
  template <class F>
  struct Heap {
    static F*& pointer(void* storage) { return *std::launder(static_cast<F**>(storage)); }
    static F& target(void* storage) { return *pointer(storage); }
    static void move(void* from, void* to) noexcept { ::new (to) F*(pointer(from)); }
    static void destroy(void* storage) noexcept { delete pointer(storage); }
  };
  template <class Kept>
  static R call(void* storage, Args&&... arguments) {
    return static_cast<R>(std::invoke(Kept::target(storage), std::forward<Args>(arguments)...));
  }
  template <class Kept>
  static constexpr Operations kOperations{&call<Kept>, &Kept::move, &Kept::destroy};

  [[nodiscard]] void* at() { return static_cast<void*>(&storage_); }
  void take(UniqueFunction& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) {
      operations_->move(other.at(), at());
    }
  }

  struct alignas(std::max_align_t) Storage {
    std::byte bytes[kInline];
  };
  Storage storage_;
  const Operations* operations_ = nullptr;
};

}  // namespace svc
