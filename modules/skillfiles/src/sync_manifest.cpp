#include "svc/skillfiles/sync_manifest.h"

#include <algorithm>
#include <utility>

#include "svc/common/json.h"
#include "svc/skillfiles/skill.h"

namespace svc::skillfiles {
namespace {

using common::Json;

constexpr int kVersion = 1;

}  // namespace

bool SyncManifest::owns(std::string_view name, std::string_view tree) const {
  const auto found = trees.find(name);
  return found != trees.end() &&
         std::find(found->second.begin(), found->second.end(), tree) != found->second.end();
}

Result<SyncManifest> SyncManifest::parse(std::string_view text) {
  const auto json = Json::parse(text);
  if (!json || json.value()["version"].asInteger() != kVersion ||
      !json.value()["skills"].isObject()) {
    return Error{errc::kInvalidArgument, "it is no list of `svc skill sync`"};
  }
  SyncManifest manifest;
  for (const auto& [name, digests] : json.value()["skills"].members()) {
    if (!isUsableSkillName(name)) {
      return Error{errc::kInvalidArgument, "it names what is no skill"};
    }
    auto& trees = manifest.trees[name];
    for (const auto& digest : digests.items()) {
      trees.push_back(digest.asString());
    }
  }
  return manifest;
}

std::string SyncManifest::dump() const {
  auto skills = Json::object();
  for (const auto& [name, digests] : trees) {
    auto list = Json::array();
    for (const auto& digest : digests) {
      list.push(digest);
    }
    skills.set(name, std::move(list));
  }
  return Json::object()
             .set("about",
                  "Written by `svc skill sync`: the skills it keeps up to date here. Others are "
                  "left alone.")
             .set("version", kVersion)
             .set("skills", std::move(skills))
             .dumpPretty() +
         "\n";
}

}  // namespace svc::skillfiles
