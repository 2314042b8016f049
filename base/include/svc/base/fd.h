#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "svc/base/result.h"

namespace svc::base {

/// A file descriptor that is closed once. Move-only. Whoever opens one passes O_CLOEXEC or its like: a child that another thread
/// starts meanwhile must not get it.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset(other.release());
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  /// Closes what it has. Leaves errno as it is.
  void reset(int number = -1);
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

struct SocketPair {
  Fd here;
  Fd there;
};

/// Error: `unavailable`.
[[nodiscard]] Result<Pipe> makePipe();
/// Of streams. Writing to one whose other end is closed is an error with MSG_NOSIGNAL, where a pipe raises SIGPIPE.
[[nodiscard]] Result<SocketPair> makeSocketPair();

/// read() that goes on after a signal: bytes, 0 at the end, -1 with errno.
[[nodiscard]] std::ptrdiff_t readSome(int descriptor, char* into, std::size_t room);

/// Everything, or false with errno. Blocks.
[[nodiscard]] bool writeAll(int descriptor, std::string_view bytes);

/// To the end. Errors: `too_large` beyond `limit` bytes, `unavailable`; both name no file. Blocks.
[[nodiscard]] Result<std::string> readAll(int descriptor, std::size_t limit);

}  // namespace svc::base
