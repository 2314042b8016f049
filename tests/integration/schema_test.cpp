// Three validators that implement Standard Schema: each parses, defaults, refuses with a path, and checks outputs.
#include "harness/server.h"

namespace svc::test {
namespace {

class SchemaTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture(plugin));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  Server server;
  const std::string plugin = GetParam();
};

TEST_P(SchemaTest, GivesTheHandlerTheParsedValue) {
  EXPECT_EQ(server.rpc(plugin, "double", R"({"n":21,"label":" x "})").body,
            R"({"ok":true,"result":{"n":42,"label":"x"}})");
  EXPECT_EQ(server.rpc(plugin, "double", R"({"n":1})").body,
            R"({"ok":true,"result":{"n":2,"label":"none"}})");
}

TEST_P(SchemaTest, NamesThePathOfAWrongInput) {
  const auto answer = server.rpc(plugin, "double", R"({"n":"x"})");
  EXPECT_EQ(answer.status, 400) << answer.body;
  EXPECT_EQ(answer.code(), "invalid_input");
  const auto& issues = answer.json["error"]["issues"].items();
  ASSERT_FALSE(issues.empty());
  EXPECT_EQ(issues[0]["path"].dump(), R"(["n"])");
  EXPECT_FALSE(issues[0]["message"].asString().empty());
}

TEST_P(SchemaTest, RefusesAWrongOutput) {
  const auto answer = server.rpc(plugin, "broken");
  EXPECT_EQ(answer.status, 500) << answer.body;
  EXPECT_EQ(answer.code(), "invalid_output");
}

TEST_P(SchemaTest, LetsANullInputBeOmitted) {
  const auto answer =
      server.http().send({.method = "POST", .target = "/api/v1/plugins/" + plugin + "/rpc/broken"});
  EXPECT_EQ(answer.code(), "invalid_output") << answer.body;
}

INSTANTIATE_TEST_SUITE_P(Validators, SchemaTest, ::testing::Values("zod", "valibot", "arktype"),
                         [](const auto& entry) { return std::string(entry.param); });

}  // namespace
}  // namespace svc::test
