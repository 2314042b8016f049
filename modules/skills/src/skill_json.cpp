#include <fmt/format.h>

#include "svc/skillfiles/skill.h"

#include "skill_routes.h"

namespace svc::skills {
namespace {

using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json filesJson(const skillfiles::SkillTree& tree) {
  auto files = Json::array();
  for (const auto& file : tree.files) {
    files.push(Json::object()
                   .set("path", file.path)
                   .set("size", file.size)
                   .set("digest", file.digest)
                   .set("executable", file.executable));
  }
  return files;
}

}  // namespace

Json toJson(const Skill& skill) {
  return Json::object()
      .set("id", skill.id)
      .set("name", skill.name)
      .set("description", skill.description)
      .set("filePath", (skill.directory / skillfiles::kSkillFile).string())
      .set("scope", scopeName(skill.scope))
      .set("provider", orNull(skill.provider))
      .set("pluginId", orNull(skill.plugin_id))
      .set("registrySkillId", Json())
      .set("manageable", skill.manageable())
      .set("offered", skill.offered)
      .set("tree",
           Json::object().set("digest", skill.tree.digest).set("files", filesJson(skill.tree)));
}

Json toJson(const Catalogue& catalogue) {
  auto skills = Json::array();
  for (const auto& skill : catalogue.skills) {
    skills.push(toJson(skill));
  }
  auto problems = Json::array();
  for (const auto& problem : catalogue.problems) {
    problems.push(Json::object().set("path", problem.path).set("message", problem.message));
  }
  return Json::object()
      .set("skills", std::move(skills))
      .set("catalogHash", catalogue.hash)
      .set("problems", std::move(problems));
}

}  // namespace svc::skills
