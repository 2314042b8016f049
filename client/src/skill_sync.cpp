#include "skill_sync.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/files.h"
#include "svc/base/path_bounds.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/sync_manifest.h"

#include "skill_place.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using skillfiles::SyncManifest;

constexpr const char* kByHand = "it has been changed by hand";

class Sync {
 public:
  Sync(const FolderSync& where, const std::vector<OfferedSkill>& skills, const FetchTree& fetch)
      : where_(where), skills_(skills), fetch_(fetch) {}

  Result<std::vector<SkillChange>> run() {
    auto there = enter();
    if (!there) {
      return std::move(there).error();
    }
    if (there.value()) {
      if (auto status = readManifest(); !status) {
        return std::move(status).error();
      }
    }
    if (!where_.dry_run) {
      removeLeftovers(where_.folder);
    }
    plan();
    if (where_.dry_run || todo_.empty()) {
      for (const auto& change : todo_) {
        changes_.push_back({change.name, change.action});
      }
    } else if (auto status = carryOut(); !status) {
      return std::move(status).error();
    }
    if (auto status = storeManifest(); !status) {
      return std::move(status).error();
    }
    std::sort(
        changes_.begin(), changes_.end(),
        [](const SkillChange& left, const SkillChange& right) { return left.name < right.name; });
    return std::move(changes_);
  }

 private:
  struct Step {
    std::string name;
    SkillAction action;
    const OfferedSkill* skill = nullptr;
  };

  /// Whether the folder is there; it is made when something belongs into it.
  Result<bool> enter() {
    std::error_code failure;
    const auto base = fs::canonical(where_.base, failure);
    if (failure) {
      return Error{errc::kNotFound,
                   fmt::format("there is no {}", skillfiles::shownName(where_.base.string()))};
    }
    if (auto status = staysInside(base); !status) {
      return std::move(status).error();
    }
    if (!fs::exists(where_.folder, failure)) {
      if (where_.dry_run || skills_.empty()) {
        return false;
      }
      fs::create_directories(where_.folder, failure);
      if (failure) {
        return Error{errc::kUnavailable, fmt::format("cannot create {}: {}", where_.folder.string(),
                                                     failure.message())};
      }
    }
    folder_ = base::Fd(::open(where_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) {
      return cannotDo("open", where_.folder);
    }
    if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0) {
      return Error{errc::kConflict, fmt::format("another `svc skill sync` is at work in {}",
                                                where_.folder.string())};
    }
    return true;
  }

  /// As far as the folder is there, no link leads out of the base.
  Status staysInside(const fs::path& bounds) const {
    std::error_code failure;
    const auto real = fs::weakly_canonical(where_.folder, failure);
    if (!failure && base::isWithin(real.native(), bounds.native())) {
      return {};
    }
    return Error{errc::kInvalidArgument,
                 fmt::format("{} is a link that leaves {}; it is left alone",
                             skillfiles::shownName(where_.folder.string()),
                             skillfiles::shownName(bounds.string()))};
  }

  [[nodiscard]] fs::path manifestFile() const { return where_.folder / SyncManifest::kFileName; }

  Status readManifest() {
    const auto text =
        base::readFile(manifestFile(), SyncManifest::kMaxBytes, base::Links::kRefused);
    if (!text) {
      return text.error().code == errc::kNotFound ? Status() : Status(text.error());
    }
    auto manifest = SyncManifest::parse(text.value());
    if (!manifest) {
      return Error{errc::kInvalidArgument,
                   fmt::format("{}: {}; remove it to begin anew", manifestFile().string(),
                               manifest.error().message)};
    }
    manifest_ = std::move(manifest).value();
    stored_ = text.value();
    return {};
  }

  Status storeManifest() {
    auto text = manifest_.dump();
    if (where_.dry_run || text == stored_ || (stored_.empty() && manifest_.trees.empty())) {
      return {};
    }
    constexpr mode_t kMode = 0644;
    auto status = base::replaceFile(manifestFile(), text,
                                    {.mode = kMode, .durability = base::Durability::kLoose});
    if (status) {
      stored_ = std::move(text);
    }
    return status;
  }

  void plan() {
    for (const auto& skill : skills_) {
      if (skillfiles::isUsableSkillName(skill.name)) {
        planWanted(skill);
      } else {
        changes_.push_back({skillfiles::shownName(skill.name), SkillAction::kFailed,
                            "that is no name of a skill"});
      }
    }
    const auto known = manifest_.trees;
    for (const auto& [name, trees] : known) {
      if (std::none_of(skills_.begin(), skills_.end(),
                       [&](const OfferedSkill& skill) { return skill.name == name; })) {
        planGone(name);
      }
    }
  }

