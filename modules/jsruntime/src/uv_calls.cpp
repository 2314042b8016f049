// libuv has one pool of threads per process, in which one script's blocked calls stop those of all others. Node calls libuv
// through its dynamic symbols, and this library comes before libuv where the loader looks for them: what a script thread would
// give to that pool is done by BlockingWork instead, each call in its synchronous form. Everything else goes on to libuv.
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <uv.h>

#include "blocking_work.h"
#include "node_sources.h"
#include "uv_call.h"

#ifndef SVC_NODE_EXECUTABLE  // uv_slots.cpp

namespace svc::jsruntime {

namespace {

using Taken = BlockingThreads::Taken;

void clearRequest(uv_fs_t* request, uv_loop_t* loop, uv_fs_cb callback) {
  request->type = UV_FS;
  request->fs_type = UV_FS_UNKNOWN;
  request->loop = loop;
  request->cb = callback;
  request->result = 0;
  request->ptr = nullptr;
  request->path = nullptr;
  request->new_path = nullptr;
  request->bufs = nullptr;
}

template <class Call, class... Arguments>
class FileJob final : public BlockingWork::Job {
 public:
  FileJob(Call call, uv_loop_t* loop, uv_fs_t* request, uv_fs_cb callback, Arguments... arguments)
      : call_(call),
        loop_(loop),
        request_(request),
        callback_(callback),
        arguments_(std::move(arguments)...) {}

  void work() override {
    const int result = std::apply(
        [this](const auto&... kept) { return call_(loop_, request_, kept.get()..., nullptr); },
        arguments_);
    if (result < 0 && request_->result == 0) {
      request_->result = result;  // arguments that it does not take
    }
  }
  /// The arguments stay until the callback has looked at them.
  void tell(bool cancelled) override {
    request_->loop = loop_;
    if (cancelled) {
      request_->result = UV_ECANCELED;
    }
    callback_(request_);
  }

 private:
  const Call call_;
  uv_loop_t* const loop_;
  uv_fs_t* const request_;
  const uv_fs_cb callback_;
  const std::tuple<KeptArgument<Arguments>...> arguments_;
};

/// The file call `call` on the threads of this environment; by libuv when it is synchronous, or of nobody's.
template <class Call, class... Arguments>
int fileCall(Call call, uv_loop_t* loop, uv_fs_t* request, uv_fs_cb callback,
             Arguments... arguments) {
  auto* work = callback == nullptr ? nullptr : BlockingWork::current();
  if (work == nullptr || request == nullptr) {
    return call(loop, request, std::move(arguments)..., callback);
  }
  clearRequest(request, loop, callback);
  std::unique_ptr<BlockingWork::Job> job =
      std::make_unique<FileJob<Call, Arguments...>>(call, loop, request, callback, arguments...);
  switch (work->begin(job, request, true)) {
    case Taken::kYes:
      return 0;
    case Taken::kFull:
      return UV_EAGAIN;
    case Taken::kNoThread:
      break;
  }
  return call(loop, request, std::move(arguments)..., callback);
}

class ComputingJob final : public BlockingWork::Job {
 public:
  ComputingJob(uv_loop_t* loop, uv_work_t* request, uv_work_cb compute, uv_after_work_cb after)
      : request_(request), compute_(compute), after_(after) {
    request->type = UV_WORK;
    request->loop = loop;
  }
  void work() override { compute_(request_); }
  void tell(bool cancelled) override {
    if (after_ != nullptr) {
      after_(request_, cancelled ? UV_ECANCELED : 0);
    }
  }

 private:
  uv_work_t* const request_;
  const uv_work_cb compute_;
  const uv_after_work_cb after_;
};

}  // namespace

}  // namespace svc::jsruntime

using svc::jsruntime::BlockingThreads;
using svc::jsruntime::BlockingWork;
using svc::jsruntime::fileCall;

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses): the same for thirty functions of C
#define SVC_FILE_CALL_1(name, A)                                                     \
  SVC_EXPORTED int name(uv_loop_t* loop, uv_fs_t* request, A a, uv_fs_cb callback) { \
    SVC_LIBUVS(name);                                                                \
    return fileCall(call, loop, request, callback, a);                               \
  }
#define SVC_FILE_CALL_2(name, A, B)                                                       \
  SVC_EXPORTED int name(uv_loop_t* loop, uv_fs_t* request, A a, B b, uv_fs_cb callback) { \
    SVC_LIBUVS(name);                                                                     \
    return fileCall(call, loop, request, callback, a, b);                                 \
  }
#define SVC_FILE_CALL_3(name, A, B, C)                                                         \
  SVC_EXPORTED int name(uv_loop_t* loop, uv_fs_t* request, A a, B b, C c, uv_fs_cb callback) { \
    SVC_LIBUVS(name);                                                                          \
    return fileCall(call, loop, request, callback, a, b, c);                                   \
  }
