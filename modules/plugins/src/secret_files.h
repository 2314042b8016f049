#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/base/files.h"
#include "svc/kernel/result.h"

namespace svc::plugins {

struct SecretChange {
  std::string key;
  std::optional<std::string> value;  ///< nullopt deletes the file
};

/// The secret settings of one plugin: one file each, named by its key, mode 0600 in a directory of mode 0700. Names that
/// begin with a dot are not settings. Everything blocks: call it on a worker.
class SecretFiles {
 public:
  explicit SecretFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] Result<std::map<std::string, std::string>> read() const;

  /// Removes what a crash has left of a stage(). Not while one is under way.
  void removeLeftovers() const;

  /// New files that wait to take their names. Deletes them when it goes away before commit().
  class Staged {
   public:
    Staged(Staged&&) = default;
    Staged& operator=(Staged&&) = delete;
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    ~Staged() = default;
    /// Renames and deletes; durable when it returns.
    [[nodiscard]] Status commit();
    /// After a commit that failed: whether every file is as it was.
    [[nodiscard]] bool nothingChanged() const { return taken_ == 0; }

   private:
    friend class SecretFiles;
    Staged(std::filesystem::path directory, std::vector<SecretChange> changes)
        : directory_(std::move(directory)), changes_(std::move(changes)) {}

    std::filesystem::path directory_;
    std::vector<SecretChange> changes_;
    std::map<std::string, base::StagedFile> files_;  ///< by key
    std::size_t taken_ = 0;                          ///< changes that have taken place
  };
  /// Everything that can fail for lack of space happens here; on failure nothing has changed.
  [[nodiscard]] Result<Staged> stage(std::vector<SecretChange> changes) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace svc::plugins
