#include "file_watcher.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/base/source_names.h"

#include "linked_packages.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr base::InotifyTrees::TreeId kTree = 1;
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

/// Files that change when packages come and go, in folders that are not watched.
bool namesPackages(std::string_view path) {
  return path == "package.json" || path == "package-lock.json" || path == "pnpm-lock.yaml" ||
         path == "yarn.lock" || path == "bun.lock";
}

}  // namespace

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

bool TreeSnapshot::isLinkToDirectory(const std::string& path) const {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(root_ / path, ignored)) &&
         fs::is_directory(root_ / path, ignored);
}

void TreeSnapshot::follow(const std::string& link, Files& found) {
  std::error_code failure;
  const auto target = fs::canonical(root_ / link, failure);
  const auto root = failure ? fs::path() : fs::canonical(root_, failure);
  if (failure || base::isWithin(root.string(), target.string()) ||
      base::isWithin(target.string(), root.string()) ||
      std::any_of(links_.begin(), links_.end(), [&target](const auto& known) {
        return base::isWithin(target.string(), known.second.string()) ||
               base::isWithin(known.second.string(), target.string());
      })) {
    return;
  }
  links_.emplace(link, target);
  walk(link, found);
}

void TreeSnapshot::walk(const std::string& directory, Files& found) {
  // What vanishes meanwhile is noticed by the next look.
  std::error_code failure;
  fs::directory_iterator at(root_ / directory, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const auto name = at->path().filename().string();
    std::error_code ignored;
    if (fs::is_directory(at->status(ignored))) {
      if (base::isIgnoredDirectory(name)) {
        continue;
      }
      if (at->is_symlink(ignored)) {
        follow(joined(directory, name), found);
      } else {
        walk(joined(directory, name), found);
      }
    } else if (!base::isIgnoredFile(name)) {
      auto file = joined(directory, name);
      if (const auto signature = look(file)) {
        found.emplace(std::move(file), *signature);
      }
    }
  }
}

std::vector<std::string> TreeSnapshot::rescan() {
  Files found;
  links_.clear();
  walk("", found);
  for (const auto& package : linkedPackages(root_)) {
    follow(package, found);
  }
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

std::vector<std::string> TreeSnapshot::refresh(const std::set<std::string>& paths) {
  std::set<std::string> files = paths;
  for (const auto& path : paths) {
    // A directory that has gone or was replaced: nobody tells of each file in it.
    const auto below = path + "/";
    for (auto each = files_.lower_bound(below);
         each != files_.end() && each->first.starts_with(below); ++each) {
      files.insert(each->first);
    }
  }
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
    : options_(std::move(options)), snapshot_(options_.root), last_tree_(kTree) {
  trees_.emplace(base::InotifyTrees::Options{.batch = {.paths = kMostTouched},
                                             .updates = IN_MODIFY | IN_CLOSE_WRITE,
                                             .add_watch = options_.add_watch});
  rescan();
  changed_.clear();
}

IFileWatcher::Wake FileWatcher::wait(std::optional<milliseconds> bound) {
  const auto deadline = Clock::now() + bound.value_or(kForever);
  for (;;) {
    auto pause =
        std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - Clock::now()));
    if (polling()) {
      pause = std::min(pause, options_.poll);
    }
    std::vector<pollfd> entries{{.fd = options_.interrupts, .events = POLLIN, .revents = 0},
                                {.fd = descriptor(), .events = POLLIN, .revents = 0}};
    const auto watched = entries.size();
    for (const int other : options_.others()) {
      entries.push_back({.fd = other, .events = POLLIN, .revents = 0});
    }
    const int ready = ::poll(entries.data(), entries.size(), static_cast<int>(pause.count()));
    if (ready > 0 && entries[0].revents != 0) {
      return Wake::kStopped;
    }
    if (ready > 0 && readEvents()) {
      return Wake::kActivity;
    }
    if (ready > 0 &&
        std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(watched), entries.end(),
                    [](const auto& each) { return each.revents != 0; })) {
      return Wake::kOther;
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
  bool noted = false;
  for (pollfd more{.fd = descriptor(), .events = POLLIN, .revents = 0};
       more.fd >= 0 && ::poll(&more, 1, 0) > 0;) {
    for (const auto& [tree, changes] : trees_->read()) {
      noted = note(tree, changes) || noted;
    }
  }
  return noted;
}

bool FileWatcher::note(base::InotifyTrees::TreeId tree, const base::TreeChanges& changes) {
  if (tree == kTree) {
    watched_ = watched_ && changes.error().empty();
    for (const auto& [path, type] : changes.paths()) {
      touch(path);
    }
  } else {
    noteLinked(tree, changes);
  }
  rescan_needed_ =
      rescan_needed_ || !watched_ || changes.rescan() || touched_.size() > kMostTouched;
  return !changes.empty();
}

void FileWatcher::noteLinked(base::InotifyTrees::TreeId tree, const base::TreeChanges& changes) {
  const auto link = std::find_if(linked_.begin(), linked_.end(),
                                 [tree](const auto& each) { return each.second.tree == tree; });
  if (link == linked_.end()) {
    return;
  }
  for (const auto& [path, type] : changes.paths()) {
    touch(joined(link->first, path));
  }
  if (!changes.error().empty()) {
    linked_.erase(link);
    rescan_needed_ = true;
  }
}

void FileWatcher::touch(const std::string& path) {
  touched_.insert(path);
  rescan_needed_ = rescan_needed_ || linked_.contains(path) || snapshot_.isLinkToDirectory(path) ||
                   namesPackages(path);
}

void FileWatcher::rescan() {
  rescan_needed_ = false;
  // First: what changes while the tree is read is then told.
  watch();
  do {
    const auto changed = snapshot_.rescan();
    changed_.insert(changed.begin(), changed.end());
  } while (watchLinks());
}

bool FileWatcher::watchLinks() {
  if (polling()) {
    return false;
  }
  const auto& links = snapshot_.links();
  for (auto each = linked_.begin(); each != linked_.end();) {
    const auto now = links.find(each->first);
    if (now != links.end() && now->second == each->second.target) {
      ++each;
      continue;
    }
    trees_->remove(each->second.tree);
    each = linked_.erase(each);
  }
  bool added = false;
  for (const auto& [link, target] : links) {
    if (trees_ && !linked_.contains(link) && watchTree(++last_tree_, target)) {
      linked_.emplace(link, Linked{last_tree_, target});
      added = true;
    }
  }
  return added;
}

void FileWatcher::watch() {
  if (!trees_ || watched_) {
    return;
  }
  watched_ = watchTree(kTree, options_.root);
}

bool FileWatcher::watchTree(base::InotifyTrees::TreeId tree, const fs::path& root) {
  const auto added = trees_->add(tree, root.string(), base::isIgnoredSource);
  // A root that is not there may come again.
  if (!added && added.error().code != errc::kNotFound) {
    startPolling(added.error().message);
  }
  return added.ok();
}

void FileWatcher::startPolling(const std::string& reason) {
  trees_.reset();
  options_.warn(
      fmt::format("{}; looking for changes every {} ms instead", reason, options_.poll.count()));
}

}  // namespace svc::client
