#include "store_thread.h"

#include <pthread.h>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/kernel/thread_role.h"

namespace svc::storage {
namespace {

Error closedError() {
  return {errc::kUnavailable, "the store is closed because the service stops"};
}

}  // namespace

StoreThread::StoreThread(ITransactions& transactions, StoreLimits limits,
                         std::shared_ptr<spdlog::logger> log)
    : transactions_(transactions),
      limits_(limits),
      log_(std::move(log)),
      thread_([this] { run(); }) {}

StoreThread::~StoreThread() { SVC_ASSERT(!thread_.joinable()); }

Status StoreThread::admit(const StoreRequest& request) const {
  if (stopping_) {
    return closedError();
  }
  if (queue_.size() >= limits_.requests) {
    return Error{errc::kOverloaded,
                 fmt::format("{} requests wait for the store (limit {}); try again later",
                             queue_.size(), limits_.requests)};
  }
  if (queued_bytes_ + request.bytes() > limits_.bytes && !queue_.empty()) {
    return Error{errc::kOverloaded,
                 fmt::format("{} bytes wait for the store and {} more exceed its limit of {}; try "
                             "again later",
                             queued_bytes_, request.bytes(), limits_.bytes)};
  }
  return {};
}

void StoreThread::submit(std::unique_ptr<StoreRequest> request) {
  Status admitted;
  {
    const std::lock_guard lock(mutex_);
    admitted = admit(*request);
    if (admitted) {
      return enqueue(std::move(request));
    }
  }
  request->fail(admitted.error());
}

void StoreThread::flush(Completion<void> done) {
  auto barrier = makeRequest<void>(
      Access::kWrite, {}, 0, []() -> Status { return {}; }, std::move(done));
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      // Exempt from the limit: the answer to "is the queue done" cannot be "the queue is full".
      return enqueue(std::move(barrier));
    }
  }
  barrier->fail(closedError());
}

void StoreThread::enqueue(std::unique_ptr<StoreRequest> request) {
  queued_bytes_ += request->bytes();
  queue_.push_back(std::move(request));
  wake_.notify_one();
}

void StoreThread::stop(std::chrono::milliseconds grace) {
  if (!thread_.joinable()) {
    return;
  }
  Batch abandoned;
  bool finished = false;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    finished = finished_changed_.wait_for(lock, grace, [this] { return finished_; });
    if (!finished) {
      abandoned.swap(queue_);
      queued_bytes_ = 0;
    }
  }
  if (!finished) {
    log_->error("the store did not finish within {} ms of being stopped; {} requests are dropped",
                grace.count(), abandoned.size());
    transactions_.interrupt();
  }
  for (const auto& request : abandoned) {
    request->fail(Error{errc::kAborted, "the service stopped before the request was stored"});
  }
  thread_.join();
}

Batch StoreThread::takeBatch() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  queued_bytes_ = 0;
  return std::exchange(queue_, {});
}

void StoreThread::run() {
  setThreadRole(ThreadRole::kStore);
  pthread_setname_np(pthread_self(), "svc-store");
  for (auto batch = takeBatch(); !batch.empty(); batch = takeBatch()) {
    if (const auto outcome = runBatch(transactions_, std::move(batch))) {
      report(*outcome);
    }
  }
  const std::lock_guard lock(mutex_);
  finished_ = true;
  finished_changed_.notify_all();
}

// One line when writing stops working and one when it works again, not one per batch.
void StoreThread::report(const Status& outcome) {
  if (!outcome && !failing_) {
    log_->error("writes are refused: {}", outcome.error().message);
  } else if (outcome && failing_) {
    log_->info("writes succeed again");
  }
  failing_ = !outcome;
}

}  // namespace svc::storage
