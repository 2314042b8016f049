// Three validators that implement Standard Schema: each parses, defaults, refuses with a path, and checks outputs.
#include "harness/server.h"

namespace svc::test {
namespace {

struct Case {
  const char* modules;
  const char* validator;
};

void PrintTo(const Case& value, std::ostream* out) {
  *out << value.validator << " with " << value.modules;
}

class SchemaTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture(plugin));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  Server server{GetParam().modules};
  const std::string plugin = GetParam().validator;
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

INSTANTIATE_TEST_SUITE_P(
    Storage, SchemaTest,
    ::testing::Values(Case{kDefaultModules, "zod"}, Case{kDefaultModules, "valibot"},
                      Case{kDefaultModules, "arktype"}, Case{kMemoryModules, "zod"}),
    [](const auto& entry) {
      const std::string name = entry.param.validator;
      return name + (std::string_view(entry.param.modules) == kMemoryModules ? "Memory" : "Sqlite");
    });

}  // namespace
}  // namespace svc::test
