#include "roots.h"

#include <array>
#include <string_view>

namespace svc::skills {
namespace {

namespace fs = std::filesystem;

/// Folders that one agent's program reads. `variable` names another place for `home`, as the program understands it.
struct Program {
  std::string_view provider;
  const char* variable;
  const char* home;
  const char* project;
};
constexpr std::array<Program, 6> kPrograms{{{"claude", "CLAUDE_CONFIG_DIR", ".claude", ".claude"},
                                            {"codex", "CODEX_HOME", ".codex", ".codex"},
                                            {"opencode", nullptr, ".config/opencode", ".opencode"},
                                            {"gemini", nullptr, ".gemini", ".gemini"},
                                            {"qwen", nullptr, ".qwen", ".qwen"},
                                            {"copilot", nullptr, ".copilot", ".github"}}};

fs::path ownFolder(const Program& program, const fs::path& home, const Variable& variable) {
  if (program.variable != nullptr) {
    if (const auto set = variable(program.variable); set && fs::path(*set).is_absolute()) {
      return *set;
    }
  }
  return home.empty() ? fs::path() : home / program.home;
}

}  // namespace

fs::path commandsFile(const fs::path& data) {
  return data / "skills-generated" / "plugin-commands" / "SKILL.md";
}

std::vector<Root> userRoots(const Homes& homes, const Variable& variable) {
  std::vector<Root> roots{{Scope::kSvcUser, {}, homes.data / "skills"}};
  if (!homes.home.empty()) {
    roots.push_back({Scope::kSharedUser, {}, homes.home / ".agents" / "skills"});
  }
  roots.push_back({Scope::kSvcBuiltin, {}, homes.data / "skills-generated"});
  for (const auto& program : kPrograms) {
    if (const auto folder = ownFolder(program, homes.home, variable); !folder.empty()) {
      roots.push_back({Scope::kProviderUser, std::string(program.provider), folder / "skills"});
    }
  }
  return roots;
}

std::vector<Root> projectRoots(const fs::path& project) {
  std::vector<Root> roots{{Scope::kSvcProject, {}, project / ".svc" / "skills", project},
                          {Scope::kSharedProject, {}, project / ".agents" / "skills", project}};
  for (const auto& program : kPrograms) {
    roots.push_back({Scope::kProviderProject, std::string(program.provider),
                     project / program.project / "skills", project});
  }
  return roots;
}

}  // namespace svc::skills
