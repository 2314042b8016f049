#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <node.h>
#include <uv.h>

#include "blocking_threads.h"

namespace svc::jsruntime {

class BlockingAnswers;

/// The blocking work of one script thread and its event loop: begun here, done on BlockingThreads, told here. What libuv would
/// do on its one pool of threads for all environments comes here (uv_calls.cpp). Script thread; frees itself with its Node
/// environment, which waits for what is under way.
class BlockingWork {
 public:
  class Job : public BlockingJob {
   public:
    /// On the script thread. Not cancelled: after work().
    virtual void tell(bool cancelled) = 0;

   private:
    friend class BlockingWork;
    void skip() final { withdrawn_ = true; }
    void worked() final;
    std::shared_ptr<BlockingAnswers> answers_;
    const void* request_ = nullptr;
    bool withdrawn_ = false;
  };

  /// Of the calling thread; nullptr where no script runs.
  [[nodiscard]] static BlockingWork* current();
  /// Of this thread and its loop from now on. `on_full` is called when a job finds no room.
  static void attach(v8::Isolate* isolate, std::shared_ptr<BlockingThreads> threads,
                     std::function<void(bool may_fail)> on_full);
  BlockingWork(const BlockingWork&) = delete;
  BlockingWork& operator=(const BlockingWork&) = delete;

  /// `request` is what cancel() knows it by. A job that is not taken does not change.
  [[nodiscard]] BlockingThreads::Taken begin(std::unique_ptr<Job>& job, const void* request,
                                             bool may_fail);
  /// Whether `request` is under way; `withdrawn` says whether it has been kept from beginning, which its job is told later.
  [[nodiscard]] bool cancel(const void* request, bool& withdrawn);
  [[nodiscard]] bool pending() const { return !under_way_.empty(); }
  /// The environment ends: what can be interrupted gives up.
  [[nodiscard]] bool ending() const { return threads_->ending(); }

 private:
  BlockingWork(std::shared_ptr<BlockingThreads> threads,
               std::function<void(bool may_fail)> on_full);
  ~BlockingWork() = default;

  void tellAll();
  /// Once Node's environment ends and nothing is under way.
  void closeIfDone();

  const std::shared_ptr<BlockingThreads> threads_;
  const std::function<void(bool may_fail)> on_full_;
  std::shared_ptr<BlockingAnswers> answers_;
  std::unordered_map<const void*, Job*> under_way_;
  node::AsyncCleanupHookHandle hook_;
  void (*ended_)(void*) = nullptr;
  void* ended_argument_ = nullptr;
};

}  // namespace svc::jsruntime
