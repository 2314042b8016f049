#include "agents_part.h"

#include <gtest/gtest.h>

#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class AgentsPartTest : public ::testing::Test {
 protected:
  Result<std::string> call(std::string_view name, const std::string& argument) {
    for (auto& function : part_.functions(generation_)) {
      if (function.name == name) {
        return function.sync(argument);
      }
    }
    return Error{errc::kNotFound, "no such function"};
  }

  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<plugins::FakeGeneration> generation_ = loaded_.load("todo");
  std::string rechecked_;
  plugins::ApiPart part_ =
      agentsPart(std::make_shared<ProviderCheck>(loaded_),
                 [this](const std::string& plugin_id) { rechecked_ = plugin_id; });
};

TEST_F(AgentsPartTest, CarriesItsScript) {
  EXPECT_EQ(part_.name, "agents");
  EXPECT_NE(part_.script.find("registerTool"), std::string_view::npos);
}

TEST_F(AgentsPartTest, AnswersWhyAProviderIsRefused) {
  EXPECT_EQ(call("providers.refusal", "agent").value(),
            "provider \"agent\" needs a host entry (svc.host in package.json)");
}

TEST_F(AgentsPartTest, PassesARecheckOnWithThePlugin) {
  EXPECT_TRUE(call("hooks.recheck", "\"message.dispatch\"").ok());
  EXPECT_EQ(rechecked_, "todo");
}

TEST_F(AgentsPartTest, IsQuietWhenTheLoadIsGone) {
  auto functions = part_.functions(generation_);
  generation_.reset();
  loaded_.unload("todo");
  for (auto& function : functions) {
    EXPECT_TRUE(function.sync("x").ok());
  }
  EXPECT_EQ(rechecked_, "");
}

}  // namespace
}  // namespace svc::agents
