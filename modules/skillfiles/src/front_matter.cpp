#include "svc/skillfiles/front_matter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/base/text.h"

#include "yaml_reader.h"

namespace svc::skillfiles {
namespace {

constexpr std::size_t kBytes = 64UL * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view takeLine(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool isFence(std::string_view line) {
  return line.starts_with("---") && base::trimmed(line) == "---";
}

struct Block {
  std::string_view yaml;
  std::size_t body_offset = 0;
  int body_line = 1;
};

std::variant<Block, FrontMatterProblem> findBlock(std::string_view text) {
  const auto whole = text;
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (!isFence(takeLine(text))) {
    return FrontMatterProblem{1, "SKILL.md must begin with a line \"---\""};
  }
  const auto yaml = text;
  for (int line = 2; !text.empty(); ++line) {
    const auto at = yaml.size() - text.size();
    if (at > kBytes) {
      return FrontMatterProblem{line,
                                fmt::format("the head of SKILL.md has more than {} bytes", kBytes)};
    }
    if (isFence(takeLine(text))) {
      return Block{yaml.substr(0, at), whole.size() - text.size(), line + 1};
    }
  }
  return FrontMatterProblem{1, "the head of SKILL.md has no closing line \"---\""};
}

/// A value that YAML would take for a mapping, in quotes; nothing when the line has none.
std::optional<std::string> quotedLine(std::string_view line) {
  constexpr std::string_view kNeverPlain = "\"'|>[]{}&*!#%@`";
  const auto colon = line.find(": ");
  if (line.empty() || line.front() == ' ' || line.front() == '#' || colon == line.npos) {
    return std::nullopt;
  }
  const auto value = base::trimmed(line.substr(colon + 2));
  if (value.empty() || kNeverPlain.find(value.front()) != kNeverPlain.npos ||
      (value.find(": ") == value.npos && !value.ends_with(':'))) {
    return std::nullopt;
  }
  std::string quoted(line.substr(0, colon + 2));
  quoted += '\'';
  for (const char c : value) {
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return quoted + '\'';
}

std::optional<std::string> withQuotes(std::string_view yaml) {
  std::string repaired;
  bool changed = false;
  while (!yaml.empty()) {
    const auto line = takeLine(yaml);
    if (auto quoted = quotedLine(line)) {
      repaired += *quoted;
      changed = true;
    } else {
      repaired += line;
    }
    repaired += '\n';
  }
  return changed ? std::optional(std::move(repaired)) : std::nullopt;
}

}  // namespace

int FrontMatter::lineOf(std::string_view key) const {
  const auto found = lines.find(key);
  return found == lines.end() ? 0 : found->second;
}

std::variant<FrontMatter, FrontMatterProblem> readFrontMatter(std::string_view text,
                                                              Repair repair) {
  auto found = findBlock(text);
  if (auto* const problem = std::get_if<FrontMatterProblem>(&found)) {
    return std::move(*problem);
  }
  const auto& block = std::get<Block>(found);
  bool repaired = false;
  auto read = parseYaml(block.yaml);
  if (repair == Repair::kColons && std::holds_alternative<YamlProblem>(read)) {
    if (const auto quoted = withQuotes(block.yaml)) {
      if (auto again = parseYaml(*quoted); std::holds_alternative<YamlDocument>(again)) {
        read = std::move(again);
        repaired = true;
      }
    }
  }
  if (const auto* const problem = std::get_if<YamlProblem>(&read)) {
    return FrontMatterProblem{problem->line + 1,
                              fmt::format("the head of SKILL.md is no YAML: line {}: {}",
                                          problem->line + 1, problem->message)};
  }
  auto& document = std::get<YamlDocument>(read);
  if (!document.value.isObject()) {
    return FrontMatterProblem{2, "the head of SKILL.md must be a list of \"key: value\""};
  }
  FrontMatter matter{.values = std::move(document.value),
                     .lines = std::move(document.lines),
                     .body_offset = block.body_offset,
                     .body_line = block.body_line,
                     .repaired = repaired};
  for (auto& [key, line] : matter.lines) {
    ++line;  // the fence is the first line
  }
  return matter;
}

}  // namespace svc::skillfiles
