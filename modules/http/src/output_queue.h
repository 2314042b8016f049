#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>

namespace svc::http {

/// Unsent bytes of one connection. Small answers are gathered into one contiguous piece; a large body is moved in as
/// its own. Lives on the io thread.
class OutputQueue {
 public:
  /// Bodies from this size on are moved, not copied.
  static constexpr std::size_t kLarge = 32UL * 1024;

  /// The string to append to; count what was added with grew().
  [[nodiscard]] std::string& tail() {
    if (pieces_.empty() || sealed_) {
      pieces_.push_back(std::exchange(spare_, {}));
      sealed_ = false;
    }
    return pieces_.back();
  }

  void append(std::string_view bytes) { tail().append(bytes); }

  void appendBody(std::string&& body) {
    if (body.size() < kLarge) {
      append(body);
      return;
    }
    pieces_.push_back(std::move(body));
    sealed_ = true;
  }

  /// What is queued now must not move any more: an asynchronous write reads it.
  void seal() { sealed_ = true; }

  using Buffers = std::array<boost::asio::const_buffer, 16>;
  [[nodiscard]] std::span<const boost::asio::const_buffer> buffers(Buffers& storage) const {
    std::size_t count = 0;
    for (const auto& piece : pieces_) {
      if (count == storage.size()) {
        break;
      }
      const auto skip = count == 0 ? offset_ : 0;
      storage[count++] = boost::asio::const_buffer(piece.data() + skip, piece.size() - skip);
    }
    return {storage.data(), count};
  }

  void consume(std::size_t bytes) {
    offset_ += bytes;
    while (!pieces_.empty() && offset_ >= pieces_.front().size()) {
      offset_ -= pieces_.front().size();
      if (pieces_.front().capacity() <= kLarge) {
        spare_ = std::move(pieces_.front());
        spare_.clear();
      }
      pieces_.pop_front();
    }
    sealed_ = sealed_ && !pieces_.empty();
  }

  [[nodiscard]] bool empty() const { return pieces_.empty(); }

  [[nodiscard]] std::size_t size() const {
    std::size_t total = 0;
    for (const auto& piece : pieces_) {
      total += piece.size();
    }
    return total - offset_;
  }

 private:
  std::deque<std::string> pieces_;
  std::size_t offset_ = 0;
  bool sealed_ = false;
  std::string spare_;
};

}  // namespace svc::http
