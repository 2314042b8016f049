#include "mcp_setup/client_file.h"

#include <sys/stat.h>

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/path_bounds.h"
#include "svc/common/codes.h"

#include "commands/config_file.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

/// How secrets of the service begin.
constexpr std::string_view kSecretBegin = "svc_mcp_";
constexpr std::size_t kClientFileLimit = 16UL * 1024 * 1024;

/// Keeps the file as it is now beside it, with its mode, unless a run before this one has; what the copy is called, empty when there is none:
/// of a file that there was not, or that this program has made, or that has a secret of its own.
Result<std::string> keepCopy(const fs::path& file, bool own) {
  auto copy = file;
  copy += ".before-svc";
  std::error_code failed;
  if (!fs::exists(file, failed)) {
    return std::string();
  }
  if (const auto text = clientText(file);
      !fs::exists(copy, failed) &&
      (own || (text && text.value().find(kSecretBegin) != std::string::npos))) {
    return std::string();
  }
  fs::copy_file(file, copy, fs::copy_options::skip_existing, failed);
  if (failed) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot write {}: {}", copy.string(), failed.message())};
  }
  return copy.string();
}

}  // namespace

Result<std::string> clientText(const fs::path& file) {
  std::error_code failed;
  const auto type = fs::status(file, failed).type();
  // Nobody may ever write into a pipe.
  if (fs::exists(fs::file_status(type)) && type != fs::file_type::regular) {
    return Error{errc::kInvalidInput, fmt::format("{} is no file", file.string())};
  }
  auto text = base::readFile(file, kClientFileLimit);
  if (!text && text.error().code == errc::kNotFound) {
    return std::string();
  }
  return text;
}

std::optional<Error> keptByItsOwner(const fs::path& file) {
  std::error_code failed;
  const auto link = fs::symlink_status(file, failed);
  const auto target = fs::status(file, failed);
  if (fs::is_symlink(link) && !fs::exists(target)) {
    return Error{errc::kNotFound, fmt::format("it is a link to {}, which is not there",
                                              fs::read_symlink(file, failed).string())};
  }
  if (fs::exists(target) && (target.permissions() & fs::perms::owner_write) == fs::perms::none) {
    return Error{errc::kUnavailable, "it is read-only"};
  }
  return std::nullopt;
}

std::optional<Error> leavesProject(const fs::path& file, const fs::path& project) {
  std::error_code failed;
  const auto bounds = fs::weakly_canonical(project, failed);
  const auto real = failed ? fs::path() : fs::weakly_canonical(file, failed);
  if (!failed && base::isWithin(real.native(), bounds.native())) {
    return std::nullopt;
  }
  return Error{errc::kInvalidInput, failed ? "its links cannot be followed: " + failed.message()
                                           : "a link leads out of the project: " + real.string()};
}

Result<std::string> replaceClientFile(const fs::path& file, const std::string& text, mode_t allowed,
                                      bool own) {
  auto copy = keepCopy(file, own);
  if (!copy) {
    return copy;
  }
  auto staged = stageConfig(file, text, allowed);
  if (!staged) {
    return std::move(staged).error();
  }
  if (auto committed = staged.value().commit(); !committed) {
    return std::move(committed).error();
  }
  return copy;
}

std::optional<mode_t> openToOthers(const fs::path& file) {
  struct stat info {};
  constexpr mode_t kModes = 07777;
  constexpr mode_t kOthers = 0077;
  if (::stat(file.c_str(), &info) != 0 || (info.st_mode & kOthers) == 0) {
    return std::nullopt;
  }
  return info.st_mode & kModes;
}

}  // namespace svc::client
