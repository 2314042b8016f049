#include "blocking_work.h"

#include <utility>

namespace svc::jsruntime {

namespace {

thread_local BlockingWork* work_of_thread = nullptr;

}  // namespace

/// Jobs on their way back to the script thread. A blocking thread holds it while it hands one over.
class BlockingAnswers {
 public:
  [[nodiscard]] bool open(uv_loop_t* loop, BlockingWork* owner, uv_async_cb on_wake) {
    wake_.data = owner;
    open_ = uv_async_init(loop, &wake_, on_wake) == 0;
    if (open_) {
      uv_unref(handle());
    }
    return open_;
  }
  void add(BlockingWork::Job* job) {
    const std::lock_guard lock(mutex_);
    done_.push_back(job);
    if (open_ && done_.size() == 1) {
      uv_async_send(&wake_);
    }
  }
  [[nodiscard]] std::vector<BlockingWork::Job*> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, {});
  }
  void close(uv_close_cb closed) {
    {
      const std::lock_guard lock(mutex_);
      open_ = false;
    }
    uv_close(handle(), closed);
  }
  [[nodiscard]] uv_handle_t* handle() { return reinterpret_cast<uv_handle_t*>(&wake_); }

 private:
  std::mutex mutex_;
  std::vector<BlockingWork::Job*> done_;
  bool open_ = false;
  uv_async_t wake_{};
};

void BlockingWork::Job::worked() {
  const auto answers = answers_;  // the job may be gone once it has been added
  answers->add(this);
}

BlockingWork* BlockingWork::current() { return work_of_thread; }

BlockingWork::BlockingWork(std::shared_ptr<BlockingThreads> threads,
                           std::function<void(bool may_fail)> on_full)
    : threads_(std::move(threads)),
      on_full_(std::move(on_full)),
      answers_(std::make_shared<BlockingAnswers>()) {}

void BlockingWork::attach(v8::Isolate* isolate, std::shared_ptr<BlockingThreads> threads,
                          std::function<void(bool may_fail)> on_full) {
  auto* work = new BlockingWork(std::move(threads), std::move(on_full));
  const auto wake = [](uv_async_t* handle) { static_cast<BlockingWork*>(handle->data)->tellAll(); };
  if (!work->answers_->open(node::GetCurrentEventLoop(isolate), work, wake)) {
    delete work;  // no descriptors left: libuv's own threads serve it
    return;
  }
  const auto end = [](void* self, void (*ended)(void*), void* argument) {
    auto& ending = *static_cast<BlockingWork*>(self);
    ending.ended_ = ended;
    ending.ended_argument_ = argument;
    ending.closeIfDone();
  };
  work->hook_ = node::AddEnvironmentCleanupHook(isolate, end, work);
  work_of_thread = work;
}

BlockingThreads::Taken BlockingWork::begin(std::unique_ptr<Job>& job, const void* request,
                                           bool may_fail) {
  job->answers_ = answers_;
  job->request_ = request;
  const auto [place, added] = under_way_.try_emplace(request, job.get());
  const auto taken = threads_->take(*job);
  if (taken == BlockingThreads::Taken::kYes) {
    if (under_way_.size() == 1) {
      uv_ref(answers_->handle());
    }
    (void)job.release();  // tellAll() has it
    return taken;
  }
  under_way_.erase(place);
  if (taken == BlockingThreads::Taken::kFull) {
    on_full_(may_fail);
  }
  return taken;
}

bool BlockingWork::cancel(const void* request, bool& withdrawn) {
  const auto found = under_way_.find(request);
  if (found == under_way_.end()) {
    return false;
  }
  withdrawn = threads_->withdraw(*found->second);
  if (withdrawn) {
    found->second->withdrawn_ = true;
    answers_->add(found->second);
  }
  return true;
}

void BlockingWork::tellAll() {
  for (auto* done : answers_->take()) {
    const std::unique_ptr<Job> job(done);
    under_way_.erase(job->request_);
    if (under_way_.empty()) {
      uv_unref(answers_->handle());
    }
    job->tell(job->withdrawn_);
  }
  closeIfDone();
}

void BlockingWork::closeIfDone() {
  if (ended_ == nullptr || pending() || work_of_thread != this) {
    return;
  }
  work_of_thread = nullptr;
  answers_->close([](uv_handle_t* handle) {
    auto* self = static_cast<BlockingWork*>(handle->data);
    const auto ended = self->ended_;
    auto* argument = self->ended_argument_;
    delete self;
    ended(argument);
  });
}

}  // namespace svc::jsruntime
