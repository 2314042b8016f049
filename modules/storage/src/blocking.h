#pragma once

#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "svc/kernel/thread_role.h"

#include "store_threads.h"

namespace svc::storage {

/// The scope of everything but key-value data: no key-value namespace is empty.
inline constexpr const char* kRowScope = "";

/// Runs `body` (which takes its Side, returns a Result and may throw SqliteFailure) on a store thread and waits for the
/// answer: what the blocking interfaces are made of. Never from the io thread, a script thread or a store thread itself.
template <class Body>
auto runBlocking(StoreThreads& threads, Access access, Body body)
    -> std::invoke_result_t<Body, Side> {
  const auto role = threadRole();
  SVC_ASSERT(role != ThreadRole::kStore && role != ThreadRole::kIo && role != ThreadRole::kScript);
  using Outcome = std::invoke_result_t<Body, Side>;
  // Shared, because the store thread may still be inside set_value() when get() returns.
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto answer = promise->get_future();
  Completion<typename Outcome::value_type> done(
      [promise](Outcome outcome) { promise->set_value(std::move(outcome)); });
  threads.submit(makeRequest(access, kRowScope, 0, std::move(body), std::move(done)));
  return answer.get();
}

}  // namespace svc::storage