  void planWanted(const OfferedSkill& skill) {
    const auto found = skillAt(where_.folder / skill.name);
    if (found.presence == Presence::kNothing) {
      todo_.push_back({skill.name, SkillAction::kAdded, &skill});
    } else if (found.tree == skill.tree) {
      manifest_.trees[skill.name] = {skill.tree};
    } else if (manifest_.owns(skill.name, found.tree)) {
      todo_.push_back({skill.name, SkillAction::kUpdated, &skill});
    } else {
      changes_.push_back(
          {skill.name, SkillAction::kKept,
           manifest_.trees.contains(skill.name) ? kByHand : "`svc skill sync` did not write it"});
    }
  }

  void planGone(const std::string& name) {
    const auto found = skillAt(where_.folder / name);
    if (found.presence == Presence::kNothing) {
      manifest_.trees.erase(name);
    } else if (manifest_.owns(name, found.tree)) {
      todo_.push_back({name, SkillAction::kRemoved});
    } else {
      release(name);
    }
  }

  void release(const std::string& name) {
    manifest_.trees.erase(name);
    changes_.push_back({name, SkillAction::kReleased, kByHand});
  }

  Status carryOut() {
    // Until all is done each skill may be the one or the other.
    for (const auto& step : todo_) {
      if (step.skill != nullptr) {
        manifest_.trees[step.name].push_back(step.skill->tree);
      }
    }
    if (auto status = storeManifest(); !status) {
      return status;
    }
    for (const auto& step : todo_) {
      if (step.action == SkillAction::kRemoved) {
        remove(step.name);
      } else {
        write(step);
      }
    }
    return {};
  }

  void write(const Step& step) {
    const auto place = where_.folder / step.name;
    Result<bool> done = true;
    if (step.action == SkillAction::kAdded) {
      if (auto written = writeSkill(place, *step.skill, fetch_); !written) {
        done = std::move(written).error();
      }
    } else {
      done = replaceSkill(place, *step.skill, fetch_, [&](const FoundSkill& found) {
        return manifest_.owns(step.name, found.tree);
      });
    }
    auto& trees = manifest_.trees[step.name];
    if (!done || !done.value()) {
      trees.pop_back();
      changes_.push_back(done ? SkillChange{step.name, SkillAction::kKept, kByHand}
                              : SkillChange{step.name, SkillAction::kFailed, done.error().message});
      if (trees.empty()) {
        manifest_.trees.erase(step.name);
      }
      return;
    }
    trees = {step.skill->tree};
    changes_.push_back({step.name, step.action});
  }

  void remove(const std::string& name) {
    const auto place = where_.folder / name;
    const auto old = oldSkill(where_.folder);
    if (::rename(place.c_str(), old.c_str()) != 0) {
      changes_.push_back({name, SkillAction::kFailed, cannotDo("remove", place).message});
    } else if (!manifest_.owns(name, skillAt(old).tree)) {
      static_cast<void>(::rename(old.c_str(), place.c_str()));
      release(name);
    } else {
      removeTree(old);
      manifest_.trees.erase(name);
      changes_.push_back({name, SkillAction::kRemoved});
    }
  }

  const FolderSync& where_;
  const std::vector<OfferedSkill>& skills_;
  const FetchTree& fetch_;
  base::Fd folder_;
  SyncManifest manifest_;
  std::string stored_;  ///< the manifest as it is in its file
  std::vector<Step> todo_;
  std::vector<SkillChange> changes_;
};

}  // namespace

std::string_view actionName(SkillAction action) {
  constexpr std::array<std::string_view, 6> kNames{"added", "updated",  "removed",
                                                   "kept",  "released", "failed"};
  return kNames.at(static_cast<std::size_t>(action));
}

Result<std::vector<SkillChange>> syncSkills(const FolderSync& where,
                                            const std::vector<OfferedSkill>& skills,
                                            const FetchTree& fetch) {
  return Sync(where, skills, fetch).run();
}

SkillChange exportSkill(const fs::path& folder, const OfferedSkill& skill, const FetchTree& fetch,
                        bool replace_it) {
  if (!skillfiles::isUsableSkillName(skill.name)) {
    return {skillfiles::shownName(skill.name), SkillAction::kFailed, "that is no name of a skill"};
  }
  const auto place = folder / skill.name;
  const auto found = skillAt(place);
  if (found.presence == Presence::kNothing) {
    const auto written = writeSkill(place, skill, fetch);
    return written ? SkillChange{skill.name, SkillAction::kAdded}
                   : SkillChange{skill.name, SkillAction::kFailed, written.error().message};
  }
  if (found.tree == skill.tree) {
    return {skill.name, SkillAction::kKept};
  }
  if (!replace_it) {
    return {skill.name, SkillAction::kFailed, "something else is there; --force replaces it"};
  }
  const auto replaced = replaceSkill(place, skill, fetch, [](const FoundSkill&) { return true; });
  return replaced ? SkillChange{skill.name, SkillAction::kUpdated}
                  : SkillChange{skill.name, SkillAction::kFailed, replaced.error().message};
}

}  // namespace svc::client
