#include "roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::skills {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> shown(const std::vector<Root>& roots) {
  std::vector<std::string> out;
  for (const auto& root : roots) {
    out.push_back(std::string(scopeName(root.scope)) + " " + root.provider + " " +
                  root.path.string());
  }
  return out;
}

std::optional<std::string> none(const char* /*name*/) { return std::nullopt; }

TEST(RootsTest, OfTheUserAndTheService) {
  EXPECT_THAT(
      shown(userRoots({.data = "/d", .home = "/h"}, none)),
      ElementsAre("svc-user  /d/skills", "shared-user  /h/.agents/skills",
                  "svc-builtin  /d/skills-generated", "provider-user claude /h/.claude/skills",
                  "provider-user codex /h/.codex/skills",
                  "provider-user opencode /h/.config/opencode/skills",
                  "provider-user gemini /h/.gemini/skills", "provider-user qwen /h/.qwen/skills",
                  "provider-user copilot /h/.copilot/skills"));
}

TEST(RootsTest, AUserWithoutHomeHasOnlyTheServices) {
  EXPECT_THAT(shown(userRoots({.data = "/d", .home = ""}, none)),
              ElementsAre("svc-user  /d/skills", "svc-builtin  /d/skills-generated"));
}

TEST(RootsTest, ProgramsAreFollowedToWhereTheyWereMoved) {
  const auto moved = [](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "CODEX_HOME" ? "/moved" : "relative";
  };
  EXPECT_THAT(shown(userRoots({.data = "/d", .home = ""}, moved)),
              ElementsAre("svc-user  /d/skills", "svc-builtin  /d/skills-generated",
                          "provider-user codex /moved/skills"));
}

TEST(RootsTest, OfAProject) {
  EXPECT_THAT(shown(projectRoots("/p")),
              ElementsAre("svc-project  /p/.svc/skills", "shared-project  /p/.agents/skills",
                          "provider-project claude /p/.claude/skills",
                          "provider-project codex /p/.codex/skills",
                          "provider-project opencode /p/.opencode/skills",
                          "provider-project gemini /p/.gemini/skills",
                          "provider-project qwen /p/.qwen/skills",
                          "provider-project copilot /p/.github/skills"));
}

}  // namespace
}  // namespace svc::skills
