#include "skill_source.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/mcp.h"
#include "svc/common/media_type.h"
#include "svc/http/text.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/tree_transfer.h"

#include "skill_uris.h"

namespace svc::mcp {
namespace {

using common::Json;
using skills::Catalogue;
using skills::Skill;

constexpr std::string_view kList = "skills/list";
constexpr std::string_view kGet = "skills/get";
constexpr std::string_view kDirectory = "resources/directory/read";
constexpr std::string_view kAfterUri = "after ";

/// What the instructions of a connection say of each skill, and of how many.
constexpr std::size_t kSentence = 200;
constexpr std::size_t kSentences = 40;

Json resourceJson(const Skill& skill, const skillfiles::SkillFile& file) {
  const bool main = file.path == skillfiles::kSkillFile;
  auto json = Json::object()
                  .set("uri", fileUri(skill, file.path))
                  .set("name", main ? skill.name : file.path.substr(file.path.rfind('/') + 1));
  if (main) {
    json.set("description", skill.description);
  }
  if (const auto type = common::mediaTypeOf(file.path); !type.empty()) {
    json.set("mimeType", type);
  }
  return json.set("size", file.size);
}

Json skillJson(const Skill& skill) {
  auto resources = Json::array();
  for (const auto& file : skill.tree.files) {
    resources.push(Json::object()
                       .set("uri", fileUri(skill, file.path))
                       .set("digest", "sha256:" + file.digest)
                       .set("size", file.size));
  }
  return Json::object()
      .set("uri", fileUri(skill, skillfiles::kSkillFile))
      .set("frontmatter", skill.front_matter)
      .set("resources", std::move(resources));
}

Answer answerOf(Json result, const Request& request, bool kept = false) {
  if (request.modern && kept) {
    result.set("ttlMs", 0).set("cacheScope", "private");
  }
  return {.result = common::RawJson(result.dump())};
}

/// By the URI of their SKILL.md, which pages go on from.
std::vector<const Skill*> servedOf(const Catalogue& catalogue, const Caller& caller) {
  std::vector<const Skill*> served;
  for (const auto& skill : catalogue.skills) {
    if (isServed(skill) && caller.sees(skill.plugin_id)) {
      served.push_back(&skill);
    }
  }
  std::sort(served.begin(), served.end(), [](const Skill* left, const Skill* right) {
    return skillUri(*left) < skillUri(*right);
  });
  return served;
}

/// What the caller's token does not show is not there.
Located locate(const Catalogue& catalogue, const std::string& uri, const Caller& caller) {
  auto located = mcp::locate(catalogue, uri);
  return located.skill != nullptr && caller.sees(located.skill->plugin_id) ? located : Located{};
}

Result<Json> listOf(const Catalogue& catalogue, const Request& request) {
  const auto params = common::JsonSlices::skim(request.params.text());
  const auto raw = params ? params.value().raw("cursor") : std::string_view();
  const auto cursor = raw.empty() ? std::string() : params.value().text("cursor");
  if (!raw.empty() && (!raw.starts_with('"') || !cursor.starts_with(kAfterUri))) {
    return Error{errc::kInvalidArgument, fmt::format("{} is not a cursor of this list", raw)};
  }
  auto list = Json::array();
  std::string last;
  bool more = false;
  for (const auto* const skill : servedOf(catalogue, request.caller)) {
    const auto uri = skillUri(*skill);
    if (!cursor.empty() && uri <= std::string_view(cursor).substr(kAfterUri.size())) {
      continue;
    }
    if (list.items().size() == limits::kMcpPage) {
      more = true;
      break;
    }
    list.push(skillJson(*skill));
    last = uri;
  }
  auto result = Json::object().set("skills", std::move(list));
  if (more) {
    result.set("nextCursor", std::string(kAfterUri) + last);
  }
  return result;
}

Result<std::string> uriOf(const Request& request) {
  const auto params = common::JsonSlices::skim(request.params.text());
  if (!params || !params.value().raw("uri").starts_with('"')) {
    return Error{errc::kInvalidArgument, "params.uri must be a string"};
  }
  return params.value().text("uri");
}

Error unknown(std::string_view what, const std::string& uri) {
  return {errc::kNotFound, fmt::format("there is no {} \"{}\"", what, uri),
          Json::object().set("uri", uri).dump()};
}

Result<Json> getOf(const Catalogue& catalogue, const std::string& uri, const Caller& caller) {
  const auto located = locate(catalogue, uri, caller);
  if (located.skill == nullptr || located.path != skillfiles::kSkillFile) {
    return unknown("skill", uri);
  }
  return Json::object().set("skill", skillJson(*located.skill));
}

Result<Json> directoryOf(const Catalogue& catalogue, const std::string& uri, const Caller& caller) {
  const auto located = locate(catalogue, uri, caller);
  if (located.skill == nullptr) {
    return unknown("directory", uri);
  }
  const auto prefix = located.path.empty() ? std::string() : located.path + '/';
  auto children = Json::array();
  std::set<std::string, std::less<>> folders;
  for (const auto& file : located.skill->tree.files) {
    if (!file.path.starts_with(prefix)) {
      continue;
    }
    const auto slash = file.path.find('/', prefix.size());
    if (slash == std::string::npos) {
      children.push(resourceJson(*located.skill, file));
    } else if (const auto folder = file.path.substr(0, slash); folders.insert(folder).second) {
      children.push(Json::object()
                        .set("uri", fileUri(*located.skill, folder))
                        .set("name", folder.substr(prefix.size()))
                        .set("mimeType", "inode/directory"));
    }
  }
  if (children.items().empty()) {
    return unknown("directory", uri);
  }
  return Json::object().set("resources", std::move(children));
}

Json contentJson(const std::string& uri, const std::string& path, const std::string& bytes) {
  auto content = Json::object().set("uri", uri);
  const auto type = common::mediaTypeOf(path);
  if (common::isUtf8(bytes)) {
    return content.set("mimeType", type.empty() ? std::string_view("text/plain") : type)
        .set("text", bytes);
  }
  return content.set("mimeType", type.empty() ? std::string_view("application/octet-stream") : type)
      .set("blob", skillfiles::encodeBase64(bytes));
}

std::string promptText(const Skill& skill, const std::string& text) {
  auto prompt =
      fmt::format("Follow this skill ({}).\n\n{}", fileUri(skill, skillfiles::kSkillFile), text);
  if (skill.tree.files.size() > 1) {
    prompt += "\nIts other files are resources:\n";
  }
  for (const auto& file : skill.tree.files) {
    if (file.path != skillfiles::kSkillFile) {
      prompt += fmt::format("- {}\n", fileUri(skill, file.path));
    }
  }
  return prompt;
}

}  // namespace

Json SkillSource::capabilities() const {
  const auto changes = Json::object().set("listChanged", true);
  return Json::object()
      .set("resources", changes)
      .set("prompts", changes)
      .set("extensions", Json::object().set("io.modelcontextprotocol/skills",
                                            Json::object().set("directoryRead", true)));
}

std::string SkillSource::instructions(const Caller& caller) {
  const auto catalogue = skills_.current();
  const auto served = servedOf(*catalogue, caller);
  if (served.empty()) {
    return {};
  }
  std::string text =
      "Skills say how to do what they are about. Read the resource of one before work that it "
      "describes:";
  for (std::size_t at = 0; at < served.size() && at < kSentences; ++at) {
    const auto& skill = *served[at];
    auto description = skill.description;
    std::replace(description.begin(), description.end(), '\n', ' ');
    text += fmt::format("\n- {}: {}", fileUri(skill, skillfiles::kSkillFile),
                        http::cutUtf8(description, kSentence));
  }
  if (served.size() > kSentences) {
    text += fmt::format("\n- {} more, which the list of resources has", served.size() - kSentences);
  }
  return text;
}

std::vector<Item> SkillSource::list(ListKind kind, const Caller& caller) {
  std::vector<Item> items;
  const auto catalogue = skills_.current();
  for (const auto* const skill : servedOf(*catalogue, caller)) {
    if (kind == ListKind::kPrompts) {
      items.push_back({skill->name,
                       common::RawJson(Json::object()
                                           .set("name", skill->name)
                                           .set("description", skill->description)
                                           .dump()),
                       skill->plugin_id});
    } else if (kind == ListKind::kResources) {
      for (const auto& file : skill->tree.files) {
        items.push_back({fileUri(*skill, file.path),
                         common::RawJson(resourceJson(*skill, file).dump()), skill->plugin_id});
      }
    }
  }
  return items;
}

bool SkillSource::takes(std::string_view method, std::string_view /*key*/) const {
  return method == kList || method == kGet || method == kDirectory;
}

void SkillSource::answer(Request request, Completion<Answer> done) {
  if (request.method == "prompts/get") {
    prompt(request, std::move(done));
    return;
  }
  if (request.method == "resources/read") {
    read(request, std::move(done));
    return;
  }
  const auto catalogue = skills_.current();
  Result<Json> result = Json();
  if (request.method == kList) {
    result = listOf(*catalogue, request);
  } else if (auto uri = uriOf(request)) {
    result = request.method == kGet ? getOf(*catalogue, uri.value(), request.caller)
                                    : directoryOf(*catalogue, uri.value(), request.caller);
  } else {
    result = std::move(uri).error();
  }
  if (!result) {
    done(std::move(result).error());
    return;
  }
  done(answerOf(std::move(result).value(), request, true));
}

void SkillSource::prompt(const Request& request, Completion<Answer> done) const {
  const auto catalogue = skills_.current();
  const auto* const skill = catalogue->offeredAs(request.key);
  if (skill == nullptr || !request.caller.sees(skill->plugin_id)) {
    done(Error{errc::kNotFound, fmt::format("there is no prompt \"{}\"", request.key)});
    return;
  }
  skills_.content(
      *skill, std::string(skillfiles::kSkillFile),
      [catalogue, skill, done = std::move(done)](const Result<std::string>& text) mutable {
        if (!text) {
          done(text.error());
          return;
        }
        const auto message =
            Json::object()
                .set("role", "user")
                .set("content", Json::object()
                                    .set("type", "text")
                                    .set("text", promptText(*skill, text.value())));
        done(Answer{.result = common::RawJson(Json::object()
                                                  .set("description", skill->description)
                                                  .set("messages", Json::Array{message})
                                                  .dump())});
      });
}

void SkillSource::read(const Request& request, Completion<Answer> done) const {
  const auto catalogue = skills_.current();
  auto located = locate(*catalogue, request.key, request.caller);
  if (located.skill == nullptr || located.path.empty()) {
    done(unknown("resource", request.key));
    return;
  }
  auto path = located.path;
  skills_.content(
      *located.skill, std::move(located.path),
      [uri = request.key, path = std::move(path),
       done = std::move(done)](const Result<std::string>& bytes) mutable {
        if (!bytes) {
          done(bytes.error());
          return;
        }
        done(Answer{.result = common::RawJson(
                        Json::object()
                            .set("contents", Json::Array{contentJson(uri, path, bytes.value())})
                            .dump())});
      });
}

}  // namespace svc::mcp
