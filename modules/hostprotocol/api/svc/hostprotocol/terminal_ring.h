#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace svc::hostprotocol {

/// The last output of one terminal in numbered chunks, as the daemon has it and the server after it. One thread.
class TerminalRing {
 public:
  /// What a chunk counts beside its bytes, so that single characters do not make it large.
  static constexpr std::size_t kOverhead = 64;

  explicit TerminalRing(std::size_t limit) : limit_(limit) {}

  struct Chunk {
    std::uint64_t seq = 0;
    std::string bytes;
  };

  void append(std::string bytes) { put(next_, std::move(bytes)); }

  /// As it is numbered there. What is there already is left out; a gap drops what is before it.
  void put(std::uint64_t seq, std::string bytes) {
    if (seq < next_) {
      return;
    }
    if (seq > next_) {
      chunks_.clear();
      held_ = 0;
    }
    next_ = seq + 1;
    held_ += bytes.size() + kOverhead;
    chunks_.push_back({seq, std::move(bytes)});
    while (held_ > limit_ && chunks_.size() > 1) {
      held_ -= chunks_.front().bytes.size() + kOverhead;
      chunks_.pop_front();
    }
  }

  /// Forgets what it has; the numbers go on.
  void clear() {
    chunks_.clear();
    held_ = 0;
  }

  /// Number of the oldest chunk; that of the next one when there is none.
  [[nodiscard]] std::uint64_t first() const { return next_ - chunks_.size(); }
  /// Number of the chunk that comes next.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Null when it is gone or has not come.
  [[nodiscard]] const Chunk* find(std::uint64_t seq) const {
    return seq >= first() && seq < next_ ? &chunks_[seq - first()] : nullptr;
  }
  [[nodiscard]] const std::deque<Chunk>& chunks() const { return chunks_; }

 private:
  const std::size_t limit_;
  std::deque<Chunk> chunks_;
  std::size_t held_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace svc::hostprotocol
