#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "svc/base/result.h"

namespace svc::base {

// Blocking. Errors are `unavailable` and name the path and what the system says, where nothing else is written.

enum class Durability : std::uint8_t {
  kSynced,  ///< survives a loss of power from when the call returns
  kLoose,   ///< whole at any time, but after a loss of power maybe the earlier one
};

struct NewFile {
  mode_t mode = 0600;
  Durability durability = Durability::kSynced;
  /// Where it is until it is in place, in the same directory; empty for the path with ".tmp" behind it, shortened
  /// where that is too long for a name. What is there is
  /// replaced: it is of a process that did not come to its end. So one path has one writer at a time.
  std::filesystem::path staged{};
  /// Root's hand in the file of a user leaves it that user's. Not for secrets: somebody may have made the file to read them.
  bool keeps_owner = false;
};

/// What is to become a file, whole and beside it. It goes unless it is committed. Move-only.
class StagedFile {
 public:
  [[nodiscard]] static Result<StagedFile> write(const std::filesystem::path& path,
                                                std::string_view text, const NewFile& options = {});
  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&& other) = delete;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  ~StagedFile();

  [[nodiscard]] const std::filesystem::path& path() const { return staged_; }
  /// Replaces the file. An error leaves the earlier one as it was, unless it says that the directory is not written.
  [[nodiscard]] Status commit();

 private:
  StagedFile(std::filesystem::path path, std::filesystem::path staged, Durability durability)
      : path_(std::move(path)), staged_(std::move(staged)), durability_(durability) {}

  std::filesystem::path path_;
  /// Empty when there is nothing to remove.
  std::filesystem::path staged_;
  Durability durability_;
};

/// Writes a file as a whole: who reads it sees the earlier text or this one. Its mode is `mode` whatever it was.
[[nodiscard]] Status replaceFile(const std::filesystem::path& path, std::string_view text,
                                 const NewFile& options = {});

enum class Links : std::uint8_t { kFollowed, kRefused };

/// Errors: `not_found`, `too_large` (more than `limit` bytes), `unavailable`, as for a FIFO or a device: neither is waited for.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit,
                                           Links links = Links::kFollowed);

/// Why a file or directory cannot be read although it may be there: "cannot read /srv/x: Permission denied". Nothing when it
/// can be read, or when there is none: who misses it says so in its own words.
[[nodiscard]] std::optional<Error> unreadable(const std::filesystem::path& path);

/// A directory of which others see nothing (mode 0700), with those above it; one that is there gets that mode.
[[nodiscard]] Status makePrivateDirectory(const std::filesystem::path& path);

/// Makes durable everything on the file system of a directory: for trees, which then take their place by one rename.
[[nodiscard]] Status syncFileSystem(const std::filesystem::path& path);

/// Makes durable which names a directory has.
[[nodiscard]] Status syncDirectory(const std::filesystem::path& path);

}  // namespace svc::base
