#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "svc/base/process_marks.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

/// What this daemon runs and makes that the next one ends and takes away when this one is killed: scripts, clones and the folders of clones
/// that are not whole. Thread-safe; blocks.
class Leftovers {
 public:
  /// `data` is the daemon's directory.
  explicit Leftovers(const std::filesystem::path& data);

  /// The first call ends what a killed daemon has left, whoever calls meanwhile waits for it: before anything is marked.
  void end();
  [[nodiscard]] const base::ProcessMarks& marks() const { return marks_; }

  /// The folder was made by what runs with this mark, and is nobody's until it is whole. `unavailable`.
  [[nodiscard]] Status noteFolder(const std::string& mark,
                                  const std::filesystem::path& folder) const;
  /// It is whole, or gone.
  void forgetFolder(const std::string& mark) const;

 private:
  void removeFolders() const;

  const base::ProcessMarks marks_;
  const std::filesystem::path notes_;
  std::once_flag ended_;
};

}  // namespace svc::worktrees
