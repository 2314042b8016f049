#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "svc/base/result.h"

namespace svc::base {

/// The marks (kProcessMark) of what runs now, each a file of a directory, by which the next process of this kind ends what this one leaves
/// behind when it is killed. Thread-safe; blocks.
class ProcessMarks {
 public:
  explicit ProcessMarks(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// A new one, for the environment of what is started with it. `unavailable`.
  [[nodiscard]] Result<std::string> add() const;
  /// What was started with it is nobody's business any more.
  void remove(const std::string& mark) const;
  /// Kills what runs with the marks that are there, and removes them: before anything is added.
  void endLeftovers() const;

 private:
  const std::filesystem::path directory_;
};

}  // namespace svc::base
