#include "commands/skill.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/record_lookup.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr std::string_view kMain = "SKILL.md";

/// Who it belongs to: "plugin todo", "svc-user", "provider-user claude".
std::string originOf(const Json& skill) {
  auto text = skill["scope"].asString();
  for (const char* const owner : {"pluginId", "provider"}) {
    if (skill[owner].isString()) {
      text += " " + skill[owner].asString();
    }
  }
  return text;
}

std::string useOf(const Json& skill) {
  return skill["offered"].asBool()      ? "agents"
         : skill["provider"].isString() ? skill["provider"].asString()
                                        : "hidden";
}

std::string skillTable(const Json& list, const Console& console) {
  Table table;
  table.add({"NAME", "FROM", "FOR", "DESCRIPTION"});
  for (const auto& skill : list["skills"].items()) {
    table.add(
        {skill["name"].asString(), originOf(skill), useOf(skill), skill["description"].asString()});
  }
  return table.render(layoutFor(console));
}

std::string skillFacts(const Json& skill, const Console& console) {
  Table table;
  table.add({"name", skill["name"].asString()});
  table.add({"id", skill["id"].asString()});
  table.add({"from", originOf(skill)});
  table.add({"for", useOf(skill)});
  table.add({"description", skill["description"].asString()});
  table.add({"file", skill["filePath"].asString()});
  for (const auto& file : skill["tree"]["files"].items()) {
    table.add(
        {"has", fmt::format("{} ({} bytes)", file["path"].asString(), file["size"].asInteger())});
  }
  return table.render(layoutFor(console));
}

/// The list, and the connection for what follows.
int withList(Context& context, const SkillOptions& options,
             const std::function<int(Api& api, const Reply& list)>& use) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto list = api.value().get("/skills" + skillQuery(options));
  if (!list) {
    return reportNoAnswer(console, list.error());
  }
  if (!list.value().ok()) {
    return reportFailure(console, list.value());
  }
  return use(api.value(), list.value());
}

}  // namespace

std::string skillQuery(const SkillOptions& options) {
  return options.project.empty() ? std::string() : "?projectId=" + percentEncode(options.project);
}

const Json* findSkill(const Json& list, const std::string& wanted) {
  const auto& skills = list["skills"].items();
  for (const bool by_id : {true, false}) {
    const auto found = std::find_if(skills.begin(), skills.end(), [&](const Json& skill) {
      return by_id ? skill["id"].asString() == wanted
                   : skill["offered"].asBool() && skill["name"].asString() == wanted;
    });
    if (found != skills.end()) {
      return &*found;
    }
  }
  return nullptr;
}

int unknownSkill(const Console& console, const Json& list, const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& skill : list["skills"].items()) {
    names.push_back(skill["name"].asString());
  }
  const auto nearest = nearestName(wanted, names);
  console.fail(Error{errc::kNotFound, "there is no skill \"" + oneLine(wanted) + "\""},
               nearest ? "did you mean \"" + oneLine(*nearest) + "\"?"
                       : std::string("`svc skill list` shows them"));
  return kExitNotFound;
}

void complainOfSkills(const Console& console, const Json& list) {
  for (const auto& problem : list["problems"].items()) {
    console.err << fmt::format("{}: {}\n", oneLine(problem["path"].asString()),
                               oneLine(problem["message"].asString()));
  }
}

namespace {

/// The project is named as everywhere: by its id or by its name.
int withProjectId(Context& context, const SkillOptions& named,
                  const std::function<int(const SkillOptions& options)>& use) {
  if (named.project.empty()) {
    return use(named);
  }
  return withRecord(context, kProjectRecords, named.project, [&](Api&, const Json& project) {
    return use({.skill = named.skill, .project = project["id"].asString()});
  });
}

int listSkills(Context& context, const SkillOptions& options) {
  return request(context, {"GET", "/api/v1/skills" + skillQuery(options), ""},
                 [&](const Json& envelope) {
                   const auto& console = context.console;
                   if (console.json) {
                     return static_cast<int>(kExitOk);
                   }
                   if (envelope["skills"].items().empty()) {
                     console.out << "There are no skills. Plugins bring theirs; your own go into "
                                    "the folder skills of the data directory.\n";
                   } else {
                     console.out << skillTable(envelope, console);
                   }
                   complainOfSkills(console, envelope);
                   return static_cast<int>(kExitOk);
                 });
}

int showSkill(Context& context, const SkillOptions& options, const std::string& file) {
  const auto& console = context.console;
  return withList(context, options, [&](Api& api, const Reply& list) {
    const auto* const skill = findSkill(list.json, options.skill);
    if (skill == nullptr) {
      return unknownSkill(console, list.json, options.skill);
    }
    const auto& path = file.empty() ? std::string(kMain) : file;
    const auto query = skillQuery(options);
    const auto content = api.get(
        fmt::format("/skills/content{}skillId={}&path={}", query.empty() ? "?" : query + "&",
                    percentEncode((*skill)["id"].asString()), percentEncode(path)));
    if (!content) {
      return reportNoAnswer(console, content.error());
    }
    if (!content.value().ok()) {
      return reportFailure(console, content.value());
    }
    const auto& text = content.value().json["content"].asString();
    if (console.json) {
      console.out << Json::object()
                         .set("ok", true)
                         .set("skill", *skill)
                         .set("path", path)
                         .set("content", text)
                         .dump()
                  << '\n';
    } else {
      if (file.empty()) {
        console.out << skillFacts(*skill, console) << '\n';
      }
      console.out << manyLines(text);
    }
    return static_cast<int>(kExitOk);
  });
}

}  // namespace

int skillList(Context& context, const SkillOptions& named) {
  return withProjectId(context, named,
                       [&](const SkillOptions& options) { return listSkills(context, options); });
}

int skillShow(Context& context, const SkillOptions& named, const std::string& file) {
  return withProjectId(context, named, [&](const SkillOptions& options) {
    return showSkill(context, options, file);
  });
}

}  // namespace svc::client
