#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "agent_config.h"
#include "fixture.h"
#include "provider_record.h"

namespace svc::providers {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string problemOf(const std::string& json) {
  const auto agents = readAgents(json);
  return agents ? std::string() : agents.error().message;
}

TEST(AgentConfigTest, TheMemberThatIsWrongIsNamed) {
  EXPECT_EQ(problemOf(R"({"mine":{"command":"x","args":["a"],"env":{"A":"b"},"hosts":["h"]}})"),
            "");
  EXPECT_THAT(problemOf(R"({"Mine":{"command":"x"}})"), HasSubstr("\"Mine\""));
  EXPECT_THAT(problemOf(R"({"mine":{}})"), HasSubstr("mine.command"));
  EXPECT_THAT(problemOf(R"({"mine":{"command":"x","args":"a"}})"), HasSubstr("mine.args"));
  EXPECT_THAT(problemOf(R"({"mine":{"command":"x","env":{"A":1}}})"), HasSubstr("mine.env.A"));
  EXPECT_THAT(problemOf(R"({"mine":{"command":"x","comand":"y"}})"), HasSubstr("mine.comand"));
  EXPECT_THAT(problemOf(R"([])"), HasSubstr("expected an object"));
}

class CatalogueTest : public SessionsFixture {
 protected:
  void configure(const std::string& json) { catalogue_->configure(readAgents(json).value()); }
  void report(const std::string& providers) {
    catalogue_->hostOpened("host_a");
    answer(R"({"providers":[)" + providers + "]}");
  }
  static std::string agent(const std::string& id, bool available, const std::string& more = "") {
    return R"({"id":")" + id + R"(","displayName":")" + id + R"(","available":)" +
           (available ? R"(true,"unavailableReason":null)"
                      : R"(false,"unavailableReason":"not on the PATH","installHint":"npm i )" +
                            id + "\"") +
           more + "}";
  }
  std::string ids() const {
    std::string out;
    for (const auto& offer : catalogue_->list({})) {
      out += (out.empty() ? "" : " ") + offer.id + (offer.available ? "+" : "-");
    }
    return out;
  }
  std::string refusal(const std::string& id) const {
    const auto chosen = catalogue_->choose(id);
    return chosen ? "chosen " + chosen.value() : chosen.error().message;
  }
};

TEST_F(CatalogueTest, ConfiguredOnesComeFirstAndKnownOnesWhenTheyAreThere) {
  configure(R"({"mine":{"command":"/bin/mine"}})");
  EXPECT_EQ(ids(), "mine-");
  report(agent("codex", true) + "," + agent("gemini", false) + "," + agent("mine", true));
  EXPECT_EQ(ids(), "mine+ codex+");
  EXPECT_THAT(catalogue_->states({}), SizeIs(3));
  EXPECT_EQ(refusal(""), "chosen mine");
  EXPECT_EQ(refusal("codex"), "chosen codex");
  EXPECT_THAT(refusal("gemini"), HasSubstr("not on the PATH (npm i gemini)"));
  EXPECT_THAT(refusal("gemini"), HasSubstr("on the machine \"server\""));
  EXPECT_THAT(refusal("gemini"), HasSubstr("install it there"));
  EXPECT_EQ(catalogue_->choose("gemini").error().code, errc::kConflict)
      << "the service can have agents, and this one may come";
  EXPECT_THAT(refusal("nobody"), HasSubstr("there are: mine, codex"));
}

TEST_F(CatalogueTest, AMachineIsAskedAgainWhenTheConfigurationChanges) {
  report("");
  EXPECT_EQ(catalogue_->choose("").error().code, errc::kConflict);
  configure(R"({"mine":{"command":"/bin/mine","args":["--acp"]}})");
  ASSERT_EQ(lastType(), "agent.providers");
  EXPECT_EQ(refusal("mine"), "chosen mine") << "nobody is refused before it has answered";
  EXPECT_EQ(asked_.back().command["agents"]["mine"]["command"].asString(), "/bin/mine");
  answer(R"({"providers":[)" + agent("mine", true) + "]}");
  EXPECT_EQ(ids(), "mine+");
  EXPECT_EQ(catalogue_->command("mine", "host_a").value()["args"].items().size(), 1U);
  EXPECT_TRUE(catalogue_->command("codex", "host_a").value().isNull());
}

TEST_F(CatalogueTest, WhileAMachineIsAskedNobodyIsRefused) {
  catalogue_->hostOpened("host_a");
  EXPECT_EQ(catalogue_->choose("").error().code, errc::kHostUnavailable);
  EXPECT_EQ(refusal("codex"), "chosen codex") << "its machine knows better";
}

