#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace svc::serverlink {

/// What is under way on a context that goes on without it.
class ILiveCall {
 public:
  virtual ~ILiveCall() = default;
  /// Ends it at once. Whoever waits for it is answered.
  virtual void abandon() = 0;
};

/// Everything that one owner has under way. Lives on the thread of the context.
class LiveCalls {
 public:
  /// False when it is over: the call must not begin.
  [[nodiscard]] bool add(const std::shared_ptr<ILiveCall>& call) {
    if (over_) {
      return false;
    }
    std::erase_if(calls_, [](const auto& each) { return each.expired(); });
    calls_.push_back(call);
    return true;
  }
  void abandonAll() {
    over_ = true;
    for (const auto& each : std::exchange(calls_, {})) {
      if (const auto call = each.lock()) {
        call->abandon();
      }
    }
  }

 private:
  bool over_ = false;
  std::vector<std::weak_ptr<ILiveCall>> calls_;
};

}  // namespace svc::serverlink
