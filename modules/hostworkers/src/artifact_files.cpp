#include "artifact_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <vector>

#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/common/limits/hosts.h"

namespace svc::hostworkers {
namespace {

namespace fs = std::filesystem;
using base::Fd;

constexpr std::string_view kStaged = ".staged-";
constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kNsPerMs = 1'000'000;

std::int64_t usedAt(const struct stat& status) {
  return status.st_mtim.tv_sec * kMsPerSecond + status.st_mtim.tv_nsec / kNsPerMs;
}

void noteUse(int fd, std::int64_t now_ms) {
  const timespec now{.tv_sec = now_ms / kMsPerSecond,
                     .tv_nsec = (now_ms % kMsPerSecond) * kNsPerMs};
  const std::array<timespec, 2> times{now, now};
  (void)::futimens(fd, times.data());
}

/// The digest of an open file; empty when it cannot be read.
std::string digestOf(int fd) {
  constexpr std::size_t kChunk = 256UL * 1024;
  Poco::SHA2Engine engine;
  std::vector<char> chunk(kChunk);
  for (;;) {
    const auto count = base::readSome(fd, chunk.data(), chunk.size());
    if (count < 0) {
      return {};
    }
    if (count == 0) {
      return Poco::DigestEngine::digestToHex(engine.digest());
    }
    engine.update(chunk.data(), static_cast<std::size_t>(count));
  }
}

bool isGood(int fd, const Artifact& artifact) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == artifact.bytes &&
         digestOf(fd) == artifact.digest;
}

struct Kept {
  fs::path directory;
  std::int64_t used_at = 0;
  std::uint64_t bytes = 0;
};

/// The newest file of a directory counts, and all of them together.
Kept measure(const fs::path& directory) {
  Kept kept{.directory = directory};
  std::error_code failure;
  for (fs::directory_iterator each(directory, failure), end; !failure && each != end;
       each.increment(failure)) {
    struct stat status {};
    if (::lstat(each->path().c_str(), &status) == 0) {
      kept.used_at = std::max(kept.used_at, usedAt(status));
      kept.bytes += static_cast<std::uint64_t>(status.st_size);
    }
  }
  return kept;
}

void removeStaged(const fs::path& directory, std::int64_t now_ms) {
  std::error_code failure;
  for (fs::directory_iterator each(directory, failure), end; !failure && each != end;
       each.increment(failure)) {
    struct stat status {};
    if (each->path().filename().string().starts_with(kStaged) &&
        ::lstat(each->path().c_str(), &status) == 0 &&
        usedAt(status) + limits::kStageClean.count() < now_ms) {
      ::unlink(each->path().c_str());
    }
  }
}

std::vector<Kept> list(const fs::path& root, std::int64_t now_ms) {
  std::vector<Kept> found;
  std::error_code failure;
  for (fs::directory_iterator plugin(root, failure), end; !failure && plugin != end;
       plugin.increment(failure)) {
    std::error_code not_directory;
    for (fs::directory_iterator each(plugin->path(), not_directory), last;
         !not_directory && each != last; each.increment(not_directory)) {
      removeStaged(each->path(), now_ms);
      found.push_back(measure(each->path()));
    }
  }
  return found;
}

}  // namespace

CachedFile checkCached(const fs::path& file, const Artifact& artifact, std::int64_t now_ms) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (fd.get() < 0 && errno == ENOENT) {
    return CachedFile::kMissing;
  }
  if (fd.get() >= 0 && isGood(fd.get(), artifact)) {
    noteUse(fd.get(), now_ms);
    return CachedFile::kGood;
  }
  std::error_code ignored;
  fs::remove_all(file, ignored);
  return CachedFile::kDamaged;
}

Status prepareDirectory(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  return failure ? Status(Error{
                       errc::kArtifactUnavailable,
                       fmt::format("cannot make {}: {}", directory.string(), failure.message())})
                 : Status();
}

Status install(const fs::path& staged, const fs::path& file, std::int64_t now_ms) {
  if (const Fd fd(::open(staged.c_str(), O_RDONLY | O_CLOEXEC)); fd.get() >= 0) {
    noteUse(fd.get(), now_ms);
  }
  std::error_code failure;
  fs::rename(staged, file, failure);
  if (!failure) {
    return {};
  }
  const auto reason = failure.message();
  fs::remove(staged, failure);
  return Error{errc::kArtifactUnavailable,
               fmt::format("cannot write {}: {}", file.string(), reason)};
}

void pruneArtifacts(const fs::path& root, const fs::path& keep, std::int64_t now_ms) {
  auto found = list(root, now_ms);
  std::sort(found.begin(), found.end(),
            [](const Kept& left, const Kept& right) { return left.used_at < right.used_at; });
  std::uint64_t all = 0;
  for (const auto& each : found) {
    all += each.bytes;
  }
  for (const auto& each : found) {
    const bool old = each.used_at + limits::kArtifactKeep.count() < now_ms;
    if (each.directory != keep && (old || all > limits::kArtifact)) {
      std::error_code ignored;
      fs::remove_all(each.directory, ignored);
      all -= each.bytes;
    }
  }
}

void removeOthers(const fs::path& root, const std::set<std::string>& plugin_ids) {
  std::vector<fs::path> others;
  std::error_code failure;
  for (fs::directory_iterator each(root, failure), end; !failure && each != end;
       each.increment(failure)) {
    if (!plugin_ids.contains(each->path().filename().string())) {
      others.push_back(each->path());
    }
  }
  for (const auto& other : others) {
    fs::remove_all(other, failure);
  }
}

}  // namespace svc::hostworkers
