#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/base/login_path.h"
#include "svc/base/path_bounds.h"
#include "svc/common/body_reader.h"
#include "svc/kernel/executor.h"
#include "svc/serverlink/server_link.h"

#include "clones.h"
#include "git.h"

namespace svc::worktrees {

/// Folders in which something is being changed: one at a time in each. Thread-safe.
class BusyFolders {
 public:
  /// `conflict` when it is busy. The handle must not outlive this.
  [[nodiscard]] Result<Handle> take(const std::filesystem::path& folder);

 private:
  std::mutex mutex_;
  std::set<std::string> busy_;
};

/// Answers the commands about repositories. Main thread; the work is done on bulk workers, clones on threads of their own. Whoever has it
/// lets go of it after the workers' jobs have ended.
class GitCommands {
 public:
  /// Folders outside of `bounds` are `forbidden`.
  GitCommands(IBulkWorkers& workers, LongJobs& jobs, Leftovers& leftovers,
              const base::Environment& own, base::PathBounds bounds)
      : workers_(workers),
        own_(own),
        bounds_(std::move(bounds)),
        login_path_(own),
        clones_(jobs, leftovers) {}

  void attach(serverlink::IServerLink& link);

  /// Asks the login shell when nothing has before. Blocks; any thread but main.
  [[nodiscard]] base::Environment environment();
  /// Whether the folder may be reached.
  [[nodiscard]] Status check(const std::filesystem::path& folder) const;
  [[nodiscard]] BusyFolders& busy() { return busy_; }

 private:
  using Work =
      std::function<Result<std::string>(common::BodyReader& command, const std::stop_token& stop)>;
  void on(serverlink::IServerLink& link, std::string_view type, Work work);
  void attachReads(serverlink::IServerLink& link);
  void attachWrites(serverlink::IServerLink& link);
  void attachClones(serverlink::IServerLink& link);
  [[nodiscard]] static std::filesystem::path localPath(const std::string& url);
  [[nodiscard]] Result<Git> open(common::BodyReader& command, const std::stop_token& stop);

  IBulkWorkers& workers_;
  const base::Environment own_;
  const base::PathBounds bounds_;
  base::LoginPath login_path_;
  Clones clones_;
  BusyFolders busy_;
  std::vector<Handle> registrations_;
};

}  // namespace svc::worktrees
