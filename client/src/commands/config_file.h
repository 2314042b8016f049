#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// The text of the configuration file with one key set, or removed without a value. A missing file reads as empty.
/// `conflict` for a file with comments or trailing commas, which would be lost.
[[nodiscard]] Result<std::string> editConfig(const std::filesystem::path& file,
                                             const std::string& key,
                                             const std::optional<common::Json>& value);

/// A file beside the one it is to replace; gone unless commit() was called.
class PendingFile {
 public:
  /// Has the mode of the file it replaces, or 0600.
  [[nodiscard]] static Result<PendingFile> create(const std::filesystem::path& target,
                                                  const std::string& text);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Status commit();

 private:
  PendingFile(std::filesystem::path path, std::filesystem::path target)
      : path_(std::move(path)), target_(std::move(target)) {}
  std::filesystem::path path_;  ///< empty once committed
  std::filesystem::path target_;
};

}  // namespace svc::client
