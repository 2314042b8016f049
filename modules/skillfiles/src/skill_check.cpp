#include "svc/skillfiles/skill_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/limits/skills.h"
#include "svc/skillfiles/front_matter.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/skill_tree.h"

#include "text.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using common::Json;
using Severity = SkillIssue::Severity;

constexpr std::size_t kCompatibility = 500;
/// What agents are told to keep to, so that a skill costs little of what they can remember.
constexpr int kBodyLines = 500;
constexpr std::size_t kBodyCharacters = 20'000;
/// What clients of MCP have to accept.
constexpr std::size_t kMcpFiles = 512;
constexpr std::string_view kReserved = "io.modelcontextprotocol/";
constexpr std::array<std::string_view, 6> kKnown{"name",          "description", "license",
                                                 "compatibility", "metadata",    "allowed-tools"};

class Check {
 public:
  explicit Check(fs::path directory) : directory_(std::move(directory)) {}

  Result<std::vector<SkillIssue>> run() {
    auto reading = readTree(directory_);
    if (!reading) {
      return std::move(reading).error();
    }
    tree_ = std::move(reading).value();
    checkHead();
    for (auto& problem : tree_.problems) {
      add(Severity::kError, 0, std::move(problem.message), std::move(problem.path));
    }
    if (tree_.tree.files.size() > kMcpFiles) {
      add(Severity::kWarning, 0,
          fmt::format("it has {} files; MCP clients need not accept more than {}",
                      tree_.tree.files.size(), kMcpFiles),
          "");
    }
    return std::move(issues_);
  }

 private:
  void add(Severity severity, int line, std::string message,
           std::string file = std::string(kSkillFile)) {
    issues_.push_back({severity, std::move(file), line, std::move(message)});
  }
  void error(int line, std::string message) { add(Severity::kError, line, std::move(message)); }

  void checkHead() {
    const auto text = readTreeFile(directory_, kSkillFile);
    if (!text) {
      error(0, text.error().code == errc::kNotFound ? "it is not there" : text.error().message);
      return;
    }
    if (!common::isUtf8(text.value())) {
      error(0, "it is not UTF-8 text");
      return;
    }
    auto read = readFrontMatter(text.value(), Repair::kNothing);
    if (const auto* const problem = std::get_if<FrontMatterProblem>(&read)) {
      error(problem->line, problem->message);
      return;
    }
    matter_ = std::move(std::get<FrontMatter>(read));
    checkName();
    checkDescription();
    checkOthers();
    checkBody(std::string_view(text.value()).substr(matter_.body_offset));
  }

  /// The text of a member that must be one; nothing when it is not there or no text, which is said.
  std::optional<std::string> text(std::string_view key, bool required) {
    const auto* const value = matter_.values.find(key);
    if (value == nullptr) {
      if (required) {
        error(1, fmt::format("{} is missing", key));
      }
      return std::nullopt;
    }
    if (!value->isString()) {
      error(matter_.lineOf(key), fmt::format("{} must be text; put it in quotes", key));
      return std::nullopt;
    }
    return value->asString();
  }

  void checkName() {
    const auto name = text("name", true);
    if (!name) {
      return;
    }
    const auto folder = fs::absolute(directory_).lexically_normal();
    const auto last = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    if (!isSkillName(*name)) {
      error(matter_.lineOf("name"),
            fmt::format("name is \"{}\", it must be {}", shownName(*name), nameRule()));
    } else if (*name != last) {
      error(matter_.lineOf("name"),
            fmt::format("name is \"{}\", it must be that of the directory, \"{}\"", *name,
                        shownName(last)));
    }
  }

  void checkDescription() {
    const auto description = text("description", true);
    if (!description) {
      return;
    }
    const auto length = characterCount(*description);
    if (base::trimmed(*description).empty()) {
      error(matter_.lineOf("description"),
            "description must say what the skill does and when to use it");
    } else if (length > limits::kSkillDescription) {
      error(matter_.lineOf("description"),
            fmt::format("description has {} characters, the limit is {}", length,
                        limits::kSkillDescription));
    }
  }

  void checkOthers() {
    text("license", false);
    text("allowed-tools", false);
    if (const auto value = text("compatibility", false)) {
      if (const auto length = characterCount(*value); length == 0 || length > kCompatibility) {
        error(matter_.lineOf("compatibility"),
              fmt::format("compatibility has {} characters, it must have 1 to {}", length,
                          kCompatibility));
      }
    }
    checkMetadata();
    for (const auto& [key, value] : matter_.values.members()) {
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
        add(Severity::kWarning, matter_.lineOf(key),
            fmt::format(
                "\"{}\" is no field of Agent Skills; others may refuse it (metadata may have it)",
                shownName(key)));
      }
    }
  }

  void checkMetadata() {
    const auto* const metadata = matter_.values.find("metadata");
    if (metadata == nullptr) {
      return;
    }
    const int line = matter_.lineOf("metadata");
    if (!metadata->isObject()) {
      error(line, "metadata must be a list of \"key: text\"");
      return;
    }
    for (const auto& [key, value] : metadata->members()) {
      if (!value.isString()) {
        error(line, fmt::format("metadata: \"{}\" must be text; put it in quotes", shownName(key)));
      }
      if (key.starts_with(kReserved)) {
        error(line, fmt::format("metadata: keys that begin with \"{}\" are reserved", kReserved));
      }
    }
  }

  void checkBody(std::string_view body) {
    const auto lines = static_cast<int>(std::count(body.begin(), body.end(), '\n'));
    if (base::trimmed(body).empty()) {
      add(Severity::kWarning, matter_.body_line, "there is no text behind the head");
    }
    if (lines > kBodyLines) {
      add(Severity::kWarning, matter_.body_line + kBodyLines,
          fmt::format(
              "the text has {} lines; keep it under {} and put the rest into files of its own",
              lines, kBodyLines));
    } else if (const auto length = characterCount(body); length > kBodyCharacters) {
      add(Severity::kWarning, matter_.body_line,
          fmt::format(
              "the text has {} characters; keep it under {} and put the rest into files of its own",
              length, kBodyCharacters));
    }
    checkLinks(body);
  }

  /// Links of Markdown to files of the skill, which must be there.
  void checkLinks(std::string_view body) {
    int line = matter_.body_line;
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (body[at] == '\n') {
        ++line;
      } else if (body.substr(at, 2) == "](") {
        const auto rest = body.substr(at + 2);
        checkLink(line, rest.substr(0, rest.find_first_of(")\n \"")));
      }
    }
  }

  void checkLink(int line, std::string_view target) {
    target = target.substr(0, target.find('#'));
    if (target.starts_with("./")) {
      target.remove_prefix(2);
    }
    if (target.empty() || target.find_first_of(":%<?") != std::string_view::npos ||
        target.starts_with('/')) {
      return;
    }
    const auto& files = tree_.tree.files;
    const bool found = std::any_of(files.begin(), files.end(), [&](const SkillFile& file) {
      return file.path == target || (file.path.starts_with(target) &&
                                     (target.ends_with('/') || file.path[target.size()] == '/'));
    });
    if (!found) {
      add(Severity::kWarning, line,
          fmt::format("it links to {}, which is no file of the skill", shownName(target)));
    }
  }

  const fs::path directory_;
  TreeReading tree_;
  FrontMatter matter_;
  std::vector<SkillIssue> issues_;
};

}  // namespace

Result<std::vector<SkillIssue>> checkSkill(const fs::path& directory) {
  return Check(directory).run();
}

}  // namespace svc::skillfiles
