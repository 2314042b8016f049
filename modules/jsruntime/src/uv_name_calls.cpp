// Names of hosts and addresses, asked for on the threads of the environment; see uv_calls.cpp.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <optional>

#include <uv.h>

#include "blocking_work.h"
#include "uv_call.h"

#ifndef SVC_NODE_EXECUTABLE  // uv_slots.cpp

namespace svc::jsruntime {
namespace {

/// Names are asked for in the synchronous form, which counts a request of its loop for a moment: not of a loop that
/// another thread turns.
uv_loop_t* loopOfNobody() {
  thread_local uv_loop_t loop{};
  return &loop;
}

class AddressJob final : public BlockingWork::Job {
 public:
  using Call = decltype(&uv_getaddrinfo);
  AddressJob(Call call, uv_loop_t* loop, uv_getaddrinfo_t* request, uv_getaddrinfo_cb callback,
             const char* node, const char* service, const addrinfo* hints)
      : call_(call),
        loop_(loop),
        request_(request),
        callback_(callback),
        node_(node),
        service_(service) {
    if (hints != nullptr) {
      hints_ = *hints;
    }
  }

  void work() override {
    status_ = call_(loopOfNobody(), request_, nullptr, node_.get(), service_.get(),
                    hints_ ? &*hints_ : nullptr);
  }
  void tell(bool cancelled) override {
    request_->loop = loop_;
    callback_(request_, cancelled ? UV_EAI_CANCELED : status_,
              cancelled || status_ != 0 ? nullptr : request_->addrinfo);
  }

 private:
  const Call call_;
  uv_loop_t* const loop_;
  uv_getaddrinfo_t* const request_;
  const uv_getaddrinfo_cb callback_;
  const KeptArgument<const char*> node_;
  const KeptArgument<const char*> service_;
  std::optional<addrinfo> hints_;
  int status_ = 0;
};

class NameJob final : public BlockingWork::Job {
 public:
  using Call = decltype(&uv_getnameinfo);
  NameJob(Call call, uv_loop_t* loop, uv_getnameinfo_t* request, uv_getnameinfo_cb callback,
          const sockaddr* address, int flags)
      : call_(call), loop_(loop), request_(request), callback_(callback), flags_(flags) {
    std::memcpy(&address_, address,
                address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
  }

  void work() override {
    status_ = call_(loopOfNobody(), request_, nullptr, reinterpret_cast<const sockaddr*>(&address_),
                    flags_);
  }
  void tell(bool cancelled) override {
    request_->loop = loop_;
    const bool failed = cancelled || status_ != 0;
    callback_(request_, cancelled ? UV_EAI_CANCELED : status_, failed ? nullptr : request_->host,
              failed ? nullptr : request_->service);
  }

 private:
  const Call call_;
  uv_loop_t* const loop_;
  uv_getnameinfo_t* const request_;
  const uv_getnameinfo_cb callback_;
  sockaddr_storage address_{};
  const int flags_;
  int status_ = 0;
};

}  // namespace
}  // namespace svc::jsruntime

using svc::jsruntime::BlockingThreads;
using svc::jsruntime::BlockingWork;

extern "C" {

SVC_EXPORTED int uv_getaddrinfo(uv_loop_t* loop, uv_getaddrinfo_t* request,
                                uv_getaddrinfo_cb callback, const char* node, const char* service,
                                const addrinfo* hints) {
  SVC_LIBUVS(uv_getaddrinfo);
  auto* work = callback == nullptr ? nullptr : BlockingWork::current();
  if (work != nullptr && request != nullptr) {
    request->type = UV_GETADDRINFO;
    request->loop = loop;
    std::unique_ptr<BlockingWork::Job> job = std::make_unique<svc::jsruntime::AddressJob>(
        call, loop, request, callback, node, service, hints);
    const auto taken = work->begin(job, request, true);
    if (taken != BlockingThreads::Taken::kNoThread) {
      return taken == BlockingThreads::Taken::kYes ? 0 : UV_EAGAIN;
    }
  }
  return call(loop, request, callback, node, service, hints);
}

SVC_EXPORTED int uv_getnameinfo(uv_loop_t* loop, uv_getnameinfo_t* request,
                                uv_getnameinfo_cb callback, const sockaddr* address, int flags) {
  SVC_LIBUVS(uv_getnameinfo);
  auto* work = callback == nullptr ? nullptr : BlockingWork::current();
  if (work != nullptr && request != nullptr && address != nullptr) {
    request->type = UV_GETNAMEINFO;
    request->loop = loop;
    std::unique_ptr<BlockingWork::Job> job =
        std::make_unique<svc::jsruntime::NameJob>(call, loop, request, callback, address, flags);
    const auto taken = work->begin(job, request, true);
    if (taken != BlockingThreads::Taken::kNoThread) {
      return taken == BlockingThreads::Taken::kYes ? 0 : UV_EAGAIN;
    }
  }
  return call(loop, request, callback, address, flags);
}

}  // extern "C"

#endif
