#include "artifact_cache.h"

#include <optional>
#include <utility>

#include <Poco/UUIDGenerator.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

#include "artifact_files.h"

namespace svc::hostworkers {
namespace {

namespace fs = std::filesystem;

std::string stagedName() {
  return fmt::format(".staged-{}.tmp",
                     Poco::UUIDGenerator::defaultGenerator().createRandom().toString());
}

/// What is wrong with a download; nothing when it is what was announced.
std::optional<Error> problemOf(const Artifact& artifact, const Result<serverlink::Download>& got) {
  if (!got && got.error().code != errc::kTooLarge) {
    return Error{errc::kArtifactUnavailable,
                 fmt::format("the host entry of \"{}\" cannot be fetched: {}", artifact.plugin_id,
                             got.error().message)};
  }
  std::string difference;
  if (!got) {
    difference = fmt::format("more than {} bytes came", artifact.bytes);
  } else if (got.value().bytes != artifact.bytes) {
    difference = fmt::format("{} bytes came instead of {}", got.value().bytes, artifact.bytes);
  } else if (got.value().sha256 != artifact.digest) {
    difference = fmt::format("its sha256 is {} instead of {}", got.value().sha256, artifact.digest);
  } else {
    return std::nullopt;
  }
  return Error{errc::kArtifactMismatch,
               fmt::format("the host entry of \"{}\" is not what the server announced: {}",
                           artifact.plugin_id, difference)};
}

}  // namespace

fs::path ArtifactCache::fileOf(const Artifact& artifact) const {
  return root_ / artifact.plugin_id / artifact.digest / "host.mjs";
}

template <class Job, class Then>
void ArtifactCache::background(Job job, Then then) {
  const bool taken = context_.pool.submit(
      [job = std::move(job), then, weak = weak_from_this(), &main = context_.main] {
        main.post([weak, then, answer = job()]() mutable {
          if (const auto self = weak.lock()) {
            then(*self, std::move(answer));
          }
        });
      });
  if (!taken) {
    context_.main.post([weak = weak_from_this(), then = std::move(then)] {
      if (const auto self = weak.lock()) {
        then(*self, Error{errc::kArtifactUnavailable, "the daemon is too busy to read files"});
      }
    });
  }
}

void ArtifactCache::acquire(const Artifact& artifact, Completion<fs::path> done) {
  auto& waiting = wanted_[artifact];
  waiting.push_back(std::move(done));
  if (waiting.size() == 1) {
    look(artifact);
  }
}

void ArtifactCache::look(const Artifact& artifact) {
  const auto file = fileOf(artifact);
  const auto now = context_.clock.nowMs();
  background(
      [file, artifact, now]() -> Result<CachedFile> {
        const auto found = checkCached(file, artifact, now);
        if (found != CachedFile::kGood) {
          if (auto prepared = prepareDirectory(file.parent_path()); !prepared) {
            return prepared.error();
          }
        }
        return found;
      },
      [artifact](ArtifactCache& self, Result<CachedFile> found) {
        if (!found) {
          self.settle(artifact, found.error());
          return;
        }
        if (found.value() == CachedFile::kGood) {
          self.settle(artifact, {});
          return;
        }
        if (found.value() == CachedFile::kDamaged) {
          self.context_.log->warn("{}: the cached host entry {} is damaged; it is fetched again",
                                  artifact.plugin_id, artifact.digest);
        }
        self.download(artifact, 1);
      });
}

void ArtifactCache::download(const Artifact& artifact, std::size_t attempt) {
  const auto staged = fileOf(artifact).parent_path() / stagedName();
  context_.link.download(
      fmt::format("/internal/plugins/{}/host/{}", artifact.plugin_id, artifact.digest), staged,
      artifact.bytes,
      [weak = weak_from_this(), artifact, attempt,
       staged](const Result<serverlink::Download>& result) {
        if (const auto self = weak.lock()) {
          self->received(artifact, attempt, staged, result);
        }
      });
}

void ArtifactCache::received(const Artifact& artifact, std::size_t attempt, const fs::path& staged,
                             const Result<serverlink::Download>& result) {
  auto problem = problemOf(artifact, result);
  if (!problem) {
    background(
        [staged, file = fileOf(artifact), root = root_, now = context_.clock.nowMs()]() -> Status {
          auto installed = install(staged, file, now);
          pruneArtifacts(root, file.parent_path(), now);
          return installed;
        },
        [artifact](ArtifactCache& self, const Status& installed) {
          self.settle(artifact, installed);
        });
    return;
  }
  const bool pointless = !result && result.error().code != errc::kTooLarge &&
                         result.error().code != errc::kUnavailable;
  background(
      [staged]() -> Status {
        std::error_code ignored;
        fs::remove(staged, ignored);
        return {};
      },
      [artifact, attempt, pointless, error = *problem](ArtifactCache& self, const Status&) {
        if (!pointless && attempt < limits::kArtifactTries) {
          self.download(artifact, attempt + 1);
          return;
        }
        self.context_.log->warn("{}", error.message);
        self.settle(artifact, error);
      });
}

void ArtifactCache::settle(const Artifact& artifact, const Status& outcome) {
  const auto file = fileOf(artifact);
  auto waiting = wanted_.extract(artifact);
  for (auto& done : waiting.mapped()) {
    outcome ? done(file) : done(outcome.error());
  }
}

void ArtifactCache::remove(const std::string& plugin_id) {
  (void)context_.pool.submit([directory = root_ / plugin_id] {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  });
}

void ArtifactCache::keepOnly(std::set<std::string> plugin_ids) {
  (void)context_.pool.submit(
      [root = root_, plugin_ids = std::move(plugin_ids), now = context_.clock.nowMs()] {
        removeOthers(root, plugin_ids);
        pruneArtifacts(root, {}, now);
      });
}

}  // namespace svc::hostworkers
