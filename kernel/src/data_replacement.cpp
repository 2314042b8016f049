#include "data_replacement.h"

#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "lock_file.h"

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;

/// Beside the directory, also when its path ends with a slash.
fs::path withSuffix(const fs::path& data, const char* suffix) {
  const auto normal = data.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).string() + suffix;
}

/// The last file of an archive, so that nothing is missing where it is. It stays until a program has started on what it came with.
constexpr const char* kManifest = "manifest.json";

Error unfinished(const fs::path& replacement) {
  return {errc::kInvalidArgument,
          fmt::format("{} is not a whole backup: it has no {}, the last file of an archive; unpack "
                      "the archive there again, or remove the directory",
                      replacement.string(), kManifest)};
}

/// What was there goes, unless nothing has started on it since it took its place: then what it replaced is still what counts.
void putAside(const fs::path& data, const fs::path& before, std::error_code& code) {
  if (fs::exists(data / kManifest, code) && fs::exists(before, code)) {
    fs::remove_all(data, code);
    return;
  }
  fs::remove_all(before, code);
  if (!code) {
    fs::rename(data, before, code);
  }
}

Error failure(const fs::path& data, const std::error_code& code) {
  return {errc::kUnavailable,
          fmt::format("{} cannot be put in place of {}: {}; move it there by hand, or remove it",
                      withSuffix(data, ".restore").string(), data.string(), code.message())};
}

}  // namespace

fs::path waitingReplacement(const fs::path& data) { return withSuffix(data, ".restore"); }

fs::path replacedData(const fs::path& data) { return withSuffix(data, ".before-restore"); }

Result<bool> removeUnfinishedReplacement(const fs::path& data) {
  const auto partial = withSuffix(data, ".restore.partial");
  std::error_code code;
  const auto removed = fs::remove_all(partial, code);
  if (code) {
    return Error{errc::kUnavailable,
                 fmt::format("{} cannot be removed: {}", partial.string(), code.message())};
  }
  return removed > 0;
}

bool replacementWaits(const fs::path& data) {
  std::error_code ignored;
  return fs::is_directory(waitingReplacement(data), ignored);
}

Result<bool> takeReplacement(const fs::path& data, const std::string& lock_file,
                             const std::string& program) {
  if (!replacementWaits(data)) {
    return false;
  }
  const auto replacement = waitingReplacement(data);
  const auto before = replacedData(data);
  std::error_code code;
  if (!fs::exists(replacement / kManifest, code)) {
    return unfinished(replacement);
  }
  std::optional<LockFile> lock;
  // An interrupted attempt has moved it away already.
  if (fs::exists(data, code)) {
    auto taken = LockFile::acquire(data / lock_file, program);
    if (!taken) {
      return std::move(taken).error();
    }
    lock.emplace(std::move(taken).value());
    putAside(data, before, code);
    if (code) {
      return failure(data, code);
    }
  }
  fs::rename(replacement, data, code);
  if (code) {
    const auto error = failure(data, code);
    if (lock) {
      fs::rename(before, data, code);
    }
    return error;
  }
  return true;
}

void confirmReplacement(const fs::path& data) {
  std::error_code ignored;
  fs::remove(data / kManifest, ignored);
}

}  // namespace svc::kernel
