#include "cache.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"

#include "digests.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaging = ".staging";
constexpr std::size_t kSuffix = 12;
constexpr std::size_t kComponent = 120;

Error diskError(const std::string& what, const std::error_code& failure) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, failure.message())};
}

std::uint64_t sizeOf(const fs::path& root) {
  std::error_code failure;
  std::uint64_t bytes = 0;
  for (auto each = fs::recursive_directory_iterator(root, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    std::error_code ignored;
    if (each->is_regular_file(ignored) && !each->is_symlink(ignored)) {
      bytes += each->file_size(ignored);
    }
  }
  return bytes;
}

}  // namespace

std::string pathComponent(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '@' || c == '+';
    out += plain ? c : '-';
  }
  const auto begin = out.find_first_not_of(".-");
  out.erase(0, std::min(begin, out.size()));
  if (out.empty() || out.size() > kComponent) {
    out = out.substr(0, kComponent) + textSha256(text).substr(0, kSuffix);
  }
  return out;
}

Stage::~Stage() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

Result<Stage> Cache::stage() {
  const std::lock_guard lock(mutex_);
  const auto path =
      directory_ / kStaging / fmt::format("{}-{}-{}", ::getpid(), clock_.nowMs(), ++last_stage_);
  std::error_code failure;
  fs::create_directories(path, failure);
  if (!failure) {
    fs::permissions(path, fs::perms::owner_all, failure);
  }
  if (failure) {
    return diskError("cannot create " + path.string(), failure);
  }
  return Stage(path);
}

Result<Promoted> Cache::promote(const fs::path& tree, const std::string& entry,
                                const std::string& digest,
                                const std::function<bool(const fs::path& existing)>& same) {
  // What is renamed into place is on the disk: a power failure leaves no half of an entry.
  (void)base::syncFileSystem(tree);
  const std::lock_guard lock(mutex_);
  std::error_code failure;
  auto target = directory_ / entry;
  for (const auto& candidate :
       {target, fs::path(target.string() + "-" + digest.substr(0, kSuffix))}) {
    target = candidate;
    if (!fs::exists(target, failure)) {
      break;
    }
    if (same(target)) {
      return Promoted{target, keep(target.string())};
    }
  }
  fs::create_directories(target.parent_path(), failure);
  if (!failure && fs::exists(target)) {
    // The name says what it holds, so what differs is damaged.
    fs::rename(target, tree.parent_path() / "replaced", failure);
  }
  if (!failure) {
    fs::rename(tree, target, failure);
  }
  if (failure) {
    return diskError("cannot move the package to " + target.string(), failure);
  }
  (void)base::syncFileSystem(target.parent_path());
  return Promoted{target, keep(target.string())};
}

Handle Cache::keep(const std::string& root) {
  const auto entry = entryOf(root);
  if (entry.empty()) {
    return {};
  }
  const std::lock_guard lock(kept_->mutex);
  ++kept_->entries[entry];
  return Handle([kept = kept_, entry] {
    const std::lock_guard guard(kept->mutex);
    if (--kept->entries[entry] == 0) {
      kept->entries.erase(entry);
    }
  });
}

bool Cache::contains(const std::string& root) const { return !entryOf(root).empty(); }

std::string Cache::entryOf(const std::string& root) const {
  const auto relative = fs::path(root).lexically_relative(directory_);
  if (relative.empty() || *relative.begin() == ".." || *relative.begin() == "." ||
      *relative.begin() == kStaging) {
    return {};
  }
  // The plugin may be a directory inside the entry.
  const auto kind = relative.begin()->string();
  fs::path out;
  std::size_t depth = kind == "git" ? 4 : kind == "npm" ? 3 : 2;
  for (const auto& part : relative) {
    if (depth == 0) {
      break;
    }
    out /= part;
    --depth;
  }
  return depth == 0 ? out.string() : std::string();
}

std::vector<std::string> Cache::entries() const {
  std::vector<std::string> out;
  std::error_code failure;
  for (auto each = fs::recursive_directory_iterator(directory_, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    const auto entry = entryOf(each->path().string());
    if (each.depth() == 0 && each->path().filename() == kStaging) {
      each.disable_recursion_pending();
    } else if (!entry.empty()) {
      each.disable_recursion_pending();
      out.push_back(entry);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::set<std::string> Cache::used(const std::vector<std::string>& roots) const {
  std::set<std::string> out;
  for (const auto& root : roots) {
    out.insert(entryOf(root));
  }
  const std::lock_guard lock(kept_->mutex);
  for (const auto& [entry, count] : kept_->entries) {
    out.insert(entry);
  }
  return out;
}

void Cache::removeEntry(const std::string& entry) {
  // Out of sight first: a removal that is interrupted leaves nothing that looks complete.
  std::error_code failure;
  const auto staging = directory_ / kStaging;
  const auto doomed = staging / fmt::format("removed-{}-{}", clock_.nowMs(), ++last_stage_);
  fs::create_directories(staging, failure);
  fs::rename(directory_ / entry, doomed, failure);
  if (!failure) {
    fs::remove_all(doomed, failure);
  }
  if (failure) {
    log_->warn("cannot remove {} from the cache of plugins: {}", entry, failure.message());
    return;
  }
  for (auto parent = fs::path(entry).parent_path(); !parent.empty();
       parent = parent.parent_path()) {
    if (!fs::remove(directory_ / parent, failure) || failure) {
      break;
    }
  }
}

std::vector<PruneEntry> Cache::prune(const std::vector<std::string>& roots_in_use, bool dry_run) {
  const std::lock_guard lock(mutex_);
  const auto in_use = used(roots_in_use);
  std::vector<PruneEntry> out;
  for (const auto& entry : entries()) {
    if (in_use.contains(entry)) {
      continue;
    }
    out.push_back({entry, sizeOf(directory_ / entry)});
    if (!dry_run) {
      removeEntry(entry);
    }
  }
  return out;
}

void Cache::release(const std::string& root, const std::vector<std::string>& roots_in_use) {
  const std::lock_guard lock(mutex_);
  const auto entry = entryOf(root);
  std::error_code ignored;
  if (!entry.empty() && !used(roots_in_use).contains(entry) &&
      fs::exists(directory_ / entry, ignored)) {
    removeEntry(entry);
  }
}

void Cache::repair(const std::vector<std::string>& roots_in_use, std::chrono::milliseconds keep) {
  const std::lock_guard lock(mutex_);
  std::error_code failure;
  if (fs::remove_all(directory_ / kStaging, failure) > 1 && !failure) {
    log_->info("removed what an interrupted install has left in the cache of plugins");
  }
  const auto in_use = used(roots_in_use);
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : entries()) {
    const auto path = directory_ / entry;
    if (in_use.contains(entry)) {
      fs::last_write_time(path, now, failure);
      continue;
    }
    const auto seen = fs::last_write_time(path, failure);
    if (!failure && now - seen > keep) {
      log_->info("removing {} from the cache of plugins: nothing has used it for {} h", entry,
                 std::chrono::duration_cast<std::chrono::hours>(keep).count());
      removeEntry(entry);
    }
  }
}

}  // namespace svc::installs
