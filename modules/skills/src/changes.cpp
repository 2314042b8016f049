#include "changes.h"

#include <sys/stat.h>

#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/common/codes.h"
#include "svc/common/limits/skills.h"
#include "svc/skillfiles/skill.h"

namespace svc::skills {
namespace {

namespace fs = std::filesystem;
using common::Json;

Status mayChange(const Skill& skill) {
  if (skill.manageable()) {
    return {};
  }
  return Error{errc::kForbidden,
               fmt::format("skill {} belongs to {} and cannot be changed here", skill.id,
                           skill.scope == Scope::kPlugin ? "its plugin" : "who made it")};
}

Status fits(const Skill& skill, const std::string& text) {
  if (text.size() > limits::kSkillTreeBytes) {
    return Error{errc::kTooLarge,
                 fmt::format("SKILL.md would have {} bytes, the limit skill-tree is {}",
                             text.size(), limits::kSkillTreeBytes)};
  }
  const auto head = skillfiles::parseSkill(text, skill.directory.filename().string(),
                                           skillfiles::Rules::kLenient);
  auto message = head ? std::string() : head.error().message;
  if (head && head.value().name != skill.name) {
    message = fmt::format("name in SKILL.md is \"{}\", it must stay \"{}\"", head.value().name,
                          skill.name);
  }
  if (message.empty()) {
    return {};
  }
  Error error{errc::kInvalidInput, message};
  auto issues = Json::array();
  issues.push(Json::object().set("message", message).set("path", Json::Array{Json("content")}));
  error.issues = issues.dump();
  return error;
}

}  // namespace

Result<Changes::Saved> Changes::update(const Skill& skill, const std::string& text,
                                       const std::string& revision) {
  if (auto status = mayChange(skill); !status) {
    return std::move(status).error();
  }
  if (auto status = fits(skill, text); !status) {
    return std::move(status).error();
  }
  const auto file = skill.directory / skillfiles::kSkillFile;
  const std::scoped_lock lock(mutex_);
  const auto present = skillfiles::readTreeFile(skill.directory, skillfiles::kSkillFile);
  if (!present) {
    return present.error();
  }
  if (const auto now = skillfiles::digestOf(present.value()); now != revision) {
    return Error{errc::kConflict,
                 fmt::format("SKILL.md of {} has been changed meanwhile", skill.name),
                 Json::object().set("revision", now).dump()};
  }
  struct stat status {};
  constexpr mode_t kPermissions = 0777;
  const mode_t mode = ::lstat(file.c_str(), &status) == 0 ? status.st_mode & kPermissions : 0644;
  if (auto written = base::replaceFile(
          file, text, {.mode = mode, .staged = skill.directory / ".svc-SKILL.md.tmp"});
      !written) {
    return std::move(written).error();
  }
  return Saved{file, skillfiles::digestOf(text)};
}

Result<fs::path> Changes::remove(const Skill& skill) {
  if (auto status = mayChange(skill); !status) {
    return std::move(status).error();
  }
  constexpr std::size_t kRandom = 6;
  const auto doomed = skill.directory.parent_path() / (".svc-removed-" + base::randomHex(kRandom));
  const std::scoped_lock lock(mutex_);
  std::error_code failure;
  fs::rename(skill.directory, doomed, failure);
  if (failure == std::errc::no_such_file_or_directory) {
    return Error{errc::kNotFound, fmt::format("there is no skill {} any more", skill.id)};
  }
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot remove {}: {}", skill.directory.string(), failure.message())};
  }
  fs::remove_all(doomed, failure);
  return skill.directory;
}

}  // namespace svc::skills
