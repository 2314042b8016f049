#include "store_threads.h"

#include <pthread.h>

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/kernel/thread_role.h"

namespace svc::storage {
namespace {

Error closedError() {
  return {errc::kUnavailable, "the store is closed because the service stops"};
}

void beStoreThread(const char* name) {
  setThreadRole(ThreadRole::kStore);
  pthread_setname_np(pthread_self(), name);
}

}  // namespace

StoreThreads::StoreThreads(ITransactions& writer, ITransactions& reader, StoreLimits limits,
                           std::shared_ptr<spdlog::logger> log)
    : writer_(writer),
      reader_(reader),
      limits_(limits),
      log_(std::move(log)),
      write_thread_([this] { write(); }) {
  try {
    read_thread_ = std::thread([this] { read(); });
  } catch (...) {
    reads_.finished = true;
    stop(std::chrono::milliseconds{0});
    throw;
  }
}

StoreThreads::~StoreThreads() { SVC_ASSERT(!write_thread_.joinable() && !read_thread_.joinable()); }

Status StoreThreads::admit(const StoreRequest& request, const Lane& lane) const {
  if (stopping_) {
    return closedError();
  }
  if (lane.queue.size() >= limits_.requests) {
    return Error{errc::kOverloaded,
                 fmt::format("{} requests wait for the store (limit {}); try again later",
                             lane.queue.size(), limits_.requests)};
  }
  if (lane.bytes + request.bytes() > limits_.bytes && !lane.queue.empty()) {
    return Error{errc::kOverloaded,
                 fmt::format("{} bytes wait for the store and {} more exceed its limit of {}; try "
                             "again later",
                             lane.bytes, request.bytes(), limits_.bytes)};
  }
  return {};
}

void StoreThreads::submit(std::unique_ptr<StoreRequest> request) {
  Status admitted;
  {
    const std::lock_guard lock(mutex_);
    const auto side = unsettled_.sideOf(*request);
    auto& lane = side == Side::kWriter ? writes_ : reads_;
    admitted = admit(*request, lane);
    if (admitted) {
      unsettled_.add(*request, side);
      return enqueue(std::move(request), lane);
    }
  }
  request->fail(admitted.error());
}

void StoreThreads::flush(Completion<void> done) {
  auto barrier = makeRequest<void>(
      Access::kWrite, {}, 0, [](Side) -> Status { return {}; }, std::move(done));
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      // Exempt from the limit: the answer to "is the queue done" cannot be "the queue is full".
      unsettled_.addBarrier(*barrier);
      return enqueue(std::move(barrier), writes_);
    }
  }
  barrier->fail(closedError());
}

void StoreThreads::enqueue(std::unique_ptr<StoreRequest> request, Lane& lane) {
  lane.bytes += request->bytes();
  lane.queue.push_back(std::move(request));
  lane.wake.notify_one();
}

void StoreThreads::stop(std::chrono::milliseconds grace) {
  if (!write_thread_.joinable()) {
    return;
  }
  Batch abandoned;
  bool finished = false;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    writes_.wake.notify_one();
    reads_.wake.notify_one();
    finished = finished_changed_.wait_for(lock, grace,
                                          [this] { return writes_.finished && reads_.finished; });
    if (!finished) {
      abandoned = abandon();
    }
  }
  if (!finished) {
    log_->error("the store did not finish within {} ms of being stopped; {} requests are dropped",
                grace.count(), abandoned.size());
    writer_.interrupt();
    reader_.interrupt();
  }
  for (const auto& request : abandoned) {
    request->fail(Error{errc::kAborted, "the service stopped before the request was stored"});
  }
  write_thread_.join();
  if (read_thread_.joinable()) {
    read_thread_.join();
  }
}

Batch StoreThreads::abandon() {
  abandoned_ = true;
  auto dropped = take(writes_);
  auto reads = take(reads_);
  dropped.insert(dropped.end(), std::make_move_iterator(reads.begin()),
                 std::make_move_iterator(reads.end()));
  // Nobody waits any more for what is dropped.
  reads_settled_.notify_all();
  reader_rests_.notify_all();
  return dropped;
}

Batch StoreThreads::take(Lane& lane) {
  lane.bytes = 0;
  return std::exchange(lane.queue, {});
}

std::optional<Batch> StoreThreads::takeWrites() {
  std::unique_lock lock(mutex_);
  const auto due = [this] { return stopping_ || !writes_.queue.empty(); };
  if (problem_.empty()) {
    writes_.wake.wait(lock, due);
  } else if (!writes_.wake.wait_for(lock, limits_.retry, due)) {
    return std::nullopt;
  }
  auto batch = take(writes_);
  const auto reads_before = unsettled_.readsBeforeWrites();
  reads_settled_.wait(lock,
                      [&] { return abandoned_ || unsettled_.readsSettled() >= reads_before; });
  return batch;
}

Batch StoreThreads::takeReads() {
  std::unique_lock lock(mutex_);
  reads_.wake.wait(lock, [this] { return !folding_ && (stopping_ || !reads_.queue.empty()); });
  reading_ = !reads_.queue.empty();
  return take(reads_);
}

void StoreThreads::settle(const Batch& batch, Side side) {
  const std::lock_guard lock(mutex_);
  unsettled_.settle(batch, side);
  if (side == Side::kReader) {
    reading_ = false;
    reads_settled_.notify_one();
    reader_rests_.notify_one();
  }
}

void StoreThreads::finish(Lane& lane) {
  const std::lock_guard lock(mutex_);
  lane.finished = true;
  finished_changed_.notify_all();
}

void StoreThreads::write() {
  beStoreThread("svc-store");
  for (auto batch = takeWrites(); !batch || !batch->empty(); batch = takeWrites()) {
    if (!batch) {
      report(writer_.tryWrite());
      continue;
    }
    if (const auto outcome = runBatch(writer_, *batch)) {
      report(*outcome);
    }
    settle(*batch, Side::kWriter);
    foldLongLog();
  }
  finish(writes_);
}

void StoreThreads::read() {
  beStoreThread("svc-store-read");
  for (auto batch = takeReads(); !batch.empty(); batch = takeReads()) {
    runReads(reader_, batch);
    settle(batch, Side::kReader);
  }
  finish(reads_);
}

void StoreThreads::foldLongLog() {
  if (writer_.logPages() < limits_.log_pages) {
    return;
  }
  {
    std::unique_lock lock(mutex_);
    folding_ = true;
    reader_rests_.wait(lock, [this] { return abandoned_ || !reading_; });
  }
  writer_.foldLog();
  const std::lock_guard lock(mutex_);
  folding_ = false;
  reads_.wake.notify_one();
}

// One line when writing stops working and one when it works again, not one per batch.
void StoreThreads::report(const Status& outcome) {
  const auto now = outcome ? std::string() : outcome.error().message;
  std::string before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(problem_, now);
  }
  if (before.empty() && !now.empty()) {
    log_->error("writes are refused: {}", now);
  } else if (now.empty() && !before.empty()) {
    log_->info("writes succeed again");
  }
}

std::string StoreThreads::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace svc::storage
