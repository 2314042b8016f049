#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dispatch.h"
#include "skill_sync.h"

namespace svc::client {

struct SkillOptions {
  std::string skill;    ///< id or name; empty = all
  std::string project;  ///< of the server; empty = none
};

struct SkillExportOptions {
  std::string folder;
  std::string skill;
  bool force = false;
};

struct SkillSyncOptions {
  std::vector<std::string> agents{};
  std::string project{};  ///< a folder; empty = the user's own folders
  bool watch = false;
  bool dry_run = false;
};

[[nodiscard]] int skillList(Context& context, const SkillOptions& options);
[[nodiscard]] int skillShow(Context& context, const SkillOptions& options, const std::string& file);
[[nodiscard]] int skillValidate(Context& context, const std::string& folder);
[[nodiscard]] int skillExport(Context& context, const SkillExportOptions& options);
[[nodiscard]] int skillSync(Context& context, const SkillSyncOptions& options);
/// With how `--watch` waits for the next look: false ends it.
[[nodiscard]] int skillSync(Context& context, const SkillSyncOptions& options,
                            const std::function<bool()>& wait);

/// "?projectId=…" for a project of the server.
[[nodiscard]] std::string skillQuery(const SkillOptions& options);
/// The skill of this id, or the one of this name that agents get; null when there is none.
[[nodiscard]] const common::Json* findSkill(const common::Json& list, const std::string& wanted);
/// Says that there is none, with the nearest name.
[[nodiscard]] int unknownSkill(const Console& console, const common::Json& list,
                               const std::string& wanted);
/// Folders that are no skills, on stderr.
void complainOfSkills(const Console& console, const common::Json& list);

}  // namespace svc::client
