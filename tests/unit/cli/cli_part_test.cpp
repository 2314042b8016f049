#include "cli_part.h"

#include "command_fixture.h"

namespace svc::cli {
namespace {

TEST(CliPartTest, KeepsTheMetadataAndTellsTheTable) {
  const auto generation = std::make_shared<FakeCommandGeneration>("todo", 1, "null");
  int told = 0;
  auto functions = cliPart([&told] { ++told; }).functions(generation);
  ASSERT_EQ(functions.at(0).name, "cli.registered");
  EXPECT_TRUE(functions.at(0).sync(R"({"name":"todo"})").ok());
  EXPECT_EQ(generation->registration_now["name"].asString(), "todo");
  EXPECT_EQ(told, 1);
}

TEST(CliPartTest, EmbedsItsScript) {
  EXPECT_NE(cliPart([] {}).script.find("cli.register"), std::string_view::npos);
}

}  // namespace
}  // namespace svc::cli
