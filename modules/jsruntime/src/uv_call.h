#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <uv.h>

// What the calls of libuv that this library takes over have in common (uv_calls.cpp, uv_name_calls.cpp).

namespace svc::jsruntime {

/// An argument for as long as the call takes.
template <class T>
class KeptArgument {
 public:
  explicit KeptArgument(T value) : value_(value) {}
  [[nodiscard]] T get() const { return value_; }

 private:
  T value_;
};
template <>
class KeptArgument<const char*> {
 public:
  explicit KeptArgument(const char* text) {
    if (text != nullptr) {
      text_.emplace(text);
    }
  }
  [[nodiscard]] const char* get() const { return text_ ? text_->c_str() : nullptr; }

 private:
  std::optional<std::string> text_;
};

/// As one argument, in place of two.
struct BufferList {
  std::vector<uv_buf_t> list;
};
template <>
class KeptArgument<BufferList> {
 public:
  explicit KeptArgument(BufferList buffers) : buffers_(std::move(buffers)) {}
  [[nodiscard]] const BufferList& get() const { return buffers_; }

 private:
  BufferList buffers_;
};

/// libuv's own function, behind that of this library.
template <class Function>
Function libuvs(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace svc::jsruntime

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the same for forty functions of C
#define SVC_EXPORTED __attribute__((visibility("default")))
#define SVC_LIBUVS(name) static const auto call = svc::jsruntime::libuvs<decltype(&name)>(#name)
// NOLINTEND(cppcoreguidelines-macro-usage)
