#include "file_watcher.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t kMask = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM |
                                IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR |
                                IN_DONT_FOLLOW | IN_EXCL_UNLINK;
/// A wait without a bound ends too, which nobody minds.
constexpr milliseconds kForever = std::chrono::hours(24);
/// From here on walking the tree is cheaper than a list.
constexpr std::size_t kMostTouched = 4096;

std::string joined(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : directory + "/" + std::string(name);
}

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

}  // namespace

bool isIgnoredDirectory(std::string_view name) {
  return name == "dist" || name == "node_modules" || name == ".git";
}

bool isIgnoredFile(std::string_view name) {
  const bool vim = name.starts_with('.') &&
                   (name.ends_with(".swp") || name.ends_with(".swx") || name.ends_with(".swo"));
  const bool emacs = name.starts_with(".#") || (name.starts_with('#') && name.ends_with('#'));
  return vim || emacs || name.ends_with('~') || name == ".DS_Store" || isIgnoredDirectory(name);
}

std::optional<TreeSnapshot::Signature> TreeSnapshot::look(const std::string& file) const {
  struct stat info {};
  if (::stat((root_ / file).c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
    return std::nullopt;
  }
  return Signature{.modified_ns = nanoseconds(info.st_mtim),
                   .changed_ns = nanoseconds(info.st_ctim),
                   .size = info.st_size,
                   .inode = info.st_ino};
}

void TreeSnapshot::walk(const std::string& directory, Files& found,
                        const std::function<void(const std::string&)>& on_directory) const {
  on_directory(directory);
  // What vanishes meanwhile is noticed by the next look.
  std::error_code failure;
  fs::directory_iterator at(root_ / directory, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const auto name = at->path().filename().string();
    std::error_code ignored;
    if (fs::is_directory(at->symlink_status(ignored))) {
      if (!isIgnoredDirectory(name)) {
        walk(joined(directory, name), found, on_directory);
      }
    } else if (!isIgnoredFile(name)) {
      auto file = joined(directory, name);
      if (const auto signature = look(file)) {
        found.emplace(std::move(file), *signature);
      }
    }
  }
}

std::vector<std::string> TreeSnapshot::rescan(
    const std::function<void(const std::string&)>& on_directory) {
  Files found;
  walk("", found, on_directory);
  std::vector<std::string> changed;
  auto old = files_.begin();
  auto now = found.begin();
  while (old != files_.end() || now != found.end()) {
    if (now == found.end() || (old != files_.end() && old->first < now->first)) {
      changed.push_back((old++)->first);
    } else if (old == files_.end() || now->first < old->first) {
      changed.push_back((now++)->first);
    } else {
      if (!(old->second == now->second)) {
        changed.push_back(now->first);
      }
      ++old;
      ++now;
    }
  }
  files_ = std::move(found);
  return changed;
}

std::vector<std::string> TreeSnapshot::refresh(const std::set<std::string>& files) {
  std::vector<std::string> changed;
  for (const auto& file : files) {
    const auto now = look(file);
    const auto old = files_.find(file);
    if (!now && old != files_.end()) {
      files_.erase(old);
      changed.push_back(file);
    } else if (now && (old == files_.end() || !(old->second == *now))) {
      files_[file] = *now;
      changed.push_back(file);
    }
  }
  return changed;
}

FileWatcher::FileWatcher(Options options)
    : options_(std::move(options)),
      snapshot_(options_.root),
      descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (descriptor_ < 0) {
    startPolling(errno);
  }
  rescan();
  changed_.clear();
}

FileWatcher::~FileWatcher() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

IFileWatcher::Wake FileWatcher::wait(std::optional<milliseconds> bound) {
  const auto deadline = Clock::now() + bound.value_or(kForever);
  for (;;) {
    auto pause =
        std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - Clock::now()));
    if (polling()) {
      pause = std::min(pause, options_.poll);
    }
    std::array<pollfd, 2> entries{{{.fd = options_.interrupts, .events = POLLIN, .revents = 0},
                                   {.fd = descriptor_, .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(entries.data(), entries.size(), static_cast<int>(pause.count()));
    if (ready > 0 && entries[0].revents != 0) {
      return Wake::kStopped;
    }
    if (ready > 0 && readEvents()) {
      return Wake::kActivity;
    }
    if (ready == 0 && polling()) {
      rescan();
      if (!changed_.empty()) {
        return Wake::kActivity;
      }
    }
    if (Clock::now() >= deadline) {
      return Wake::kTimeout;
    }
  }
}

std::vector<std::string> FileWatcher::takeChanges() {
  readEvents();
  if (rescan_needed_ || polling()) {
    rescan();
  } else {
    const auto changed = snapshot_.refresh(touched_);
    changed_.insert(changed.begin(), changed.end());
  }
  touched_.clear();
  std::vector<std::string> result(changed_.begin(), changed_.end());
  changed_.clear();
  return result;
}

bool FileWatcher::readEvents() {
  // Aligned for the events, with room for many of them: each read is a system call.
  alignas(inotify_event) std::array<char, 64UL * 1024> buffer{};
  bool noted = false;
  while (descriptor_ >= 0) {
    const auto size = ::read(descriptor_, buffer.data(), buffer.size());
    if (size <= 0) {
      break;
    }
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* const name = buffer.data() + at + sizeof(event);
      noted = note(event, {name, ::strnlen(name, event.len)}) || noted;
      at += sizeof(event) + event.len;
    }
  }
  return noted;
}

bool FileWatcher::note(const inotify_event& event, std::string_view name) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    rescan_needed_ = true;
    return true;
  }
  const auto found = watches_.find(event.wd);
  if (found == watches_.end() || (event.mask & IN_IGNORED) != 0) {
    return false;
  }
  if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
    // The parent tells of other directories.
    root_watched_ = root_watched_ && !found->second.empty();
    rescan_needed_ = true;
    return found->second.empty();
  }
  if ((event.mask & IN_ISDIR) != 0) {
    if (isIgnoredDirectory(name)) {
      return false;
    }
    // Its files may be older than the watch on it.
    rescan_needed_ = true;
    return true;
  }
  if (isIgnoredFile(name)) {
    return false;
  }
  if (touched_.size() < kMostTouched) {
    touched_.insert(joined(found->second, name));
  } else {
    rescan_needed_ = true;
  }
  return true;
}

void FileWatcher::rescan() {
  rescan_needed_ = false;
  root_watched_ = false;
  fresh_watches_.clear();
  const auto changed = snapshot_.rescan([this](const std::string& directory) { watch(directory); });
  changed_.insert(changed.begin(), changed.end());
  for (const auto& entry : watches_) {
    if (descriptor_ >= 0 && !fresh_watches_.contains(entry.first)) {
      ::inotify_rm_watch(descriptor_, entry.first);
    }
  }
  watches_ = std::move(fresh_watches_);
}

void FileWatcher::watch(const std::string& directory) {
  if (descriptor_ < 0) {
    return;
  }
  const int made = options_.add_watch(descriptor_, (options_.root / directory).c_str(), kMask);
  if (made >= 0) {
    fresh_watches_[made] = directory;
    root_watched_ = root_watched_ || directory.empty();
  } else if (errno == ENOSPC || errno == ENOMEM) {
    startPolling(errno);
  }
}

void FileWatcher::startPolling(int reason) {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
  options_.warn(
      fmt::format("the kernel cannot watch {} ({}); looking for changes every {} ms "
                  "instead. More watches: sysctl fs.inotify.max_user_watches, "
                  "fs.inotify.max_user_instances",
                  options_.root.string(), std::strerror(reason), options_.poll.count()));
}

}  // namespace svc::client
