#include "leftovers.h"

#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"

#include "places.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// Until a process that was killed is gone, which its folder is not before.
constexpr std::chrono::milliseconds kEndWait{5'000};
/// One that is killed may just have started another one.
constexpr int kRounds = 3;

/// A folder as it was made: another one may have its name later.
struct MadeFolder {
  std::uintmax_t device = 0;
  std::uintmax_t number = 0;
  fs::path path{};

  [[nodiscard]] bool isThere() const {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_dev == device && status.st_ino == number;
  }
};

void endMarked(const std::string& mark) {
  for (int round = 0; round < kRounds; ++round) {
    const auto running = base::processesMarked(mark);
    if (running.empty()) {
      return;
    }
    base::signalMarked(mark, SIGKILL);
    for (const auto& each : running) {
      pollfd ends{each.descriptor.get(), POLLIN, 0};
      (void)::poll(&ends, 1, static_cast<int>(kEndWait.count()));
    }
  }
}

}  // namespace

Leftovers::Leftovers(const fs::path& data)
    : marks_(Places::marksBelow(data)), notes_(data / "clones") {}

void Leftovers::end() {
  std::call_once(ended_, [this] {
    removeFolders();
    marks_.endLeftovers();
  });
}

Status Leftovers::noteFolder(const std::string& mark, const fs::path& folder) const {
  struct stat status {};
  if (auto made = base::makePrivateDirectory(notes_);
      !made || ::lstat(folder.c_str(), &status) != 0) {
    return made ? Status(Error{errc::kUnavailable, fmt::format("{} is gone", folder.string())})
                : std::move(made);
  }
  std::ofstream note(notes_ / mark);
  note << static_cast<std::uintmax_t>(status.st_dev) << ' '
       << static_cast<std::uintmax_t>(status.st_ino) << ' ' << folder.string();
  note.close();
  return note ? Status()
              : Error{errc::kUnavailable, fmt::format("{} cannot be written", notes_.string())};
}

void Leftovers::forgetFolder(const std::string& mark) const {
  std::error_code ignored;
  fs::remove(notes_ / mark, ignored);
}

void Leftovers::removeFolders() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(notes_, ignored)) {
    const auto mark = entry.path().filename().string();
    MadeFolder made;
    std::string path;
    std::ifstream note(entry.path());
    note >> made.device >> made.number;
    note.get();
    // A path may have line breaks.
    std::getline(note, path, '\0');
    made.path = path;
    endMarked(mark);
    if (!path.empty() && made.isThere()) {
      fs::remove_all(made.path, ignored);
    }
    forgetFolder(mark);
  }
}

}  // namespace svc::worktrees
