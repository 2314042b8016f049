#include "svc/base/inotify_trees.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/base/system_error.h"

namespace svc::base {
namespace {

constexpr std::uint32_t kMask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

struct Entry {
  std::string name;
  bool directory = false;
};

/// What a directory holds; nothing when it is gone or closed to us.
std::vector<Entry> entriesOf(const std::string& directory) {
  std::vector<Entry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) {
    return entries;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a directory of this thread
  while (const auto* entry = ::readdir(open.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") {
      continue;
    }
    bool is_directory = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN) {
      struct stat status {};
      is_directory = ::lstat((directory + "/" + entry->d_name).c_str(), &status) == 0 &&
                     S_ISDIR(status.st_mode);
    }
    entries.push_back({std::string(name), is_directory});
  }
  return entries;
}

std::string joined(const std::string& directory, std::string_view name) {
  return directory == "/" ? "/" + std::string(name) : directory + "/" + std::string(name);
}

Error cannotWatch(const std::string& directory, int code) {
  const auto why = code == ENOSPC ? "the machine watches as many directories as it may; raise "
                                    "fs.inotify.max_user_watches or ignore more paths"
                                  : systemText(code);
  const bool gone = code == ENOENT || code == ENOTDIR;
  return {gone ? errc::kNotFound : errc::kUnavailable,
          fmt::format("cannot watch {}: {}", directory, why)};
}

}  // namespace

InotifyTrees::InotifyTrees(Options options)
    : options_(std::move(options)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!options_.add_watch) {
    options_.add_watch = ::inotify_add_watch;
  }
}

TreeChanges& InotifyTrees::changesOf(TreeId id, Changes& changes) const {
  return changes.try_emplace(id, options_.batch).first->second;
}

std::string InotifyTrees::relative(const Tree& tree, const std::string& path) {
  return path.substr(tree.root == "/" ? 1 : std::min(path.size(), tree.root.size() + 1));
}

Status InotifyTrees::add(TreeId id, std::string root, Ignored ignored) {
  if (descriptor() < 0) {
    return Error{errc::kUnavailable,
                 "the machine has no file watches left; raise fs.inotify.max_user_instances"};
  }
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) {
    return cannotWatch(root, errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return cannotWatch(root, ENOTDIR);
  }
  auto& tree = trees_[id];
  tree.root = std::move(root);
  tree.ignored = std::move(ignored);
  TreeChanges none;
  auto watched = watch(id, tree, tree.root, Found::kSilently, none);
  if (watched && !tree.watches.contains(tree.root)) {
    watched = cannotWatch(tree.root, ENOENT);
  }
  if (!watched) {
    remove(id);
  }
  return watched;
}

void InotifyTrees::remove(TreeId id) {
  const auto found = trees_.find(id);
  if (found == trees_.end()) {
    return;
  }
  const auto tree = std::move(found->second);
  trees_.erase(found);
  for (const auto& [directory, watch] : tree.watches) {
    release(watch, id, directory);
  }
}

Status InotifyTrees::watch(TreeId id, Tree& tree, const std::string& directory, Found found,
                           TreeChanges& changes) {
  std::vector<std::string> left{directory};
  while (!left.empty()) {
    const auto current = std::move(left.back());
    left.pop_back();
    // The watch comes first: what is made while the directory is read is then told by either.
    if (auto watched = watchOne(id, tree, current); !watched) {
      return watched;
    }
    for (const auto& entry : entriesOf(current)) {
      auto path = joined(current, entry.name);
      if (tree.ignored && tree.ignored(path, entry.directory)) {
        continue;
      }
      if (found == Found::kAsCreated) {
        changes.add(relative(tree, path), ChangeType::kCreate);
      }
      if (entry.directory) {
        left.push_back(std::move(path));
      }
    }
  }
  return {};
}

