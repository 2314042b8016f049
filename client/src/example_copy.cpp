#include "example_copy.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "text.h"
#include "tree_copy.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::string_view kManifest = "package.json";
constexpr std::string_view kReadme = "README.md";
constexpr std::string_view kSkillFolder = "skills";
constexpr std::string_view kExampleSkill = "example-";

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

/// Replaces `from` where it is no part of a longer name and `wanted` agrees with its place.
template <typename Wanted>
void replaceWord(std::string& text, std::string_view from, std::string_view to,
                 const Wanted& wanted) {
  for (auto at = text.find(from); at != std::string::npos;) {
    const auto end = at + from.size();
    const bool whole = (at == 0 || !isNameCharacter(text[at - 1])) &&
                       (end == text.size() || !isNameCharacter(text[end]));
    const bool replaces = whole && wanted(std::string_view(text).substr(0, at));
    if (replaces) {
      text.replace(at, from.size(), to);
    }
    at = text.find(from, at + (replaces ? to.size() : from.size()));
  }
}

void replaceWord(std::string& text, std::string_view from, std::string_view to) {
  replaceWord(text, from, to, [](std::string_view) { return true; });
}

/// Whether a text ends in a command that a plugin's id follows: `svc `, `svc plugin config `.
bool isCommandBefore(std::string_view before) {
  constexpr std::string_view kProgram = "svc ";
  constexpr std::string_view kGroup = "svc plugin ";
  const auto at = before.rfind(kProgram);
  if (at == std::string_view::npos || (at > 0 && isNameCharacter(before[at - 1]))) {
    return false;
  }
  const auto words = before.substr(at);
  return words == kProgram || (words.starts_with(kGroup) && words.ends_with(' ') &&
                               std::all_of(words.begin(), words.end(), [](char c) {
                                 return (c >= 'a' && c <= 'z') || c == '-' || c == ' ';
                               }));
}

/// The values of `key: "…"` behind each `marker`.
std::vector<std::string> valuesBehind(std::string_view text, std::string_view marker,
                                      std::string_view key) {
  std::vector<std::string> values;
  const auto start = fmt::format("{}: \"", key);
  for (auto at = text.find(marker); at != std::string_view::npos; at = text.find(marker, at + 1)) {
    const auto value = text.find(start, at);
    if (value != std::string_view::npos) {
      const auto begin = value + start.size();
      values.emplace_back(text.substr(begin, text.find('"', begin) - begin));
    }
  }
  return values;
}

/// "The guide (`svc manual rpc`)" in place of a link to a page that is not beside the copy.
void replaceLinks(std::string& text) {
  constexpr std::string_view kUp = "](../";
  for (auto at = text.find(kUp); at != std::string::npos; at = text.find(kUp, at)) {
    const auto open = text.rfind('[', at);
    const auto close = text.find(')', at);
    if (open == std::string::npos || close == std::string::npos) {
      return;
    }
    const auto target = text.substr(at + 2, close - at - 2);
    const auto page = fs::path(target.substr(0, target.find('#'))).stem().string();
    const auto shown =
        fmt::format("{} (`svc manual {}`)", text.substr(open + 1, at - open - 1), page);
    text.replace(open, close + 1 - open, shown);
    at = open + shown.size();
  }
}

/// What npm packs: .gitignore names dist, which an installed package needs.
Json packed(const std::vector<std::string>& files) {
  auto list = Json::array();
  list.push("dist");
  for (const auto& file : files) {
    if (file != kManifest && file != kReadme && file != "tests" && file != "tsconfig.json") {
      list.push(file);
    }
  }
  return list;
}

