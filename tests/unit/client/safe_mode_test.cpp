#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class SafeModeTest : public ClientTest {};

constexpr const char* kSafeModePath = "/api/v1/plugins/safe-mode";

TEST_F(SafeModeTest, ShowsTheState) {
  expectGet(kSafeModePath, R"json({"ok":true,"enabled":true})json");
  auto made = context();
  EXPECT_EQ(pluginSafeMode(made, ""), 0);
  EXPECT_EQ(out.str(), "Safe mode is on.\n");
}

TEST_F(SafeModeTest, TurnsItOn) {
  expect("PUT", kSafeModePath, HttpResponse{200, R"json({"ok":true,"enabled":true})json"});
  auto made = context();
  EXPECT_EQ(pluginSafeMode(made, "on"), 0);
  EXPECT_EQ(out.str(), "Safe mode is on.\n");
}

TEST_F(SafeModeTest, TurningItOffNamesThePluginsThatDoNotRun) {
  expect("PUT", kSafeModePath,
         HttpResponse{200, R"json({"ok":true,"enabled":false,"problems":[)json"
                           R"json({"id":"a","status":"error","statusDetail":"boom"}]})json"});
  auto made = context();
  EXPECT_EQ(pluginSafeMode(made, "off"), 1);
  EXPECT_EQ(out.str(), "Safe mode is off.\nNot running: a  error  (boom)\n");
}

TEST_F(SafeModeTest, TurningItOffIsFineWhenEverythingRuns) {
  const std::string answer = R"json({"ok":true,"enabled":false,"problems":[]})json";
  expect("PUT", kSafeModePath, HttpResponse{200, answer});
  auto made = context();
  made.console.json = true;
  EXPECT_EQ(pluginSafeMode(made, "off"), 0);
  EXPECT_EQ(out.str(), answer + "\n");
}

}  // namespace
}  // namespace svc::client
