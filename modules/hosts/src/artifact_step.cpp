#include "artifact_step.h"

#include <utility>

#include "svc/common/codes.h"

namespace svc::hosts {

using Problems = std::vector<plugins::DevProblem>;

void ArtifactStep::run(const plugins::ArtifactRequest& request, Completion<Problems> done) {
  main_thread_.check();
  ready_.erase(request.plugin_id);
  if (request.host_entry.empty()) {
    done(Problems{});
    return;
  }
  auto held = std::make_shared<Completion<Problems>>(std::move(done));
  const bool taken =
      workers_.submit([weak = weak_from_this(), &main = main_, held, root = request.root_dir,
                       id = request.plugin_id, load_id = request.load_id] {
        auto read = std::make_shared<Result<HostArtifactPtr>>(readHostArtifact(root, id));
        main.post([weak, held, read, id, load_id] {
          if (!*read) {
            (*held)(read->error());
            return;
          }
          if (const auto self = weak.lock()) {
            self->ready_[id] = {load_id, std::move(*read).value()};
          }
          (*held)(Problems{});
        });
      });
  if (!taken) {
    (*held)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

HostArtifactPtr ArtifactStep::take(const plugins::IGeneration& generation) {
  main_thread_.check();
  const auto found = ready_.find(generation.pluginId());
  if (found == ready_.end() || found->second.load_id != generation.loadId()) {
    return nullptr;
  }
  auto artifact = std::move(found->second.artifact);
  ready_.erase(found);
  return artifact;
}

void ArtifactStep::keepOnly(const std::set<std::string>& plugin_ids) {
  main_thread_.check();
  std::erase_if(ready_,
                [&plugin_ids](const auto& entry) { return !plugin_ids.contains(entry.first); });
}

}  // namespace svc::hosts