std::vector<std::string> namesIn(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator each(directory, failure), end; !failure && each != end;
       each.increment(failure)) {
    names.push_back(each->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Renaming::Renaming(ExampleNames example, ScaffoldName name)
    : example_(std::move(example)), name_(std::move(name)) {}

std::string Renaming::text(const fs::path& path, std::string text) const {
  replaceAll(text, fmt::format("svc plugin install {}@examples", example_.id),
             "svc plugin install .");
  replaceWord(text, "svc-plugin-" + example_.id, name_.package);
  for (const auto& tool : example_.tools) {
    auto prefix = name_.id;
    std::replace(prefix.begin(), prefix.end(), '-', '_');
    replaceWord(text, tool, prefix + tool.substr(tool.find('_')));
  }
  for (const auto& skill_name : example_.skills) {
    replaceWord(text, skill_name, skill(skill_name), [](std::string_view before) {
      return before.ends_with("\nname: ") || before.ends_with("skills/") || before.ends_with('"');
    });
  }
  replaceAll(text, fmt::format("\"{}\"", example_.id), fmt::format("\"{}\"", name_.id));
  replaceAll(text, fmt::format("\"{}-", example_.id), fmt::format("\"{}-", name_.id));
  replaceAll(text, fmt::format("plugins/{}/", example_.id), fmt::format("plugins/{}/", name_.id));
  replaceWord(text, example_.id, name_.id, isCommandBefore);
  renameTitles(text);
  if (path == kReadme) {
    renameInReadme(text);
  }
  return text;
}

void Renaming::renameTitles(std::string& text) const {
  const auto& [from, to] = std::pair(example_.title, name_.title);
  // A title of one word is a word of the language, too.
  if (from.find(' ') != std::string::npos) {
    replaceWord(text, from, to);
  } else {
    replaceAll(text, fmt::format("\"{}\"", from), fmt::format("\"{}\"", to));
  }
  for (const auto& page : example_.pages) {
    replaceAll(text, fmt::format("title: \"{}\"", page), fmt::format("title: \"{}\"", to));
  }
}

void Renaming::renameInReadme(std::string& text) const {
  replaceAll(text, fmt::format("→ {} →", example_.title), fmt::format("→ {} →", name_.title));
  for (const auto& page : example_.pages) {
    replaceAll(text, fmt::format("`{}`", page), fmt::format("`{}`", name_.title));
  }
  replaceLinks(text);
}

std::string Renaming::skill(const std::string& name) const {
  const auto rest = name.starts_with(kExampleSkill) ? name.substr(kExampleSkill.size()) : name;
  return asSkillName(name == example_.id ? name_.id : fmt::format("{}-{}", name_.id, rest));
}

fs::path Renaming::path(const fs::path& path) const {
  fs::path made;
  for (const auto& part : path) {
    const bool is_skill =
        made == kSkillFolder && std::find(example_.skills.begin(), example_.skills.end(),
                                          part.string()) != example_.skills.end();
    made /= is_skill ? fs::path(skill(part.string())) : part;
  }
  return made;
}

Json Renaming::manifest(const Json& example, const std::vector<std::string>& files) const {
  auto made = Json::object();
  for (const auto& [key, value] : example.members()) {
    made.set(key, value);
    if (key == "type") {
      made.set("files", packed(files));
    }
  }
  made.set("name", name_.package);
  auto service = example["svc"];
  service.set("name", name_.title);
  if (service["themes"].isArray()) {
    auto themes = Json::array();
    for (auto theme : service["themes"].items()) {
      theme.set("id", theme["id"].asString() == example_.id ? name_.id : theme["id"].asString());
      theme.set("name", theme["name"].asString() == example_.title ? name_.title
                                                                   : theme["name"].asString());
      themes.push(std::move(theme));
    }
    service.set("themes", std::move(themes));
  }
  made.set("svc", std::move(service));
  auto scripts = Json::object();
  scripts.set("dev", "svc plugin dev").set("build", "svc plugin build");
  for (const auto& [key, value] : example["scripts"].members()) {
    scripts.set(key, value);
  }
  made.set("scripts", std::move(scripts));
  return made;
}

Result<ExampleNames> readExampleNames(const fs::path& directory) {
  const auto manifest = readPackageFile(directory);
  if (!manifest) {
    return Error{errc::kUnavailable,
                 fmt::format("{}: install svc again", manifest.error().message)};
  }
  const auto server = readShipped(directory / "server.ts");
  if (!server) {
    return server.error();
  }
  ExampleNames names;
  names.id = directory.filename().string();
  names.title = manifest.value().json["svc"]["name"].asString();
  names.tools = valuesBehind(server.value(), "registerTool(", "name");
  names.skills = namesIn(directory / kSkillFolder);
  // Not every plugin has a page.
  if (const auto app = readShipped(directory / "app.tsx"); app) {
    names.pages = valuesBehind(app.value(), "navPanel(", "title");
  }
  return names;
}

Status copyExample(const fs::path& example, const ScaffoldName& name, const fs::path& target) {
  auto names = readExampleNames(example);
  if (!names) {
    return names.error();
  }
  const Renaming renaming(std::move(names).value(), name);
  auto copied =
      copyTree(example, target,
               {.name = [&](const fs::path& path) { return renaming.path(path); },
                .text =
                    [&](const fs::path& path, std::string text) {
                      return path == kManifest ? text : renaming.text(path, std::move(text));
                    }});
  if (!copied) {
    return copied;
  }
  auto manifest = readPackageFile(target);
  if (!manifest) {
    return manifest.error();
  }
  manifest.value().json = renaming.manifest(manifest.value().json, namesIn(example));
  return writePackageFile(manifest.value());
}

}  // namespace svc::client
