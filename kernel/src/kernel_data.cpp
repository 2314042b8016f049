// The data directory of a program: whose it is, who may look into it, what a restore has left, and its log.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "data_owner.h"
#include "data_replacement.h"
#include "kernel.h"

namespace svc::kernel {
namespace {

bool isOpenToOthers(const std::filesystem::path& directory) {
  using std::filesystem::perms;
  std::error_code ignored;
  const auto mode = std::filesystem::status(directory, ignored).permissions();
  return (mode & (perms::group_all | perms::others_all)) != perms::none;
}

bool isWritableForOthers(const std::filesystem::path& directory) {
  using std::filesystem::perms;
  std::error_code ignored;
  const auto mode = std::filesystem::status(directory, ignored).permissions();
  return (mode & (perms::group_write | perms::others_write)) != perms::none;
}

/// Also a volume that was just made: its file system has a directory for what it recovers.
bool isEmpty(const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::directory_iterator entries(directory, failure);
  return !failure && std::all_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename() == "lost+found";
  });
}

/// What is missing on the way is for the user alone, too: a daemon's directory is in that of the server, which refuses one that others
/// see. False when the directory was there.
Result<bool> makeDirectory(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> missing;
  std::error_code failure;
  for (auto at = directory; !std::filesystem::exists(at, failure) && !failure && at.has_filename();
       at = at.parent_path()) {
    missing.push_back(at);
  }
  for (auto at = missing.rbegin(); !failure && at != missing.rend(); ++at) {
    if (::mkdir(at->c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      failure.assign(errno, std::generic_category());
    }
  }
  if (!failure && !std::filesystem::is_directory(directory, failure) && !failure) {
    failure = std::make_error_code(std::errc::not_a_directory);
  }
  return failure ? Result<bool>(Error{
                       errc::kUnavailable,
                       fmt::format("cannot create {}: {}", directory.string(), failure.message())})
                 : !missing.empty();
}

}  // namespace

Status Kernel::keepPrivate(const std::filesystem::path& directory, bool created) {
  // Without a lock it is somebody else's directory.
  if (!created && (options_.lock_file.empty() || !isOpenToOthers(directory))) {
    return {};
  }
  // Somebody may have named /tmp or a home: such a directory keeps its mode.
  std::error_code ignored;
  const bool ours = created || directory != options_.paths.data || isEmpty(directory) ||
                    std::filesystem::exists(directory / options_.lock_file, ignored);
  if (!ours) {
    return Error{errc::kInvalidArgument,
                 fmt::format("other users can look into {}, and there are files in it that are not "
                             "of {}: choose an empty directory, or take their rights away (chmod "
                             "700 {})",
                             directory.string(), options_.program, directory.string())};
  }
  if (::chmod(directory.c_str(), 0700) != 0) {
    return Error{
        errc::kUnavailable,
        fmt::format("cannot keep other users out of {}, where secrets are: {}; make it the "
                    "property of the user that runs {}, with mode 0700",
                    directory.string(), std::generic_category().message(errno), options_.program)};
  }
  if (!created) {
    mended_.push_back(directory);
  }
  return {};
}

Status Kernel::checkOwners() const {
  const auto& data = options_.paths.data;
  const auto self = ::geteuid();
  if (auto status = checkOwner(data, options_.program, self); !status) {
    return status;
  }
  if (auto status = checkHome(options_.home, data, options_.program, self); !status) {
    return status;
  }
  // Of a directory that is none of the program's, keepPrivate() speaks.
  std::error_code ignored;
  if (!std::filesystem::exists(data / options_.lock_file, ignored)) {
    return {};
  }
  return checkContents(data, isWritableForOthers(data) ? Depth::kWhole : Depth::kTop,
                       options_.program, self);
}

Result<bool> Kernel::takeData() {
  const bool locks = !options_.lock_file.empty();
  if (locks) {
    if (auto status = checkOwners(); !status) {
      return std::move(status).error();
    }
  }
  const auto replaced =
      locks ? takeReplacement(options_.paths.data, options_.lock_file, options_.program)
            : Result<bool>(false);
  if (!replaced) {
    return replaced;
  }
  std::vector<std::filesystem::path> directories{options_.paths.data};
  if (!options_.log_file.empty()) {
    directories.push_back(options_.paths.data / "logs");
  }
  for (const auto& directory : directories) {
    const auto created = makeDirectory(directory);
    if (!created) {
      return created;
    }
    // What was restored by hand has the mode that its maker gave it.
    if (auto status = keepPrivate(directory, created.value() || replaced.value()); !status) {
      return std::move(status).error();
    }
  }
  if (locks) {
    auto lock = LockFile::acquire(options_.paths.data / options_.lock_file, options_.program);
    if (!lock) {
      return std::move(lock).error();
    }
    lock_.emplace(std::move(lock).value());
  }
  return replaced;
}

Status Kernel::prepareDirectories() {
  const auto replaced = takeData();
  if (!replaced) {
    return replaced.error();
  }
  const auto log_file = options_.log_file.empty()
                            ? std::filesystem::path{}
                            : options_.paths.data / "logs" / options_.log_file;
  auto logging = Logging::create(
      {config_->getString("log.level"), config_->getString("log.format"), log_file});
  if (!logging) {
    return std::move(logging).error();
  }
  logging_.emplace(std::move(logging).value());
  log_ = logging_->logger("kernel");
  for (const auto& directory : mended_) {
    log_->warn(
        "other users could look into {}, where secrets are; they cannot any more (mode 0700)",
        directory.string());
  }
  if (lock_) {
    const auto removed = removeUnfinishedReplacement(options_.paths.data);
    if (!removed) {
      log_->warn("what an unfinished restore has left stays: {}", removed.error().message);
    } else if (removed.value()) {
      log_->warn(
          "a restore was interrupted: what it had unpacked is removed, the data is as before; "
          "restore again");
    }
  }
  if (replaced.value()) {
    log_->warn("restored data is in place; what was there before is in {}",
               replacedData(options_.paths.data).string());
  }
  return {};
}

}  // namespace svc::kernel
