#include "adopted_worktrees.h"

#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// The longest path, and what stands before it.
constexpr std::size_t kMostBytes = 8192;
constexpr std::string_view kPrefix = "gitdir: ";

/// The path that a file of git consists of; empty when it is none.
fs::path pathIn(const fs::path& file, std::string_view prefix) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored))) {
    return {};
  }
  const auto read = base::readFile(file, kMostBytes);
  if (!read || !read.value().starts_with(prefix)) {
    return {};
  }
  const std::string_view rest = std::string_view(read.value()).substr(prefix.size());
  const fs::path path(rest.substr(0, rest.find('\n')));
  return path.is_absolute() ? path : fs::path();
}

void adopt(const fs::path& link, spdlog::logger& log) {
  const auto repository = pathIn(link, kPrefix);
  const auto known_as = repository / "gitdir";
  const auto before = repository.empty() ? fs::path() : pathIn(known_as, "");
  std::error_code failure;
  if (before.empty() || before == link || fs::equivalent(before, link, failure)) {
    return;
  }
  const auto folder = link.parent_path().string();
  if (!fs::exists(before, failure) && !failure) {
    const auto told = base::replaceFile(known_as, link.string() + "\n");
    log.info("{} was at {} before; its repository {}", folder, before.parent_path().string(),
             told ? "knows it again" : "cannot be told: " + told.error().message);
    return;
  }
  const auto aside = fs::path(link.string() + ".of-the-original");
  fs::rename(link, aside, failure);
  log.warn("{} is a copy of the worktree at {}, which is still there: the copy is no worktree {}",
           folder, before.parent_path().string(),
           failure ? "either, but stays linked to it: " + failure.message()
                   : fmt::format("(its link is {})", aside.string()));
}

}  // namespace

void adoptWorktrees(const fs::path& folders, spdlog::logger& log) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folders, failure)) {
    adopt(entry.path() / ".git", log);
  }
}

}  // namespace svc::worktrees
