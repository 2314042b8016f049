#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::skills {

/// Keeps one file equal to the newest text: written beside it and renamed, deleted with its folder when the text is
/// empty. Lives on the main thread; the disk work runs on a worker, one write at a time.
class SkillWriter : public std::enable_shared_from_this<SkillWriter> {
 public:
  struct Listeners {
    std::function<void(const Error& error)> failed;
    /// The file is another one.
    std::function<void()> written;
  };

  SkillWriter(std::filesystem::path file, IMainExecutor& main, IWorkerPool& workers,
              Listeners listeners)
      : file_(std::move(file)), main_(main), workers_(workers), listeners_(std::move(listeners)) {}

  void update(std::string text);

 private:
  void write();
  void written(const std::string& text, const Status& status);

  const std::filesystem::path file_;
  IMainExecutor& main_;
  IWorkerPool& workers_;
  const Listeners listeners_;
  std::optional<std::string> wanted_;  // newest text
  std::optional<std::string> stored_;  // what the file holds, when known
  bool writing_ = false;
};

}  // namespace svc::skills
