// What libuv would give to its pool of threads, done on those of the environment; see uv_slots.h.
#include "uv_slots.h"

#ifdef SVC_NODE_EXECUTABLE

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "blocking_work.h"

namespace svc::jsruntime {

namespace {

using Taken = BlockingThreads::Taken;

template <class Request>
Request* requestOf(uv__work* work) {
  return reinterpret_cast<Request*>(reinterpret_cast<char*>(work) - offsetof(Request, work_req));
}

/// The answer of a request for which there is no room. Cryptography and compression do not take one.
void refuse(uv__work* work, UvWork::Kind kind) {
  static_assert(offsetof(uv_getaddrinfo_t, work_req) == offsetof(uv_getnameinfo_t, work_req));
  if (kind == UvWork::Kind::kFastIo) {
    requestOf<uv_fs_t>(work)->result = UV_EAGAIN;
  } else if (auto* address = requestOf<uv_getaddrinfo_t>(work); address->type == UV_GETADDRINFO) {
    address->retcode = UV_EAGAIN;
  } else {
    requestOf<uv_getnameinfo_t>(work)->retcode = UV_EAGAIN;
  }
}

class UvJob final : public BlockingWork::Job {
 public:
  explicit UvJob(uv__work* work) : work_(work) {}
  void work() override { work_->work(work_); }
  void tell(bool cancelled) override { work_->done(work_, cancelled ? UV_ECANCELED : 0); }

 private:
  uv__work* const work_;
};

/// The work of loops that are no script's, and of environments that have no threads or descriptors left.
class SharedWork {
 public:
  static SharedWork& instance() {
    static auto* const work = new SharedWork;
    return *work;
  }
  void begin(uv__work* work) {
    auto job = std::make_shared<Job>(work);
    {
      const std::lock_guard lock(mutex_);
      under_way_.emplace(work, job);
    }
    if (threads_->take(*job) != Taken::kYes) {
      job->work();  // late, but done
      job->worked();
    }
  }
  [[nodiscard]] int cancel(uv__work* work) {
    std::shared_ptr<Job> job;
    {
      const std::lock_guard lock(mutex_);
      const auto found = under_way_.find(work);
      if (found == under_way_.end()) {
        return UV_EBUSY;
      }
      job = found->second;
    }
    if (!threads_->withdraw(*job)) {
      return UV_EBUSY;
    }
    job->withdrawn = true;
    job->worked();
    return 0;
  }

 private:
  struct Job final : BlockingJob {
    explicit Job(uv__work* of) : request(of), done(of->done) { request->done = tell; }
    void work() override { request->work(request); }
    void skip() override {}
    /// As libuv hands over: its own uv__work_done() calls `done` on the thread of the loop.
    void worked() override {
      auto* const loop = request->loop;
      auto* const place = &request->wq;
      uv_mutex_lock(&loop->wq_mutex);
      place->next = &loop->wq;
      place->prev = loop->wq.prev;
      place->prev->next = place;
      loop->wq.prev = place;
      uv_async_send(&loop->wq_async);
      uv_mutex_unlock(&loop->wq_mutex);
    }
    static void tell(uv__work* work, int /*status*/) {
      auto& shared = instance();
      std::unique_lock lock(shared.mutex_);
      const auto job = std::move(shared.under_way_.extract(work).mapped());
      lock.unlock();
      job->done(work, job->withdrawn ? UV_ECANCELED : 0);
    }

    uv__work* const request;
    const UvWork::Done done;
    bool withdrawn = false;
  };

  const std::shared_ptr<BlockingThreads> threads_ = std::make_shared<BlockingThreads>();
  std::mutex mutex_;
  std::unordered_map<uv__work*, std::shared_ptr<Job>> under_way_;
};

uv__work* workOf(uv_req_t* request) {
  switch (request->type) {
    case UV_FS:
      return &reinterpret_cast<uv_fs_t*>(request)->work_req;
    case UV_GETADDRINFO:
      return &reinterpret_cast<uv_getaddrinfo_t*>(request)->work_req;
    case UV_GETNAMEINFO:
      return &reinterpret_cast<uv_getnameinfo_t*>(request)->work_req;
    case UV_RANDOM:
      return &reinterpret_cast<uv_random_t*>(request)->work_req;
    case UV_WORK:
      return &reinterpret_cast<uv_work_t*>(request)->work_req;
    default:
      return nullptr;
  }
}

}  // namespace

void UvWork::submit(uv_loop_t* loop, uv__work* request, Kind kind, Work work, Done done) {
  request->loop = loop;
  request->work = work;
  request->done = done;
  const bool may_fail = kind != Kind::kCpu;
  if (auto* threads = BlockingWork::current(); threads != nullptr) {
    std::unique_ptr<BlockingWork::Job> job = std::make_unique<UvJob>(request);
    const auto taken = threads->begin(job, request, may_fail);
    if (taken == Taken::kYes) {
      return;
    }
    if (taken == Taken::kFull && may_fail) {
      refuse(request, kind);
      request->work = [](uv__work*) {};
    }
  }
  SharedWork::instance().begin(request);
}

int UvWork::queueWork(uv_loop_t* loop, uv_work_t* request, uv_work_cb compute,
                      uv_after_work_cb after) {
  if (compute == nullptr) {
    return UV_EINVAL;
  }
  request->type = UV_WORK;
  request->loop = loop;
  request->work_cb = compute;
  request->after_work_cb = after;
  ++loop->active_reqs.count;
  submit(
      loop, &request->work_req, Kind::kCpu,
      [](uv__work* work) {
        auto* const own = requestOf<uv_work_t>(work);
        own->work_cb(own);
      },
      [](uv__work* work, int status) {
        auto* const own = requestOf<uv_work_t>(work);
        --own->loop->active_reqs.count;
        if (own->after_work_cb != nullptr) {
          own->after_work_cb(own, status);
        }
      });
  return 0;
}

int UvWork::cancel(uv_req_t* request) {
  auto* const work = workOf(request);
  if (work == nullptr) {
    return UV_EINVAL;
  }
  auto* const threads = BlockingWork::current();
  bool withdrawn = false;
  if (threads != nullptr && threads->cancel(work, withdrawn)) {
    return withdrawn ? 0 : UV_EBUSY;
  }
  return SharedWork::instance().cancel(work);
}

}  // namespace svc::jsruntime

#endif
