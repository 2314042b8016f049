#include "file_lists.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/fuzzy.h"

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
  std::set<std::string, std::less<>> directories;
  std::vector<ListedPath> entries;
  const common::FuzzyQuery query(wanted.query);
  const auto take = [&](std::string_view path, bool is_directory) {
    if (query.empty()) {
      entries.push_back({std::string(path), is_directory});
    } else if (auto match = query.match(path)) {
      entries.push_back({std::string(path), is_directory, *std::move(match)});
    }
  };
  std::size_t seen = 0;
  for (const auto path : nulSeparated(listed.value().out)) {
    if (++seen > limits::kListingScan) {
      truncated = true;
      break;
    }
    if (!common::isUtf8(path) || path.ends_with('/')) {
      continue;
    }
    if (wanted.files) {
      take(path, false);
    }
    if (wanted.directories) {
      addParents(path, directories);
    }
  }
  for (const auto& directory : directories) {
    take(directory, true);
  }
  const auto kept = std::min(entries.size(), wanted.limit);
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept),
                    entries.end(), [](const ListedPath& left, const ListedPath& right) {
                      return left.match.score != right.match.score
                                 ? left.match.score > right.match.score
                                 : left.path < right.path;
                    });
  truncated = truncated || kept < entries.size();
  entries.resize(kept);
  auto paths = Json::array();
  for (const auto& entry : entries) {
    auto positions = Json::array();
    for (const auto position : entry.match.positions) {
      positions.push(static_cast<std::int64_t>(position));
    }
    paths.push(Json::object()
                   .set("kind", entry.is_directory ? "directory" : "file")
                   .set("name", entry.path.substr(entry.path.rfind('/') + 1))
                   .set("path", entry.path)
                   .set("score", entry.match.score)
                   .set("positions", std::move(positions)));
  }
  return Json::object()
      .set("isGitRepo", true)
      .set("paths", std::move(paths))
      .set("truncated", truncated);
}

}  // namespace svc::worktrees
