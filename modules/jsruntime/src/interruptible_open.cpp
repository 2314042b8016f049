#include "interruptible_open.h"

#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <utility>

#include <uv.h>

#include "blocking_work.h"

namespace svc::jsruntime {

namespace {

using Taken = BlockingThreads::Taken;

/// A FIFO that nobody writes makes open() wait. libuv begins anew when a signal comes.
class OpenJob final : public BlockingWork::Job {
 public:
  OpenJob(BlockingWork& work, std::string path, int flags, int mode,
          std::function<void(long result)> opened)
      : owner_(work),
        path_(std::move(path)),
        flags_(flags),
        mode_(mode),
        opened_(std::move(opened)) {}
  void work() override {
    do {
      const int descriptor = ::open(path_.c_str(), flags_ | O_CLOEXEC, mode_);
      result_ = descriptor;
      if (descriptor < 0) {
        result_ = uv_translate_sys_error(errno);
      }
    } while (result_ == UV_EINTR && !owner_.ending());
  }
  void tell(bool cancelled) override {
    opened_(cancelled ? static_cast<long>(UV_ECANCELED) : result_);
  }

 private:
  const BlockingWork& owner_;  // waits for its jobs
  const std::string path_;
  const int flags_;
  const int mode_;
  const std::function<void(long result)> opened_;
  long result_ = 0;
};

}  // namespace

int openInterruptibly(std::string path, int flags, int mode,
                      std::function<void(long result)> opened) {
  auto* work = BlockingWork::current();
  if (work == nullptr) {
    return UV_EMFILE;  // there was no descriptor for its answers
  }
  std::unique_ptr<BlockingWork::Job> job =
      std::make_unique<OpenJob>(*work, std::move(path), flags, mode, std::move(opened));
  const auto* request = job.get();
  return work->begin(job, request, true) == Taken::kYes ? 0 : UV_EAGAIN;
}

}  // namespace svc::jsruntime
