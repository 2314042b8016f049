#include "providers.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "agents_fixture.h"
#include "presets.h"

namespace svc::agentd {
namespace {

using ::testing::HasSubstr;

class ProvidersTest : public AgentsTest {
 protected:
  std::string program(const std::string& name, const std::string& text) {
    const auto file = directory_.write("bin/" + name, "#!/bin/sh\n" + text + "\n");
    ::chmod(file.c_str(), 0700);
    return file.string();
  }
  std::map<std::string, Json> list(const Json& agents = Json::object()) {
    const auto answer = ask(&Agents::listProviders, Json::object().set("agents", agents));
    EXPECT_TRUE(answer.ok());
    const auto listed = Json::parse(answer.value()).value();
    std::map<std::string, Json> by_id;
    for (const auto& provider : listed["providers"].items()) {
      by_id[provider["id"].asString()] = provider;
    }
    return by_id;
  }
};

TEST_F(ProvidersTest, PresetsThatAreNotThereSayHowToHaveThem) {
  const auto listed = list();
  EXPECT_EQ(listed.size(), presets().size());
  const auto& vibe = listed.at("vibe");
  EXPECT_FALSE(vibe["available"].asBool());
  EXPECT_THAT(vibe["unavailableReason"].asString(), HasSubstr("vibe-acp"));
  EXPECT_TRUE(vibe["version"].isNull());
  EXPECT_EQ(listed.at("gemini")["modes"].dump(), R"({"ask":"default","all":"yolo"})");
  EXPECT_EQ(listed.at("goose")["modes"]["ask"], Json());
  EXPECT_THAT(listed.at("claude")["installHint"].asString(), HasSubstr("npm install"));
}

TEST_F(ProvidersTest, ConfiguredAgentsAreMergedAndAskedForTheirVersionOnce) {
  const auto mine = program("mine", "echo x >> \"$TRACE\"; echo 'mine version v1.2.3-rc.1 (abc)'");
  const auto silent = program("silent", "echo; exit 1");
  const auto trace = (directory_.path() / "trace").string();
  const auto configured = Json::object()
                              .set("mine", Json::object()
                                               .set("command", mine)
                                               .set("displayName", "Mine")
                                               .set("env", Json::object().set("TRACE", trace)))
                              .set("claude", Json::object().set("command", silent))
                              .set("nowhere", Json::object().set("command", "/nonexistent/agent"));
  auto listed = list(configured);
  EXPECT_EQ(listed["mine"]["displayName"].asString(), "Mine");
  EXPECT_TRUE(listed["mine"]["available"].asBool());
  EXPECT_EQ(listed["mine"]["version"].asString(), "1.2.3-rc.1");
  EXPECT_EQ(listed["mine"]["program"].asString(), mine);
  EXPECT_EQ(listed["claude"]["displayName"].asString(), "Claude Code");
  EXPECT_TRUE(listed["claude"]["available"].asBool());
  EXPECT_TRUE(listed["claude"]["version"].isNull());
  EXPECT_EQ(listed["claude"]["modes"]["all"].asString(), "bypassPermissions");
  EXPECT_FALSE(listed["nowhere"]["available"].asBool());
  listed = list(configured);
  EXPECT_EQ(listed["mine"]["version"].asString(), "1.2.3-rc.1");
  EXPECT_EQ(std::filesystem::file_size(trace), 2U) << "the second time it is known";
  EXPECT_EQ(ask(&Agents::listProviders, Json::parse(R"({"agents":{"x":{}}})").value()).error().code,
            errc::kInvalidInput);
}

TEST_F(ProvidersTest, SessionsTellWhetherSomebodyIsSignedIn) {
  const auto configured = Json::object().set("mine", Json::object().set("command", "/bin/true"));
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "unknown");
  EXPECT_EQ(open("a", R"({"on":{"session/new":[{"error":{"code":-32000,"message":"sign in"}}]}})")
                .error()
                .code,
            errc::kUnauthorized);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "auth-required");
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "required");
  ASSERT_TRUE(open("b", "{}").ok());
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "signed-in");
}

TEST(VersionInTest, FindsTheFirstThatLooksLikeOne) {
  EXPECT_EQ(versionIn("codex-cli 0.166.0\n"), "0.166.0");
  EXPECT_EQ(versionIn("2.1.318 (Claude Code)"), "2.1.318");
  EXPECT_EQ(versionIn("v22 of 3 things: 1.0"), "1.0");
  EXPECT_EQ(versionIn("no 5. version"), "");
  EXPECT_EQ(versionIn(""), "");
}

}  // namespace
}  // namespace svc::agentd
