#include "file_lists.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/common/fuzzy.h"
#include "svc/common/limits/files.h"

namespace svc::worktrees {
namespace {

using common::Json;

/// Of all names of a repository.
constexpr std::size_t kNames = 32UL * 1024 * 1024;

struct ListedPath {
  std::string path;
  bool is_directory = false;
  common::FuzzyMatch match{};
};

/// Those above a file, whose names are the parts of its path.
void addParents(std::string_view path, std::set<std::string, std::less<>>& into) {
  for (auto end = path.rfind('/'); end != std::string_view::npos; end = path.rfind('/', end - 1)) {
    if (!into.emplace(path.substr(0, end)).second || end == 0) {
      return;
    }
  }
}

/// What fits the query, of names as git lists them and of the directories above them.
std::vector<ListedPath> matching(std::string_view names, const ListQuery& wanted, bool& truncated) {
  std::set<std::string, std::less<>> directories;
  std::vector<ListedPath> out;
  const common::FuzzyQuery query(wanted.query);
  const auto take = [&](std::string_view path, bool is_directory) {
    if (query.empty()) {
      out.push_back({std::string(path), is_directory});
    } else if (auto match = query.match(path)) {
      out.push_back({std::string(path), is_directory, *std::move(match)});
    }
  };
  std::size_t seen = 0;
  for (const auto path : nulSeparated(names)) {
    if (++seen > limits::kListingScan) {
      truncated = true;
      break;
    }
    if (!common::isUtf8(path) || path.ends_with('/')) {
      continue;
    }
    take(path, false);
    if (wanted.directories) {
      addParents(path, directories);
    }
  }
  for (const auto& directory : directories) {
    take(directory, true);
  }
  return out;
}

/// Git names links to directories, and repositories within this one, as it names files.
bool isFolder(int root, const std::string& path) {
  struct stat status {};
  return ::fstatat(root, path.c_str(), &status, 0) == 0 && S_ISDIR(status.st_mode);
}

Json toJson(const ListedPath& entry) {
  auto positions = Json::array();
  for (const auto position : entry.match.positions) {
    positions.push(static_cast<std::int64_t>(position));
  }
  return Json::object()
      .set("kind", entry.is_directory ? "directory" : "file")
      .set("name", entry.path.substr(entry.path.rfind('/') + 1))
      .set("path", entry.path)
      .set("score", entry.match.score)
      .set("positions", std::move(positions));
}

}  // namespace

Result<ListQuery> readListQuery(common::BodyReader& command) {
  ListQuery wanted{.query = command.optionalString("query").value_or(std::string{})};
  const auto& body = command.body();
  if (const auto* limit = body.find("limit")) {
    if (!limit->isInteger() || limit->asInteger() < 1 ||
        limit->asInteger() > static_cast<std::int64_t>(limits::kListing)) {
      command.issue(fmt::format("Expected a number from 1 to {} (limit listing)", limits::kListing),
                    {Json("limit")});
    }
    wanted.limit = static_cast<std::size_t>(limit->asInteger());
  }
  wanted.files = body["includeFiles"].asBool(true);
  wanted.directories = body["includeDirectories"].asBool(false);
  if (auto status = command.finish(); !status) {
    return std::move(status).error();
  }
  return wanted;
}

Result<Json> pathsOf(const Git& git, const ListQuery& wanted) {
  const auto listed =
      git.ask({"ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"},
              {.output = kNames});
  if (!listed) {
    return listed.error();
  }
  if (listed.value().code != 0 && !listed.value().cut) {
    return gitFailure(git.folder(), listed.value());
  }
  bool truncated = listed.value().cut;
  auto found = matching(listed.value().out, wanted, truncated);
  std::sort(found.begin(), found.end(), [](const ListedPath& left, const ListedPath& right) {
    return left.match.score != right.match.score ? left.match.score > right.match.score
                                                 : left.path < right.path;
  });
  const base::Fd folder(::open(git.folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t kept = 0;
  auto paths = Json::array();
  for (auto& entry : found) {
    entry.is_directory = entry.is_directory || isFolder(folder.get(), entry.path);
    if (!(entry.is_directory ? wanted.directories : wanted.files)) {
      continue;
    }
    if (kept++ == wanted.limit) {
      truncated = true;
      break;
    }
    paths.push(toJson(entry));
  }
  return Json::object()
      .set("isGitRepo", true)
      .set("paths", std::move(paths))
      .set("truncated", truncated);
}

}  // namespace svc::worktrees
