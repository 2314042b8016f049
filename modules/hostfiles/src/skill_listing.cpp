#include "skill_listing.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/skillfiles/skill.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::size_t kFolders = 64;

Json skillJson(const skillfiles::LoadedSkill& skill, const fs::path& folder) {
  auto files = Json::array();
  for (const auto& file : skill.tree.files) {
    files.push(Json::object()
                   .set("path", file.path)
                   .set("size", file.size)
                   .set("digest", file.digest)
                   .set("executable", file.executable));
  }
  return Json::object()
      .set("name", skill.head.name)
      .set("description", skill.head.description)
      .set("directory", (folder / skill.directory.filename()).string())
      .set("frontMatter", skill.head.front_matter)
      .set("files", std::move(files));
}

Json problemJson(const std::string& path, const std::string& message) {
  return Json::object().set("path", path).set("message", message);
}

/// What is held is read, so that no link that comes meanwhile leads elsewhere.
Json read(const std::string& name, const Object& held) {
  const fs::path anchored = fmt::format("/proc/self/fd/{}", held.handle.get());
  const auto found = skillfiles::loadOwnSkills(anchored, skillfiles::Rules::kLenient);
  auto skills = Json::array();
  for (const auto& skill : found.skills) {
    skills.push(skillJson(skill, held.path));
  }
  auto problems = Json::array();
  const auto shown = skillfiles::shownName(held.path.string());
  for (const auto& problem : found.problems) {
    problems.push(
        problemJson(problem.path.empty() ? shown : shown + '/' + problem.path, problem.message));
  }
  return Json::object()
      .set("folder", name)
      .set("skills", std::move(skills))
      .set("problems", std::move(problems));
}

Json outside(const std::string& root, const std::string& name) {
  return Json::object()
      .set("folder", name)
      .set("skills", Json::array())
      .set("problems",
           Json::Array{problemJson(skillfiles::shownName((fs::path(root) / name).string()),
                                   "it is a link that leaves the project")});
}

}  // namespace

Result<std::string> listSkills(const Bounds& bounds, const std::string& command) {
  auto reader = common::BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto root = reader.value().requiredString("path");
  const auto names = reader.value().body()["folders"];
  if (auto status = reader.value().finish(); !status) {
    return std::move(status).error();
  }
  if (!names.isArray() || names.items().size() > kFolders) {
    return Error{errc::kInvalidInput,
                 fmt::format("folders: expected a list of at most {}", kFolders)};
  }
  const auto reach = Reach::of(bounds, root);
  if (!reach) {
    return reach.error();
  }
  std::set<fs::path> seen;
  auto folders = Json::array();
  for (const auto& name : names.items()) {
    const auto held = reach.value().object(name.asString());
    if (held && seen.insert(held.value().path).second) {
      folders.push(read(name.asString(), held.value()));
    } else if (!held && held.error().code == errc::kForbidden) {
      folders.push(outside(root, name.asString()));
    }
  }
  return Json::object().set("folders", std::move(folders)).dump();
}

}  // namespace svc::hostfiles
