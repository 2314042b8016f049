#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>

#include "svc/base/fd.h"

namespace svc::base {

/// A descriptor that is written to without waiting for who reads it. Not thread-safe.
class UnblockedOutput {
 public:
  /// `fd` stays open for as long as this.
  explicit UnblockedOutput(int fd);

  /// How many bytes there was room for. All when they cannot be written at all, because nobody reads any more: they are lost.
  [[nodiscard]] std::size_t write(std::string_view bytes);
  /// To poll for room.
  [[nodiscard]] int descriptor() const { return own_ ? own_.get() : fd_; }

 private:
  [[nodiscard]] ssize_t writeSome(std::string_view bytes) const;

  const int fd_;
  /// O_NONBLOCK belongs to the description that all who were given the descriptor share; of pipes and terminals this is another one.
  Fd own_;
  bool socket_ = false;
  bool file_ = false;
};

/// What a process that is about to end has to say, as far as there is room for it.
void printUrgent(std::string_view text);

}  // namespace svc::base
