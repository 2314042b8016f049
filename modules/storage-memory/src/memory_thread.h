#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "svc/kernel/completion.h"

namespace svc::storage_memory {

/// Runs queued work in order on a thread of its own. Thread-safe.
class MemoryThread {
 public:
  explicit MemoryThread(std::size_t limit);
  MemoryThread(const MemoryThread&) = delete;
  MemoryThread& operator=(const MemoryThread&) = delete;
  /// Finishes what waits.
  ~MemoryThread();

  /// `body` returns Result<T>; `done` gets it on this thread. Refused work (`overloaded`, `unavailable` after
  /// stop()) is answered before this returns.
  template <class T, class Body>
  void submit(Body body, Completion<T> done) {
    submitJob(std::make_unique<TypedJob<T, Body>>(std::move(body), std::move(done)),
              /*exempt=*/false);
  }
  /// Fires when everything submitted before has been answered.
  void flush(Completion<void> done);
  /// Refuses new work, finishes what waits, joins the thread. Called by the owner.
  void stop();

 private:
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    virtual void run() = 0;
    virtual void refuse(const Error& error) = 0;
  };

  template <class T, class Body>
  class TypedJob final : public Job {
   public:
    TypedJob(Body body, Completion<T> done) : body_(std::move(body)), done_(std::move(done)) {}
    void run() override { done_(guarded(body_)); }
    void refuse(const Error& error) override { done_(error); }

   private:
    Body body_;
    Completion<T> done_;
  };

  void submitJob(std::unique_ptr<Job> job, bool exempt);
  [[nodiscard]] Status admit() const;
  void run();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Job>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace svc::storage_memory
