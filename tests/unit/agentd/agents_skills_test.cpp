#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "svc/hostprotocol/agent_limits.h"

#include "agents_fixture.h"

namespace svc::agentd {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTakesFolders =
    R"({"capabilities":{"sessionCapabilities":{"additionalDirectories":{}}}})";

TEST_F(AgentsTest, SkillsOfTheServerAreAFolderAsLongAsTheirSessionLives) {
  const auto opened = ask(&Agents::open, wanted("a", kTakesFolders).set("skills", oneSkill()));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto folder = Json::parse(opened.value()).value()["skillsDirectory"].asString();
  EXPECT_TRUE(std::filesystem::exists(folder + "/review/SKILL.md"));
  const auto begun = heard()[1];
  ASSERT_EQ(begun["method"].asString(), "session/new");
  EXPECT_EQ(begun["params"]["additionalDirectories"].items()[0].asString(), folder);
  ASSERT_TRUE(ask(&Agents::close, of("a")).ok());
  untilTold("a", "session/ended");
  until([&] { return marks() == 0; });
  workers_.wait();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(AgentsTest, WithoutItsSkillsASessionBeginsAndSaysSo) {
  auto skills = oneSkill();
  packed_.clear();
  const auto opened = ask(&Agents::open, wanted("a", "{}").set("skills", skills));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE(Json::parse(opened.value()).value()["skillsDirectory"].isNull());
  EXPECT_THAT(untilTold("a", "provider/warning")["details"].asString(),
              HasSubstr("there is no such tree"));
  silent_server_ = true;
  std::optional<Result<std::string>> late;
  agents_->open(wanted("b", "{}").set("skills", skills).dump(),
                [&](Result<std::string> result) { late = std::move(result); });
  until([&] { return !unanswered_.empty(); });
  EXPECT_EQ(timers_.fire(limits::kAgentSkillsWait), 1);
  until([&] { return late.has_value(); });
  ASSERT_TRUE(late->ok());
  EXPECT_THAT(untilTold("b", "provider/warning")["details"].asString(),
              HasSubstr("agentSkillsWait"));
}

TEST_F(AgentsTest, ASessionThatIsClosedWhileItsSkillsComeEnds) {
  silent_server_ = true;
  std::optional<Result<std::string>> answer;
  agents_->open(wanted("a", "{}").set("skills", oneSkill()).dump(),
                [&](Result<std::string> result) { answer = std::move(result); });
  until([&] { return !unanswered_.empty(); });
  EXPECT_EQ(ask(&Agents::close, of("a")).value(), R"({"closed":true})");
  until([&] { return answer.has_value(); });
  EXPECT_FALSE(answer->ok());
}

}  // namespace
}  // namespace svc::agentd
