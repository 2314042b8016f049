#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "svc/kernel/executor.h"

namespace svc::plugins {

/// A set of callbacks, each as long as its handle lives. Thread-safe; callbacks run without a lock.
template <class... Arguments>
class Listeners {
 public:
  using Listener = std::function<void(Arguments...)>;

  [[nodiscard]] Handle add(Listener listener) {
    auto slot = std::make_shared<Listener>(std::move(listener));
    const std::scoped_lock lock(state_->mutex);
    state_->slots.push_back(slot);
    return Handle([weak = std::weak_ptr<State>(state_), slot] {
      if (const auto state = weak.lock()) {
        const std::scoped_lock guard(state->mutex);
        std::erase(state->slots, slot);
      }
    });
  }

  void notify(Arguments... arguments) const {
    for (const auto& slot : slots()) {
      (*slot)(arguments...);
    }
  }

  /// The callbacks of this moment, in the order they were added.
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> slots() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->slots;
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<std::shared_ptr<Listener>> slots;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace svc::plugins
