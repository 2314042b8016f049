#include "artifact_step.h"

#include <deque>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "freshness.h"

namespace svc::app {
namespace {

using common::BuildTarget;
using plugins::BundleTarget;
using plugins::DevProblem;

/// Only there are sources that a developer changes; what was installed from elsewhere comes built.
bool isWorkingCopy(const std::string& source_kind) {
  return source_kind.empty() || source_kind == "path" || source_kind == "builtin";
}

}  // namespace

/// One run of step 4. It is on one thread at a time: a worker, then build threads, then main.
struct ArtifactStep::Work {
  plugins::ArtifactRequest request;
  Completion<std::vector<DevProblem>> done;
  AppBundlePtr fallback;  ///< what is served now
  std::deque<BuildTarget> stale;
  std::vector<DevProblem> problems;
  std::function<void(const std::shared_ptr<Work>&)> built;
};

ArtifactStep::ArtifactStep(IMainExecutor& main, IWorkerPool& workers, BuildQueue& queue,
                           BundleShelf& shelf)
    : main_(main), workers_(workers), queue_(queue), shelf_(shelf) {}

void ArtifactStep::run(const plugins::ArtifactRequest& request,
                       Completion<std::vector<DevProblem>> done) {
  pending_.erase(request.plugin_id);
  if (request.app_entry.empty() && request.host_entry.empty()) {
    done(std::vector<DevProblem>{});
    return;
  }
  auto work = std::make_shared<Work>();
  work->request = request;
  work->done = std::move(done);
  work->fallback = shelf_.current(request.plugin_id);
  work->built = [this](const std::shared_ptr<Work>& ready) {
    auto outcome = std::make_shared<Result<Outcome>>(read(*ready));
    main_.post([this, ready, outcome] { finish(ready, std::move(*outcome)); });
  };
  const bool taken = workers_.submit([this, work] {
    const auto& wanted = work->request;
    if (isWorkingCopy(wanted.source_kind)) {
      if (!wanted.app_entry.empty() && needsBuild(wanted.root_dir, "app", wanted.plugin_id)) {
        work->stale.push_back(BuildTarget::kApp);
      }
      if (!wanted.host_entry.empty() && needsBuild(wanted.root_dir, "host", wanted.plugin_id)) {
        work->stale.push_back(BuildTarget::kHost);
      }
    }
    buildNext(queue_, work);
  });
  if (!taken) {
    work->done(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

// Each target by itself: an app that cannot be built does not keep the host bundle old.
void ArtifactStep::buildNext(BuildQueue& queue, const std::shared_ptr<Work>& work) {
  if (work->stale.empty()) {
    work->built(work);
    return;
  }
  const auto target = work->stale.front();
  work->stale.pop_front();
  queue.submit({.root = work->request.root_dir, .targets = {target}, .minify = true},
               [&queue, work, target](const Result<common::BuildReport>& report) {
                 const auto shown =
                     target == BuildTarget::kApp ? BundleTarget::kApp : BundleTarget::kHost;
                 if (!report) {
                   work->problems.push_back({shown, report.error().message});
                 } else if (const auto* failed = report.value().failed()) {
                   work->problems.push_back({shown, common::failureText(*failed)});
                 }
                 buildNext(queue, work);
               });
}

Result<ArtifactStep::Outcome> ArtifactStep::read(Work& work) {
  const auto& request = work.request;
  Outcome out{std::move(work.problems), nullptr};
  if (!request.host_entry.empty()) {
    if (auto status = checkHostArtifact(request.root_dir, request.plugin_id); !status) {
      for (const auto& problem : out.problems) {
        if (problem.target == BundleTarget::kHost) {
          return Error{errc::kLoadFailed,
                       fmt::format("host bundle build failed: {}", problem.message)};
        }
      }
      return Error{errc::kLoadFailed, status.error().message};
    }
  }
  if (!request.app_entry.empty()) {
    auto bundle = readAppBundle(request.root_dir, request.plugin_id);
    if (bundle) {
      out.app = std::move(bundle).value();
    } else {
      out.problems.push_back({BundleTarget::kApp, bundle.error().message});
    }
    if (!out.app && !out.problems.empty()) {
      out.app = work.fallback;
    }
  }
  return out;
}

void ArtifactStep::finish(const std::shared_ptr<Work>& work, Result<Outcome> outcome) {
  if (!outcome) {
    work->done(std::move(outcome).error());
    return;
  }
  pending_[work->request.plugin_id] = {work->request.load_id, std::move(outcome.value().app)};
  work->done(std::move(outcome.value().problems));
}

void ArtifactStep::prepare(const plugins::GenerationPtr& generation) {
  const auto& plugin_id = generation->pluginId();
  const auto found = pending_.find(plugin_id);
  AppBundlePtr bundle;
  if (found != pending_.end() && found->second.load_id == generation->loadId()) {
    bundle = std::move(found->second.app);
    pending_.erase(found);
  }
  if (bundle) {
    generation->setRegistration("app", describe(*bundle, plugin_id));
  }
  shelf_.stage(plugin_id, std::move(bundle));
}

void ArtifactStep::commit(const plugins::GenerationPtr& generation) {
  shelf_.commit(generation->pluginId());
}

}  // namespace svc::app
