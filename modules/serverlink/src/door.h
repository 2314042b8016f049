#pragma once

#include <mutex>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace svc::serverlink {

/// The way onto a network thread for those who may outlive it. Thread-safe.
class Door {
 public:
  explicit Door(boost::asio::io_context& context) : context_(&context) {}
  /// Drops the task when the thread is gone.
  template <class Task>
  void post(Task task) {
    const std::scoped_lock lock(mutex_);
    if (context_ != nullptr) {
      boost::asio::post(*context_, std::move(task));
    }
  }
  void shut() {
    const std::scoped_lock lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
};

}  // namespace svc::serverlink
