#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/body_reader.h"
#include "svc/serverlink/server_link.h"

#include "git_commands.h"
#include "leftovers.h"
#include "long_jobs.h"
#include "places.h"

namespace svc::worktrees {

/// Answers the commands about environments. Main thread; each is done on a thread of its own, since scripts of people run in it. It goes
/// after the jobs have ended.
class PlaceCommands {
 public:
  /// Folders are made below `directory`; the programs in `bin` are on the PATH of scripts, which run when `runs_scripts`.
  PlaceCommands(LongJobs& jobs, GitCommands& git, Leftovers& leftovers,
                std::filesystem::path directory, std::filesystem::path bin, bool runs_scripts)
      : jobs_(jobs),
        git_(git),
        leftovers_(leftovers),
        directory_(std::move(directory)),
        bin_(std::move(bin)),
        runs_scripts_(runs_scripts) {}

  void attach(serverlink::IServerLink& link);

 private:
  using Work = Result<common::Json> (*)(const Places& places, const PlaceWish& wish,
                                        const base::Environment& variables);
  void on(serverlink::IServerLink& link, std::string_view type, Work work);
  using Answer = std::shared_ptr<Completion<std::string>>;
  /// What is being done, and for what environment.
  using Errand = std::pair<std::string, std::string>;
  /// False when it is being done already: then its end is the answer. A server that was started again asks for what the one before had
  /// asked for.
  [[nodiscard]] bool isFirst(const Errand& errand, const Answer& answer);
  void finish(const Errand& errand, const Result<std::string>& result);
  /// What the server says to scripts.
  [[nodiscard]] base::Environment variables(const serverlink::IServerLink& link,
                                            const common::Json& command) const;
  /// On a thread of its own.
  [[nodiscard]] Result<std::string> perform(Work work, const PlaceWish& wish,
                                            base::Environment variables,
                                            const std::stop_token& stop) const;

  LongJobs& jobs_;
  GitCommands& git_;
  Leftovers& leftovers_;
  const std::filesystem::path directory_;
  const std::filesystem::path bin_;
  const bool runs_scripts_;
  std::mutex mutex_;
  std::map<Errand, std::vector<Answer>> errands_;
  std::vector<Handle> registrations_;
};

}  // namespace svc::worktrees
