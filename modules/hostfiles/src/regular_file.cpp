#include "regular_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"

namespace svc::hostfiles {
namespace {

const char* kindOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    default:
      return "no regular file";
  }
}

Error tooLarge(const Object& object, std::uint64_t size) {
  return {errc::kTooLarge, fmt::format("{} has {} bytes (limit fileWrite: {})",
                                       object.path.string(), size, limits::kFileWrite)};
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  // It takes at most 4 GiB at a time.
  engine.update(bytes.data(), static_cast<unsigned>(bytes.size()));
  return Poco::DigestEngine::digestToHex(engine.digest());
}

std::int64_t modifiedMs(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

bool isMadeUp(int handle) {
  constexpr std::array<decltype(statfs::f_type), 7> kMadeUp{
      PROC_SUPER_MAGIC, SYSFS_MAGIC,         TRACEFS_MAGIC, DEBUGFS_MAGIC,
      SECURITYFS_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC};
  struct statfs system {};
  return ::fstatfs(handle, &system) == 0 &&
         std::find(kMadeUp.begin(), kMadeUp.end(), system.f_type) != kMadeUp.end();
}

Result<struct stat> regularFile(const Object& object) {
  struct stat status {};
  if (::fstat(object.handle.get(), &status) != 0) {
    return pathFailure("read", object.path.string(), errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{errc::kInvalidInput,
                 fmt::format("{} is {}", object.path.string(), kindOf(status.st_mode))};
  }
  if (isMadeUp(object.handle.get())) {
    return Error{errc::kInvalidInput, fmt::format("{} is no file of a disk", object.path.string())};
  }
  return status;
}

Result<base::Fd> openForReading(const Object& object) {
  base::Fd file(::open(fmt::format("/proc/self/fd/{}", object.handle.get()).c_str(),
                       O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return file ? Result<base::Fd>(std::move(file))
              : pathFailure("read", object.path.string(), errno);
}

Result<std::string> contentOf(const Object& object, const struct stat& status) {
  if (static_cast<std::uint64_t>(status.st_size) > limits::kFileWrite) {
    return tooLarge(object, static_cast<std::uint64_t>(status.st_size));
  }
  auto file = openForReading(object);
  if (!file) {
    return std::move(file).error();
  }
  auto bytes = base::readAll(file.value().get(), limits::kFileWrite);
  if (!bytes) {
    return bytes.error().code == errc::kTooLarge
               ? tooLarge(object, limits::kFileWrite + 1)
               : Error{bytes.error().code, fmt::format("cannot read {}: {}", object.path.string(),
                                                       bytes.error().message)};
  }
  return bytes;
}

Result<Asked> askedOf(const Bounds& bounds, common::BodyReader& reader) {
  auto path = reader.requiredString("path");
  const auto root = reader.optionalString("rootPath");
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  auto reach = Reach::of(bounds, root);
  if (!reach) {
    return std::move(reach).error();
  }
  return Asked{std::move(reach).value(), std::move(path)};
}

}  // namespace svc::hostfiles
