#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/skills/skills.h"

#include "scan.h"

namespace svc::skills {

/// Keeps the catalogue. Lives on the main thread but for what its interface says; trees are read on the bulk lane, one scan at a time:
/// who asks meanwhile gets the next one.
class SkillShelf final : public ISkills, public std::enable_shared_from_this<SkillShelf> {
 public:
  struct Collaborators {
    IMainExecutor& main;
    IWorkerPool& workers;
    IBulkWorkers& bulk;
  };

  SkillShelf(Collaborators collaborators, std::vector<Root> user_roots);

  [[nodiscard]] CataloguePtr current() const override;
  void read(Place place, Completion<CataloguePtr> done) override;
  void place(const std::string& project_id, const std::string& environment_id,
             Completion<Place> done) override;
  void content(const Skill& skill, std::string path, Completion<std::string> done) override;
  [[nodiscard]] Handle onChanged(std::function<void()> listener) override;
  [[nodiscard]] Handle useProjects(IProjectFolders& folders) override;

  /// The skills of plugins that are on.
  void setPlugins(std::vector<plugins::PluginSkill> plugins);
  /// Something may be another now; nobody waits for it.
  void refresh();
  /// As refresh(), a moment later and once for many.
  void refreshSoon();
  /// The folders of the user and the service.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;
  /// A tree that some catalogue had lately. Any thread.
  struct KnownTree {
    std::filesystem::path directory;
    skillfiles::SkillTree tree;
  };
  [[nodiscard]] std::optional<KnownTree> tree(std::string_view digest) const;

 private:
  using Waiting = std::vector<Completion<CataloguePtr>>;
  using Listeners = std::map<std::uint64_t, std::function<void()>>;

  void start();
  void finished(Result<CataloguePtr> found);
  void readRemote(RemoteProjectPtr project, Completion<CataloguePtr> done);
  void remember(const CataloguePtr& catalogue);
  void scanOn(ScanInput input, Completion<CataloguePtr> done);

  ThreadBound thread_;
  const Collaborators collaborators_;
  const std::vector<Root> user_roots_;
  std::vector<plugins::PluginSkill> plugins_;
  IProjectFolders* folders_ = nullptr;
  Waiting waiting_;  ///< for the next scan
  Waiting asked_;    ///< for the one that runs
  bool scanning_ = false;
  bool wanted_ = false;
  Handle soon_;
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  std::uint64_t last_listener_ = 0;

  mutable std::mutex mutex_;
  CataloguePtr current_;
  std::deque<CataloguePtr> recent_;  ///< of projects, the newest first
};

}  // namespace svc::skills
