#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace svc::pty {

/// How much all terminals of this machine may read in a while: a program that prints without end costs the daemon, the link and the
/// server so much and no more. On the io thread.
class Pace : public std::enable_shared_from_this<Pace> {
 public:
  static constexpr std::chrono::milliseconds kWhile{50};
  static constexpr std::size_t kBytes = 512UL * 1024;

  explicit Pace(boost::asio::io_context& io) : timer_(io) {}

  /// Of this while; 0 = wait().
  [[nodiscard]] std::size_t left() const { return left_; }
  void spend(std::size_t bytes) {
    left_ -= std::min(bytes, left_);
    arm();
  }
  /// Called when the next while begins.
  void wait(std::function<void()> resume) {
    waiting_.push_back(std::move(resume));
    arm();
  }

 private:
  void arm() {
    if (armed_) {
      return;
    }
    armed_ = true;
    timer_.expires_after(kWhile);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& failed) {
      if (const auto self = weak.lock(); self && !failed) {
        self->armed_ = false;
        self->left_ = kBytes;
        for (const auto& resume : std::exchange(self->waiting_, {})) {
          resume();
        }
      }
    });
  }

  boost::asio::steady_timer timer_;
  bool armed_ = false;
  std::size_t left_ = kBytes;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace svc::pty
