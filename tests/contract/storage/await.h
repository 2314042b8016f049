#pragma once

#include <future>
#include <memory>
#include <utility>

#include "svc/kernel/completion.h"

namespace svc::test {

/// One answer to come: completion() goes into the call, get() waits for it.
template <class T>
class Awaited {
 public:
  Completion<T> completion() {
    return Completion<T>(
        [promise = promise_](Result<T> result) { promise->set_value(std::move(result)); });
  }
  Result<T> get() { return answer_.get(); }

 private:
  std::shared_ptr<std::promise<Result<T>>> promise_ = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> answer_ = promise_->get_future();
};

/// Makes the call with a completion and waits for its answer.
template <class T, class Call>
Result<T> await(Call call) {
  Awaited<T> answer;
  call(answer.completion());
  return answer.get();
}

}  // namespace svc::test