TEST_F(CatalogueTest, AReportOfTooManyAgentsIsNone) {
  const auto many = [](std::size_t count) {
    std::string out;
    for (std::size_t number = 0; number < count; ++number) {
      out += (number == 0 ? "" : ",") + agent("a" + std::to_string(number), true);
    }
    return out;
  };
  configure(R"({"mine":{"command":"/bin/mine"}})");
  report(many(limits::kMachineAgents + 1));
  EXPECT_THAT(catalogue_->states({}), SizeIs(1)) << "what is configured";
  EXPECT_THAT(refusal("mine"), HasSubstr("it reports 257 agents, and at most 256"));
  EXPECT_THAT(refusal(""), HasSubstr("the machine \"server\" did not say which agents it has: it "
                                     "reports 257 agents"));
  EXPECT_THAT(refusal("a1"), HasSubstr("it reports 257 agents"));
  report(many(limits::kMachineAgents));
  EXPECT_THAT(catalogue_->states({}), SizeIs(1 + limits::kMachineAgents));
}

TEST_F(CatalogueTest, AnAgentOfOtherMachinesSaysSo) {
  configure(R"({"mine":{"command":"/bin/mine","hosts":["laptop"]}})");
  report("");
  EXPECT_THAT(refusal("mine"), HasSubstr("agents.mine.hosts"));
  EXPECT_EQ(catalogue_->command("mine", "host_a").error().code, errc::kConflict);
  EXPECT_THAT(catalogue_->command("mine", "host_a").error().message,
              HasSubstr("agents.mine.hosts"));
}

TEST_F(CatalogueTest, ADeclarationWithoutAProgramIsListedWithTheReason) {
  declared_.emplace_back(
      "acme", Json::parse(R"({"id":"acme-agent","displayName":"Acme","composerActions":["plan"],
        "capabilities":{"fork":"tip","permissionModes":["auto"]}})")
                  .value());
  report("");
  const auto record = toRecord(catalogue_->list({}).front());
  EXPECT_FALSE(record["available"].asBool());
  EXPECT_THAT(record["unavailableReason"].asString(), HasSubstr("has no program"));
  EXPECT_EQ(record["pluginId"].asString(), "acme");
  EXPECT_TRUE(record["capabilities"]["supportsFork"].asBool());
  EXPECT_FALSE(record["capabilities"]["supportsSessionRewind"].asBool());
  configure(R"({"acme-agent":{"command":"/bin/acme"}})");
  answer(R"({"providers":[)" + agent("acme-agent", true) + "]}");
  EXPECT_EQ(ids(), "acme-agent+");
  const auto configured = toRecord(catalogue_->list({}).front());
  EXPECT_TRUE(configured["pluginId"].isNull()) << "nothing of the declaration is mixed in";
  EXPECT_EQ(configured["composerActions"].dump(), "[]");
  EXPECT_TRUE(catalogue_->isConfigured("acme-agent"));
  EXPECT_FALSE(catalogue_->isConfigured("acme"));
}

TEST_F(CatalogueTest, AMachineThatIsGoneHasNothing) {
  configure(R"({"mine":{"command":"/bin/mine"}})");
  report(agent("mine", true));
  catalogue_->hostGone("host_a");
  EXPECT_EQ(ids(), "mine-");
  EXPECT_THAT(refusal("mine"), HasSubstr("not connected"));
}

TEST(ProviderRecordTest, ModelsComeFromTheOptionsOfASession) {
  const auto models = toModels(Json::parse(R"([
    {"id":"m","category":"model","type":"select","currentValue":"big","options":[
      {"value":"small","name":"Small"},{"value":"big","name":"Big","description":"the best"}]},
    {"id":"t","category":"thought_level","type":"select","currentValue":"high","options":[
      {"value":"low"},{"value":"high"},{"value":"odd"}]}])")
                                   .value());
  ASSERT_THAT(models.items(), SizeIs(2));
  EXPECT_EQ(models.items()[1]["displayName"].asString(), "Big");
  EXPECT_TRUE(models.items()[1]["isDefault"].asBool());
  EXPECT_EQ(models.items()[0]["defaultReasoningEffort"].asString(), "high");
  EXPECT_THAT(models.items()[0]["supportedReasoningEfforts"].items(), SizeIs(2));
  const auto none = toModels(Json());
  ASSERT_THAT(none.items(), SizeIs(1));
  EXPECT_EQ(none.items()[0]["id"].asString(), "default");
  EXPECT_EQ(none.items()[0]["supportedReasoningEfforts"].items()[0]["reasoningEffort"].asString(),
            "none");
}

TEST(ProviderRecordTest, KeysOfUsageAreCamelCase) {
  EXPECT_EQ(usageKey("claude-code"), "claudeCode");
  EXPECT_EQ(usageKey("codex"), "codex");
}

}  // namespace
}  // namespace svc::providers
