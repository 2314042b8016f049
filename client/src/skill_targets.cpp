#include "skill_targets.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "console.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

/// `variable` moves the folder that `home` names, as the agent understands it.
struct Agent {
  std::string_view name;
  const char* variable;
  const char* home;
  const char* project;
};
constexpr std::array<Agent, 7> kAgents{{{"agents", nullptr, ".agents", ".agents"},
                                        {"claude", "CLAUDE_CONFIG_DIR", ".claude", ".claude"},
                                        {"codex", "CODEX_HOME", ".codex", ".codex"},
                                        {"opencode", nullptr, ".config/opencode", ".opencode"},
                                        {"gemini", nullptr, ".gemini", ".gemini"},
                                        {"qwen", nullptr, ".qwen", ".qwen"},
                                        {"copilot", nullptr, ".copilot", ".github"}}};

}  // namespace

const std::vector<std::string>& skillAgents() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& agent : kAgents) {
      names.emplace_back(agent.name);
    }
    return names;
  }();
  return kNames;
}

const std::vector<std::string>& usualSkillAgents() {
  // Claude is the one that does not read the shared folder.
  static const std::vector<std::string> kNames{"agents", "claude"};
  return kNames;
}

Result<SkillTarget> skillTarget(const std::string& agent, const std::optional<fs::path>& project,
                                const Environment& environment) {
  const auto* const found = std::find_if(kAgents.begin(), kAgents.end(),
                                         [&](const Agent& each) { return each.name == agent; });
  if (found == kAgents.end()) {
    return Error{codes::kUsage, "there is no agent \"" + agent + "\""};
  }
  if (project) {
    return SkillTarget{agent, *project, *project / found->project / "skills"};
  }
  if (found->variable != nullptr) {
    if (const auto moved = environment.variable(found->variable);
        moved && fs::path(*moved).is_absolute()) {
      return SkillTarget{agent, *moved, fs::path(*moved) / "skills"};
    }
  }
  const auto& home = environment.home;
  if (!home.is_absolute()) {
    return Error{errc::kNotFound, "HOME is \"" + home.string() +
                                      "\", which is no absolute path; name a folder with "
                                      "--project"};
  }
  return SkillTarget{agent, home, home / found->home / "skills"};
}

}  // namespace svc::client
