#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/skill_check.h"

#include "commands/skill.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;
using skillfiles::SkillIssue;

std::string severityName(SkillIssue::Severity severity) {
  return severity == SkillIssue::Severity::kError ? "error" : "warning";
}

/// The skills of a folder: it is one itself, a plugin that has some, or a folder of skills.
std::vector<fs::path> skillsIn(const fs::path& folder) {
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder / skillfiles::kSkillFile, failure))) {
    return {folder};
  }
  std::vector<fs::path> roots{folder};
  constexpr std::size_t kManifestBytes = 1024UL * 1024;
  if (const auto text = base::readFile(folder / "package.json", kManifestBytes)) {
    roots = {folder / "skills"};
    const auto manifest = Json::parse(text.value());
    if (manifest && manifest.value()["svc"]["skills"].isArray()) {
      roots.clear();
      for (const auto& root : manifest.value()["svc"]["skills"].items()) {
        auto name = root.asString();
        if (name.ends_with("/*")) {
          name.resize(name.size() - 2);
        }
        roots.push_back(folder / name);
      }
    }
  }
  std::vector<fs::path> found;
  for (const auto& root : roots) {
    for (fs::directory_iterator each(root, failure), end; !failure && each != end;
         each.increment(failure)) {
      const auto name = each->path().filename().string();
      if (!name.starts_with('.') && name != "node_modules" && each->is_directory(failure)) {
        found.push_back(each->path());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct Verdict {
  std::string path;
  std::vector<SkillIssue> issues;
  std::size_t errors = 0;
};

Verdict verdictOf(const fs::path& skill) {
  Verdict verdict{.path = skillfiles::shownName(skill.string()), .issues = {}};
  auto issues = skillfiles::checkSkill(skill);
  if (issues) {
    verdict.issues = std::move(issues).value();
  } else {
    verdict.issues.push_back({SkillIssue::Severity::kError, "", 0, issues.error().message});
  }
  verdict.errors = static_cast<std::size_t>(std::count_if(
      verdict.issues.begin(), verdict.issues.end(),
      [](const SkillIssue& issue) { return issue.severity == SkillIssue::Severity::kError; }));
  return verdict;
}

std::string place(const Verdict& verdict, const SkillIssue& issue) {
  auto text = verdict.path + (issue.file.empty() ? "" : "/" + issue.file);
  return issue.line == 0 ? text : fmt::format("{}:{}", text, issue.line);
}

Json toJson(const Verdict& verdict) {
  auto issues = Json::array();
  for (const auto& issue : verdict.issues) {
    issues.push(Json::object()
                    .set("severity", severityName(issue.severity))
                    .set("file", issue.file)
                    .set("line", issue.line == 0 ? Json() : Json(issue.line))
                    .set("message", issue.message));
  }
  return Json::object()
      .set("path", verdict.path)
      .set("valid", verdict.errors == 0)
      .set("issues", std::move(issues));
}

void print(const Console& console, const Verdict& verdict) {
  for (const auto& issue : verdict.issues) {
    const bool bad = issue.severity == SkillIssue::Severity::kError;
    console.out << fmt::format("{}: {}: {}\n", oneLine(place(verdict, issue)),
                               console.paint(bad ? Console::Style::kBad : Console::Style::kDim,
                                             severityName(issue.severity)),
                               oneLine(issue.message));
  }
  if (verdict.errors == 0) {
    console.out << fmt::format("{}: {}\n", oneLine(verdict.path),
                               console.paint(Console::Style::kGood, "valid"));
  }
}

}  // namespace

int skillValidate(Context& context, const std::string& folder) {
  const auto& console = context.console;
  const auto root = (context.environment.working_dir / folder).lexically_normal();
  const auto skills = skillsIn(root);
  if (skills.empty()) {
    console.fail(Error{errc::kNotFound,
                       "there are no skills in " + oneLine(skillfiles::shownName(root.string()))},
                 "name a folder with a SKILL.md, a folder of such folders, or a plugin");
    return kExitNotFound;
  }
  std::size_t errors = 0;
  auto list = Json::array();
  for (const auto& skill : skills) {
    const auto verdict = verdictOf(skill);
    errors += verdict.errors;
    if (console.json) {
      list.push(toJson(verdict));
    } else {
      print(console, verdict);
    }
  }
  if (errors == 0) {
    if (console.json) {
      console.out << Json::object().set("ok", true).set("skills", std::move(list)).dump() << '\n';
    }
    return kExitOk;
  }
  Error error{errc::kInvalidArgument,
              fmt::format("{} error{} in {} skill{}", errors, errors == 1 ? "" : "s", skills.size(),
                          skills.size() == 1 ? "" : "s")};
  error.details = Json::object().set("skills", std::move(list)).dump();
  console.fail(error);
  return kExitFailure;
}

}  // namespace svc::client
