#include "skill_place.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/base/system_error.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/stage.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

/// Of directories that are about to take a skill's place, or have lost it.
constexpr std::string_view kAside = ".svc-";
constexpr std::array<std::string_view, 2> kLeftovers{".svc-new-", ".svc-old-"};

fs::path aside(const fs::path& folder, std::string_view what) {
  constexpr std::size_t kRandom = 6;
  return folder / fmt::format("{}{}-{}", kAside, what, base::randomHex(kRandom));
}

/// Puts a new directory where another is; what was there is `fresh` afterwards.
Status exchange(const fs::path& fresh, const fs::path& place) {
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    return {};
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return cannotDo("replace", place);
  }
  // A file system that cannot do it in one step.
  const auto old = aside(place.parent_path(), "old");
  if (::rename(place.c_str(), old.c_str()) != 0) {
    return cannotDo("replace", place);
  }
  if (::rename(fresh.c_str(), place.c_str()) != 0) {
    const auto error = cannotDo("replace", place);
    static_cast<void>(::rename(old.c_str(), place.c_str()));
    return error;
  }
  return ::rename(old.c_str(), fresh.c_str()) == 0 ? Status() : Status(cannotDo("replace", place));
}

}  // namespace

FoundSkill skillAt(const fs::path& place) {
  struct stat status {};
  if (::lstat(place.c_str(), &status) != 0) {
    return {};
  }
  if (!S_ISDIR(status.st_mode)) {
    return {Presence::kOther};
  }
  const auto reading = skillfiles::readTree(place);
  return reading && reading.value().problems.empty()
             ? FoundSkill{Presence::kTree, reading.value().tree.digest}
             : FoundSkill{Presence::kOther};
}

Status writeSkill(const fs::path& place, const OfferedSkill& skill, const FetchTree& fetch) {
  auto fetched = fetch(skill.tree);
  if (!fetched) {
    return std::move(fetched).error();
  }
  const auto& [tree, contents] = fetched.value();
  if (tree.digest != skill.tree) {
    return Error{errc::kConflict, "the server sent another tree than it had announced"};
  }
  return skillfiles::writeTree(place, tree,
                               [&](const skillfiles::SkillFile& file) -> Result<std::string> {
                                 return contents.find(file.path)->second;
                               });
}

Result<bool> replaceSkill(const fs::path& place, const OfferedSkill& skill, const FetchTree& fetch,
                          const std::function<bool(const FoundSkill&)>& may_go) {
  const auto fresh = aside(place.parent_path(), "new");
  if (auto written = writeSkill(fresh, skill, fetch); !written) {
    return std::move(written).error();
  }
  if (auto exchanged = exchange(fresh, place); !exchanged) {
    removeTree(fresh);
    return std::move(exchanged).error();
  }
  const bool good = may_go(skillAt(fresh));
  if (!good) {
    if (auto back = exchange(fresh, place); !back) {
      return std::move(back).error();
    }
  }
  removeTree(fresh);
  return good;
}

fs::path oldSkill(const fs::path& folder) { return aside(folder, "old"); }

void removeLeftovers(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> left;
  for (fs::directory_iterator each(folder, failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto name = each->path().filename().string();
    if (std::any_of(kLeftovers.begin(), kLeftovers.end(),
                    [&](auto prefix) { return name.starts_with(prefix); })) {
      left.push_back(each->path());
    }
  }
  std::for_each(left.begin(), left.end(), removeTree);
}

void removeTree(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Error cannotDo(std::string_view doing, const fs::path& path) {
  return base::systemError(fmt::format("cannot {} {}", doing, skillfiles::shownName(path.string())),
                           errno);
}

}  // namespace svc::client
