#include "svc/skillfiles/skill.h"

#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/text.h"
#include "svc/common/limits/skills.h"
#include "svc/skillfiles/front_matter.h"
#include "svc/skillfiles/sync_manifest.h"

#include "text.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using common::Json;

Error invalid(std::string what) { return {errc::kInvalidArgument, std::move(what)}; }

/// The value of a member as text; null reads as none.
Result<std::string> textOf(const Json& values, std::string_view key) {
  const auto& value = values[key];
  if (value.isString()) {
    return value.asString();
  }
  if (value.isNull()) {
    return std::string();
  }
  if (value.isArray() || value.isObject()) {
    return invalid(fmt::format("{} in SKILL.md must be text", key));
  }
  return value.dump();
}

/// Name and what is to be remarked about it; an error when the rules do not let it pass.
Status takeName(std::string_view directory, Rules rules, SkillHead& head) {
  auto name = textOf(head.front_matter, "name");
  if (!name) {
    return std::move(name).error();
  }
  head.name = std::move(name).value();
  if (head.name == directory && isSkillName(head.name)) {
    return {};
  }
  if (rules == Rules::kContract) {
    return invalid(fmt::format("name in SKILL.md is \"{}\", it must be the name of the directory",
                               shownName(head.name)));
  }
  if (head.name.empty()) {
    head.warnings.emplace_back("SKILL.md has no name; that of the directory is used");
    head.name = directory;
  } else if (head.name != directory) {
    head.warnings.push_back(
        fmt::format("name in SKILL.md is \"{}\", not that of the directory", shownName(head.name)));
  }
  if (!isUsableSkillName(head.name)) {
    return invalid(
        fmt::format("\"{}\" is no name of a skill: {}", shownName(head.name), nameRule()));
  }
  if (!isSkillName(head.name)) {
    head.warnings.push_back(fmt::format("name in SKILL.md has {} characters, the limit is {}",
                                        head.name.size(), limits::kSkillName));
  }
  return {};
}

Status takeDescription(Rules rules, SkillHead& head) {
  auto text = textOf(head.front_matter, "description");
  if (!text) {
    return std::move(text).error();
  }
  head.description = base::trimmed(text.value());
  if (head.description.empty()) {
    return invalid("description in SKILL.md must say when to use the skill");
  }
  const auto length = characterCount(head.description);
  if (length <= limits::kSkillDescription) {
    return {};
  }
  auto what = fmt::format("description in SKILL.md has {} characters, the limit is {}", length,
                          limits::kSkillDescription);
  if (rules == Rules::kContract) {
    return invalid(std::move(what));
  }
  head.warnings.push_back(std::move(what));
  return {};
}

/// Names of what may be a skill, sorted. Hidden ones are not asked.
std::vector<std::string> childrenOf(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator each(root, failure), end; !failure && each != end;
       each.increment(failure)) {
    auto name = each->path().filename().string();
    std::error_code unknown;
    const auto status = each->symlink_status(unknown);
    if (!name.starts_with('.') && (fs::is_directory(status) || fs::is_symlink(status))) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A file beside the skills is nobody's business, but a link to a directory looks like a skill.
bool isStrayLink(const fs::path& path) {
  std::error_code failure;
  return fs::is_symlink(fs::symlink_status(path, failure)) && !fs::is_directory(path, failure);
}

}  // namespace

bool isSkillName(std::string_view name) {
  return isUsableSkillName(name) && name.size() <= limits::kSkillName;
}

bool isUsableSkillName(std::string_view name) {
  bool after_dash = true;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!plain && (c != '-' || after_dash)) {
      return false;
    }
    after_dash = !plain;
  }
  return !name.empty() && name.size() <= NAME_MAX && !after_dash;
}

Result<SkillHead> parseSkill(std::string_view text, std::string_view directory, Rules rules) {
  if (rules == Rules::kContract && !isSkillName(directory)) {
    return invalid("the directory name must be " + nameRule());
  }
  if (!common::isUtf8(text)) {
    return invalid("SKILL.md is not UTF-8 text");
  }
  auto read = readFrontMatter(text, Repair::kColons);
  if (const auto* const problem = std::get_if<FrontMatterProblem>(&read)) {
    return invalid(problem->message);
  }
  auto& matter = std::get<FrontMatter>(read);
  SkillHead head{
      .name = {}, .description = {}, .front_matter = std::move(matter.values), .warnings = {}};
  if (matter.repaired) {
    head.warnings.emplace_back(
        "a value in the head of SKILL.md has a colon; it should stand in quotes");
  }
  if (auto status = takeName(directory, rules, head); !status) {
    return std::move(status).error();
  }
  if (auto status = takeDescription(rules, head); !status) {
    return std::move(status).error();
  }
  return head;
}

Result<LoadedSkill> loadSkill(const fs::path& directory, Rules rules) {
  std::error_code failure;
  if (fs::is_symlink(fs::symlink_status(directory, failure))) {
    return invalid("it is a symbolic link");
  }
  auto text = readTreeFile(directory, kSkillFile);
  if (!text) {
    return invalid(text.error().code == errc::kNotFound
                       ? std::string("it has no SKILL.md")
                       : fmt::format("its SKILL.md cannot be read: {}", text.error().message));
  }
  auto head = parseSkill(text.value(), directory.filename().string(), rules);
  if (!head) {
    return std::move(head).error();
  }
  auto reading = readTree(directory);
  if (!reading) {
    return invalid(reading.error().message);
  }
  if (const auto& problems = reading.value().problems; !problems.empty()) {
    const auto& first = problems.front();
    return invalid(first.path.empty() ? fmt::format("it has {}", first.message)
                                      : fmt::format("{}: {}", first.path, first.message));
  }
  return LoadedSkill{std::move(head).value(), directory, std::move(reading).value().tree};
}

SkillFolder loadSkills(const fs::path& root, Rules rules) {
  SkillFolder folder;
  for (const auto& name : childrenOf(root)) {
    if (isStrayLink(root / name)) {
      continue;
    }
    if (folder.skills.size() + folder.problems.size() >= limits::kSkillTreeFiles) {
      folder.problems.push_back(
          {"", fmt::format("more than {} skills; the rest is skipped (limit skill-tree)",
                           limits::kSkillTreeFiles)});
      break;
    }
    auto skill = loadSkill(root / name, rules);
    if (!skill) {
      folder.problems.push_back({shownName(name), skill.error().message});
      continue;
    }
    for (const auto& warning : skill.value().head.warnings) {
      folder.problems.push_back({shownName(name), warning, true});
    }
    folder.skills.push_back(std::move(skill).value());
  }
  return folder;
}

SkillFolder loadOwnSkills(const fs::path& root, Rules rules) {
  auto folder = loadSkills(root, rules);
  const auto text = base::readFile(root / SyncManifest::kFileName, SyncManifest::kMaxBytes,
                                   base::Links::kRefused);
  if (const auto manifest =
          text ? SyncManifest::parse(text.value()) : Result<SyncManifest>(text.error())) {
    std::erase_if(folder.skills, [&copies = manifest.value()](const LoadedSkill& skill) {
      return copies.owns(skill.directory.filename().string(), skill.tree.digest);
    });
  }
  return folder;
}

}  // namespace svc::skillfiles
