#include "lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "svc/base/system_error.h"

namespace svc::kernel {

namespace {

/// Who only asks whether a process holds the lock shares it for a moment; for so long that is waited for.
constexpr auto kAskerBound = std::chrono::seconds(1);
constexpr auto kAskerStep = std::chrono::milliseconds(1);

/// False when another process holds it. A file system without locks has nobody who holds one.
bool takeLock(int descriptor) {
  const auto deadline = std::chrono::steady_clock::now() + kAskerBound;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return true;
    }
    if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0 ||
        std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    ::flock(descriptor, LOCK_UN);
    std::this_thread::sleep_for(kAskerStep);
  }
  return true;
}

}  // namespace

Result<LockFile> LockFile::acquire(const std::filesystem::path& path, const std::string& program) {
  LockFile lock(base::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
                base::Fd(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  const int descriptor = lock.file_.get();
  if (descriptor < 0) {
    return base::systemError("cannot open " + path.string(), errno);
  }
  if (!takeLock(descriptor)) {
    std::array<char, 32> owner{};
    const auto size = ::pread(descriptor, owner.data(), owner.size() - 1, 0);
    std::string pid(owner.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    pid.erase(pid.find_last_not_of(" \n") + 1);
    return Error{errc::kConflict,
                 fmt::format("{} already runs on {} (pid {}); stop it, or choose another "
                             "directory with --data-dir",
                             program, path.parent_path().string(), pid.empty() ? "unknown" : pid)};
  }
  if (lock.directory_ && !takeLock(lock.directory_.get())) {
    return Error{errc::kConflict,
                 fmt::format("{} already runs on {}, and its {} was removed; stop it with `svc "
                             "server stop`, or choose another directory with --data-dir",
                             program, path.parent_path().string(), path.filename().string())};
  }
  const auto text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return base::systemError("cannot write " + path.string(), errno);
  }
  return lock;
}

}  // namespace svc::kernel