#define SVC_BUFFERS_CALL(name)                                                                     \
  SVC_EXPORTED int name(uv_loop_t* loop, uv_fs_t* request, uv_file file, const uv_buf_t buffers[], \
                        unsigned count, int64_t offset, uv_fs_cb callback) {                       \
    SVC_LIBUVS(name);                                                                              \
    const auto with_list = [](uv_loop_t* of, uv_fs_t* to, uv_file with,                            \
                              const svc::jsruntime::BufferList& all, int64_t from,                 \
                              uv_fs_cb then) {                                                     \
      return call(of, to, with, all.list.data(), static_cast<unsigned>(all.list.size()), from,     \
                  then);                                                                           \
    };                                                                                             \
    if (callback == nullptr || buffers == nullptr) {                                               \
      return call(loop, request, file, buffers, count, offset, callback);                          \
    }                                                                                              \
    return fileCall(with_list, loop, request, callback, file,                                      \
                    svc::jsruntime::BufferList{{buffers, buffers + count}}, offset);               \
  }

extern "C" {

SVC_FILE_CALL_1(uv_fs_close, uv_file)
SVC_FILE_CALL_1(uv_fs_closedir, uv_dir_t*)
SVC_FILE_CALL_1(uv_fs_fdatasync, uv_file)
SVC_FILE_CALL_1(uv_fs_fstat, uv_file)
SVC_FILE_CALL_1(uv_fs_fsync, uv_file)
SVC_FILE_CALL_1(uv_fs_lstat, const char*)
SVC_FILE_CALL_1(uv_fs_mkdtemp, const char*)
SVC_FILE_CALL_1(uv_fs_mkstemp, const char*)
SVC_FILE_CALL_1(uv_fs_opendir, const char*)
SVC_FILE_CALL_1(uv_fs_readdir, uv_dir_t*)
SVC_FILE_CALL_1(uv_fs_readlink, const char*)
SVC_FILE_CALL_1(uv_fs_realpath, const char*)
SVC_FILE_CALL_1(uv_fs_rmdir, const char*)
SVC_FILE_CALL_1(uv_fs_stat, const char*)
SVC_FILE_CALL_1(uv_fs_statfs, const char*)
SVC_FILE_CALL_1(uv_fs_unlink, const char*)
SVC_FILE_CALL_2(uv_fs_access, const char*, int)
SVC_FILE_CALL_2(uv_fs_chmod, const char*, int)
SVC_FILE_CALL_2(uv_fs_fchmod, uv_file, int)
SVC_FILE_CALL_2(uv_fs_ftruncate, uv_file, int64_t)
SVC_FILE_CALL_2(uv_fs_link, const char*, const char*)
SVC_FILE_CALL_2(uv_fs_mkdir, const char*, int)
SVC_FILE_CALL_2(uv_fs_rename, const char*, const char*)
SVC_FILE_CALL_2(uv_fs_scandir, const char*, int)
SVC_FILE_CALL_3(uv_fs_chown, const char*, uv_uid_t, uv_gid_t)
SVC_FILE_CALL_3(uv_fs_copyfile, const char*, const char*, int)
SVC_FILE_CALL_3(uv_fs_fchown, uv_file, uv_uid_t, uv_gid_t)
SVC_FILE_CALL_3(uv_fs_futime, uv_file, double, double)
SVC_FILE_CALL_3(uv_fs_lchown, const char*, uv_uid_t, uv_gid_t)
SVC_FILE_CALL_3(uv_fs_lutime, const char*, double, double)
SVC_FILE_CALL_3(uv_fs_symlink, const char*, const char*, int)
SVC_FILE_CALL_3(uv_fs_utime, const char*, double, double)
SVC_EXPORTED int uv_fs_open(uv_loop_t* loop, uv_fs_t* request, const char* path, int flags,
                            int mode, uv_fs_cb callback) {
  SVC_LIBUVS(uv_fs_open);
  const auto own = svc::jsruntime::NodeSources::ofThisProgram().insteadOf(path);
  return fileCall(call, loop, request, callback, own.empty() ? path : own.c_str(), flags, mode);
}

SVC_BUFFERS_CALL(uv_fs_read)
SVC_BUFFERS_CALL(uv_fs_write)

SVC_EXPORTED int uv_queue_work(uv_loop_t* loop, uv_work_t* request, uv_work_cb compute,
                               uv_after_work_cb after) {
  SVC_LIBUVS(uv_queue_work);
  auto* work = BlockingWork::current();
  if (work != nullptr && request != nullptr && compute != nullptr) {
    std::unique_ptr<BlockingWork::Job> job =
        std::make_unique<svc::jsruntime::ComputingJob>(loop, request, compute, after);
    // Node aborts the process when this fails. Of an environment that is full and told to end libuv takes the rest.
    if (work->begin(job, request, false) == BlockingThreads::Taken::kYes) {
      return 0;
    }
  }
  return call(loop, request, compute, after);
}

SVC_EXPORTED int uv_cancel(uv_req_t* request) {
  SVC_LIBUVS(uv_cancel);
  auto* work = BlockingWork::current();
  bool withdrawn = false;
  if (work != nullptr && work->cancel(request, withdrawn)) {
    return withdrawn ? 0 : UV_EBUSY;
  }
  return call(request);
}

}  // extern "C"

#undef SVC_BUFFERS_CALL
#undef SVC_FILE_CALL_3
#undef SVC_FILE_CALL_2
#undef SVC_FILE_CALL_1
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

#endif