Status InotifyTrees::watchOne(TreeId id, Tree& tree, const std::string& directory) {
  const auto follow = directory == tree.root ? 0U : std::uint32_t{IN_DONT_FOLLOW};
  const int watch =
      options_.add_watch(descriptor(), directory.c_str(), kMask | options_.updates | follow);
  if (watch < 0) {
    const bool gone = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP;
    return gone ? Status() : Status(cannotWatch(directory, errno));
  }
  tree.watches[directory] = watch;
  watches_[watch].emplace(id, directory);
  return {};
}

void InotifyTrees::unwatch(TreeId id, Tree& tree, const std::string& directory) {
  for (auto each = tree.watches.lower_bound(directory);
       each != tree.watches.end() && each->first.starts_with(directory);) {
    if (isWithin(each->first, directory)) {
      release(each->second, id, each->first);
      each = tree.watches.erase(each);
    } else {
      ++each;
    }
  }
}

void InotifyTrees::release(int watch, TreeId id, const std::string& directory) {
  const auto users = watches_.find(watch);
  if (users == watches_.end()) {
    return;
  }
  users->second.erase({id, directory});
  if (users->second.empty()) {
    watches_.erase(users);
    ::inotify_rm_watch(descriptor(), watch);
  }
}

InotifyTrees::Changes InotifyTrees::read() {
  constexpr std::size_t kBuffer = 64UL * 1024;
  alignas(inotify_event) std::array<char, kBuffer> buffer;  // NOLINT: read() fills it
  Changes changes;
  const auto count = ::read(descriptor(), buffer.data(), buffer.size());
  for (ssize_t at = 0; at < count;) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the kernel lays them out
    const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
    onEvent(*event, changes);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  return changes;
}

void InotifyTrees::onEvent(const inotify_event& event, Changes& changes) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    overflowed(changes);
    return;
  }
  const auto found = watches_.find(event.wd);
  if (found == watches_.end()) {
    return;
  }
  const auto users = found->second;
  for (const auto& [id, directory] : users) {
    onChange(id, directory, event, changes);
  }
  if ((event.mask & IN_IGNORED) != 0) {
    watches_.erase(event.wd);
  }
}

void InotifyTrees::onChange(TreeId id, const std::string& directory, const inotify_event& event,
                            Changes& changes) {
  const auto found = trees_.find(id);
  if (found == trees_.end()) {
    return;
  }
  auto& tree = found->second;
  if ((event.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) {
    if (directory == tree.root) {
      lose(id, fmt::format("{} is gone", tree.root), changes);
    } else if ((event.mask & IN_IGNORED) != 0) {
      tree.watches.erase(directory);
    }
    return;
  }
  if (event.len == 0) {
    return;  // of the directory itself, which its parent tells as well
  }
  const auto path = joined(directory, event.name);
  const bool is_directory = (event.mask & IN_ISDIR) != 0;
  if (tree.ignored && tree.ignored(path, is_directory)) {
    return;
  }
  auto& of_tree = changesOf(id, changes);
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
    of_tree.add(relative(tree, path), ChangeType::kDelete);
    if (is_directory) {
      unwatch(id, tree, path);
    }
  } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
    of_tree.add(relative(tree, path), ChangeType::kCreate);
    if (is_directory) {
      if (auto watched = watch(id, tree, path, Found::kAsCreated, of_tree); !watched) {
        lose(id, watched.error().message, changes);
      }
    }
  } else {
    of_tree.add(relative(tree, path), ChangeType::kUpdate);
  }
}

/// The kernel has lost events: directories may have come of which nobody told.
void InotifyTrees::overflowed(Changes& changes) {
  std::vector<TreeId> ids;
  for (const auto& [id, tree] : trees_) {
    ids.push_back(id);
  }
  for (const auto id : ids) {
    auto& of_tree = changesOf(id, changes);
    of_tree.requireRescan();
    auto& tree = trees_.at(id);
    if (auto watched = watch(id, tree, tree.root, Found::kSilently, of_tree); !watched) {
      lose(id, watched.error().message, changes);
    }
  }
}

void InotifyTrees::lose(TreeId id, const std::string& why, Changes& changes) {
  changesOf(id, changes).fail(why);
  remove(id);
}

}  // namespace svc::base
