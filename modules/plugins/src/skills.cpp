#include "skills.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/limits.h"

#include "plugin_files.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using Fields = std::map<std::string, std::string, std::less<>>;

/// What of a SKILL.md is looked at for its head.
constexpr std::size_t kHeadBytes = 64UL * 1024;

std::string_view trimmed(std::string_view text) { return base::trimmed(text, " \t\r"); }

std::string_view takeLine(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string unquoted(std::string_view value) {
  constexpr std::string_view kQuotes = "\"'";
  if (value.size() >= 2 && value.front() == value.back() &&
      kQuotes.find(value.front()) != std::string_view::npos) {
    return std::string(value.substr(1, value.size() - 2));
  }
  return std::string(value);
}

bool isBlockMark(std::string_view value) {
  return !value.empty() && (value.front() == '>' || value.front() == '|') &&
         value.find_first_not_of("+-", 1) == std::string_view::npos;
}

/// The members of the head; indented lines continue the value before them.
Fields readFields(std::string_view head) {
  Fields out;
  std::string key;
  while (!head.empty()) {
    const auto line = takeLine(head);
    const auto text = trimmed(line);
    if (text.empty() || text.starts_with('#')) {
      continue;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      auto& value = out[key];
      value += (value.empty() ? "" : " ") + std::string(text);
      continue;
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
      key.clear();
      continue;
    }
    key = std::string(trimmed(text.substr(0, colon)));
    const auto value = trimmed(text.substr(colon + 1));
    out[key] = isBlockMark(value) ? std::string() : unquoted(value);
  }
  return out;
}

bool isSkillName(std::string_view name) {
  bool after_dash = true;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!plain && (c != '-' || after_dash)) {
      return false;
    }
    after_dash = !plain;
  }
  return !name.empty() && name.size() <= limits::kSkillName && !after_dash;
}

Error invalid(std::string what) { return {errc::kInvalidArgument, std::move(what)}; }

Result<std::string> readHead(const fs::path& directory) {
  const auto file = directory / "SKILL.md";
  std::error_code failure;
  if (fs::is_symlink(directory, failure) || fs::is_symlink(file, failure)) {
    return invalid("it is a symbolic link");
  }
  if (!fs::is_regular_file(file, failure)) {
    return invalid("it has no SKILL.md");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(kHeadBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || (!in && !in.eof())) {
    return invalid("its SKILL.md cannot be read");
  }
  return text;
}

std::vector<fs::path> childDirectories(const fs::path& root) {
  std::vector<fs::path> out;
  std::error_code failure;
  for (fs::directory_iterator it(root, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (!it->path().filename().string().starts_with('.') && it->is_directory(failure)) {
      out.push_back(it->path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

void scanRoot(const fs::path& root, std::string_view shown, std::set<std::string>& names,
              SkillScan& out) {
  for (const auto& directory : childDirectories(root)) {
    if (out.skills.size() + out.problems.size() >= limits::kSkillTreeFiles) {
      out.problems.push_back({"invalid_skill", fmt::format("more than {} skills; the rest is "
                                                           "skipped (limit skill-tree)",
                                                           limits::kSkillTreeFiles)});
      return;
    }
    const auto name = directory.filename().string();
    const auto head = readHead(directory);
    auto skill = head ? parseSkill(head.value(), name) : Result<Skill>(head.error());
    if (skill && !names.insert(name).second) {
      skill = invalid("another skill of this plugin has the name already");
    }
    if (skill) {
      out.skills.push_back(std::move(skill).value());
    } else {
      out.problems.push_back({"invalid_skill", fmt::format("skill {}/{} is skipped: {}", shown,
                                                           name, skill.error().message)});
    }
  }
}

}  // namespace

Result<Skill> parseSkill(std::string_view text, std::string_view directory) {
  if (!isSkillName(directory)) {
    return invalid(
        fmt::format("the directory name must be lower-case words joined by single \"-\", at most "
                    "{} characters",
                    limits::kSkillName));
  }
  if (trimmed(takeLine(text)) != "---") {
    return invalid("SKILL.md must begin with a line \"---\"");
  }
  const auto end = text.find("\n---");
  if (end == std::string_view::npos) {
    return invalid("the head of SKILL.md has no closing line \"---\"");
  }
  auto fields = readFields(text.substr(0, end));
  if (fields["name"] != directory) {
    return invalid(fmt::format("name in SKILL.md is \"{}\", it must be the name of the directory",
                               fields["name"]));
  }
  auto& description = fields["description"];
  if (trimmed(description).empty()) {
    return invalid("description in SKILL.md must say when to use the skill");
  }
  if (const auto length = characterCount(description); length > limits::kSkillDescription) {
    return invalid(fmt::format("description in SKILL.md has {} characters, the limit is {}", length,
                               limits::kSkillDescription));
  }
  return Skill{std::string(directory), std::move(description)};
}

SkillScan scanSkills(const fs::path& plugin_root, const std::vector<std::string>& skill_roots) {
  SkillScan out;
  std::set<std::string> names;
  for (const auto& root : skill_roots) {
    std::error_code failure;
    const auto path = plugin_root / root;
    if (!fs::exists(path, failure)) {
      continue;
    }
    if (!isInside(plugin_root, path)) {
      out.problems.push_back(
          {"invalid_skill",
           fmt::format("svc.skills: \"{}\" is a link that leaves the plugin directory", root)});
      continue;
    }
    scanRoot(path, root, names, out);
  }
  return out;
}

}  // namespace svc::plugins
