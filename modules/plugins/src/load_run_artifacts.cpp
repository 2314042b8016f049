#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/kernel/async.h"

#include "load_run.h"

namespace svc::plugins {
namespace {

/// An artifact step builds at most two bundles and may wait for a builder before that.
constexpr std::chrono::milliseconds kArtifactStep = 3 * limits::kBuild;

}  // namespace

void LoadRun::prepareArtifacts(Completion<void> done) {
  artifact_steps_ = with_.api.artifactSteps();
  dev_problems_before_ = plugin_->dev_problems;
  runArtifactStep(0, std::move(done));
}

ArtifactRequest LoadRun::artifactRequest() const {
  const auto& row = plugin_->row;
  return {.load_id = load_id_,
          .plugin_id = row.id,
          .version = manifest_.version,
          .root_dir = row.root_dir,
          .source_kind = row.source_kind,
          .digests = row.digests,
          .server_entry = manifest_.server,
          .app_entry = manifest_.app,
          .host_entry = manifest_.host};
}

void LoadRun::runArtifactStep(std::size_t index, Completion<void> done) {
  if (index == artifact_steps_.size() || !cancelled_.empty()) {
    done({});
    return;
  }
  using Problems = std::vector<DevProblem>;
  Completion<Problems> answered = [self = shared_from_this(), index,
                                   done = std::move(done)](Result<Problems> problems) mutable {
    if (!problems) {
      done(std::move(problems).error());
      return;
    }
    std::ranges::move(problems.value(), std::back_inserter(self->build_problems_));
    self->runArtifactStep(index + 1, std::move(done));
  };
  Error late{errc::kTimeout,
             fmt::format("the bundles were not ready within {} s (three times limit build)",
                         std::chrono::duration_cast<std::chrono::seconds>(kArtifactStep).count())};
  (*artifact_steps_.at(index))(
      artifactRequest(), deliverOn(with_.main, limited(with_.main, kArtifactStep, std::move(late),
                                                       std::move(answered))));
}

}  // namespace svc::plugins
