#include "installation.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "svc-hostd";
constexpr std::string_view kStagingPrefix = ".staged-";
constexpr std::size_t kDigest = 64;

bool isDigest(const std::string& text) {
  return text.size() == kDigest && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Error failure(std::string_view what, const fs::path& path) {
  return base::systemError(fmt::format("cannot {} {}", what, path.string()), errno);
}

/// In the directory of an update, relative to the launcher's.
fs::path linkTo(const std::string& sha256) {
  return fs::path("../lib/svc/updates") / sha256 / "bin" / kProgram;
}

}  // namespace

Staging::~Staging() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Installation::Installation(const fs::path& bin) : root_(bin.parent_path()) {
  const auto updates = root_.parent_path();
  const auto library = updates.parent_path();
  if (isDigest(root_.filename()) && updates.filename() == "updates" &&
      library.filename() == "svc") {
    running_ = root_.filename();
    root_ = library.parent_path().parent_path();
  }
  launcher_ = root_ / "bin" / kProgram;
}

Status Installation::checkReplaceable() const {
  if (root_ == "/" || root_ == "/usr") {
    return Error{
        errc::kForbidden,
        fmt::format("{} belongs to the system's package manager: update the package of svc",
                    launcher_.string())};
  }
  for (const auto& directory : {root_ / "bin", root_ / "lib/svc"}) {
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
      return Error{errc::kForbidden,
                   fmt::format("{} cannot be written by this daemon ({}): update svc there as who "
                               "has installed it, or install it where the daemon's user may write",
                               directory.string(), base::systemText(errno))};
    }
  }
  return {};
}

Result<base::Fd> Installation::lock() const {
  std::error_code failed;
  fs::create_directories(updates(), failed);
  const auto file = updates() / ".lock";
  base::Fd locked(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!locked) {
    return failure("write", file);
  }
  if (::flock(locked.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{errc::kConflict,
                 fmt::format("another daemon updates {} just now", root_.string())};
  }
  return locked;
}

Result<std::shared_ptr<Staging>> Installation::stage() const {
  auto locked = lock();
  if (!locked) {
    return std::move(locked).error();
  }
  // Who has left one behind does not hold the lock any more.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(updates(), ignored)) {
    if (entry.path().filename().string().starts_with(kStagingPrefix)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
  std::string name = (updates() / (std::string(kStagingPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return failure("create", name);
  }
  return std::make_shared<Staging>(name, std::move(locked).value());
}

bool Installation::starts(const std::string& sha256) const {
  std::error_code failed;
  return fs::read_symlink(launcher_, failed) == linkTo(sha256) && !failed;
}

Status Installation::take(const Staging& staging, const std::string& sha256) const {
  // So that a rename is not seen before what it names.
  if (auto synced = base::syncFileSystem(staging.directory()); !synced) {
    return synced;
  }
  const auto target = updates() / sha256;
  std::error_code failed;
  if (!starts(sha256)) {
    fs::remove_all(target, failed);  // nobody starts it
    if (::rename(staging.program().c_str(), target.c_str()) != 0) {
      return failure("write", target);
    }
    ::unlink(previous().c_str());
    if (::linkat(AT_FDCWD, launcher_.c_str(), AT_FDCWD, previous().c_str(), 0) != 0) {
      return failure("keep a copy of", launcher_);
    }
    const auto next = root_ / "bin/.svc-hostd.next";
    ::unlink(next.c_str());
    if (::symlink(linkTo(sha256).c_str(), next.c_str()) != 0 ||
        ::rename(next.c_str(), launcher_.c_str()) != 0) {
      return failure("replace", launcher_);
    }
  }
  return base::syncFileSystem(root_ / "bin");
}

Status Installation::goBack() const {
  if (::rename(previous().c_str(), launcher_.c_str()) != 0) {
    return Error{errc::kNotFound, failure("go back to", previous()).message};
  }
  return base::syncFileSystem(root_ / "bin");
}

void Installation::settle() const {
  std::error_code failed;
  if (!fs::exists(updates(), failed)) {
    return;
  }
  auto locked = lock();
  if (!locked) {
    return;
  }
  // Another daemon may have gone on to a newer one already.
  if (running_.empty() ? !fs::is_symlink(launcher_, failed) : starts(running_)) {
    ::unlink(previous().c_str());
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(updates(), ignored)) {
      const auto name = entry.path().filename().string();
      if (isDigest(name) && name != running_) {
        fs::remove_all(entry.path(), ignored);
      }
    }
  }
}

}  // namespace svc::serverlink
