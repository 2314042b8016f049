#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "svc/base/environment.h"
#include "svc/kernel/completion.h"

#include "leftovers.h"
#include "long_jobs.h"

namespace svc::worktrees {

/// Repositories that are fetched into new folders. Thread-safe.
class Clones {
 public:
  Clones(LongJobs& jobs, Leftovers& leftovers) : jobs_(jobs), leftovers_(leftovers) {}

  struct Wanted {
    std::string id;
    std::string url;
    std::string path;  ///< absolute
    /// Called where it may block.
    std::function<base::Environment()> environment;
  };

  /// Answers { path } when all is there; on a thread of its own, or at once. What has failed leaves no folder. Errors: `invalid_input`
  /// (address, path), `conflict` (the folder is there, the repository cannot be read), `aborted` (cancelled), `timeout`, `overloaded`,
  /// `unavailable`. What a daemon that is killed has begun is ended by the next one, and its folder goes.
  void begin(Wanted wanted, Completion<std::string> done);
  /// { running, progress }: the last line that git has said of it
  [[nodiscard]] std::string state(const std::string& id) const;
  bool cancel(const std::string& id);

 private:
  struct Progress {
    mutable std::mutex mutex;
    std::map<std::string, std::string> lines;
  };

  LongJobs& jobs_;
  Leftovers& leftovers_;
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
};

/// Success for an address that git is allowed to fetch: https, http, ssh, git, file, a path or host:path.
[[nodiscard]] Status checkRemoteUrl(const std::string& url);

}  // namespace svc::worktrees
