#include "dev_cockpit.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_dev_ports.h"

namespace svc::client {
namespace {

using common::Json;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::Return;
using Wish = IDevCockpit::Wish;

constexpr int kKeyboard = 40;
constexpr int kTests = 41;

Json logPage(std::int64_t cursor, const std::vector<std::string>& lines) {
  auto list = Json::array();
  for (const auto& line : lines) {
    list.push(line);
  }
  return Json::object().set("cursor", cursor).set("lines", std::move(list));
}

TEST(WindowFailureTextTest, NamesTheFirstPlaceInThePluginsSources) {
  const auto text = [](const std::string& stack) {
    return windowFailureText(Json::object().set("message", "render: oops").set("stack", stack));
  };
  EXPECT_EQ(text("Error: oops@1:2 http://h\n"
                 "    at react (http://h/boot.js:1:1)\n"
                 "    at pad (node_modules/left-pad/index.js:1:1)\n"
                 "    at Page (views/page.tsx:12:5)\n"
                 "    at App (app.tsx:3:1)"),
            "render: oops at Page (views/page.tsx:12:5)");
  EXPECT_EQ(text("Page@app.tsx:12:5\nreact@http://h/boot.js:1:1"),
            "render: oops Page@app.tsx:12:5");
  EXPECT_EQ(text("Error: oops\n    at async app.tsx:3:1\n"), "render: oops at async app.tsx:3:1");
  EXPECT_EQ(text("    at Page (http://h/api/v1/plugins/a/assets/app.js?h=1:12:5)"), "render: oops");
  EXPECT_EQ(text("    at Page (app.tsx:12)\n    at Page (<anonymous>)\n    at 12:5\n \n"),
            "render: oops");
  EXPECT_EQ(text(""), "render: oops");
}

class DevCockpitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ON_CALL(keys, descriptor()).WillByDefault(Return(kKeyboard));
    ON_CALL(tests, descriptor()).WillByDefault(Return(-1));
  }
  Wish press(const std::string& pressed) {
    EXPECT_CALL(keys, take()).WillOnce(Return(pressed));
    return cockpit.attend();
  }
  void expectLog(std::optional<std::int64_t> after, const Json& page) {
    EXPECT_CALL(server, logAfter(after, ::testing::_)).WillOnce(Return(page)).RetiresOnSaturation();
  }
  void begin() {
    expectLog(std::nullopt, logPage(10, {}));
    cockpit.begin();
    out.str("");
  }

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{.in = in, .out = out, .err = err};
  ::testing::StrictMock<MockCockpitServer> server;
  NiceMock<MockKeys> keys;
  NiceMock<MockTestRun> tests;
  DevCockpit cockpit{"todo", console, {server, keys, tests}};
};

TEST_F(DevCockpitTest, NamesTheKeysAndBeginsWhereTheLogEnds) {
  EXPECT_CALL(server, logAfter(std::optional<std::int64_t>(), 0)).WillOnce(Return(logPage(10, {})));
  cockpit.begin();
  EXPECT_EQ(out.str(), "Keys: o page · l log · r reload · t tests · i inspect · h help · q quit\n");
  expectLog(10, logPage(10, {}));
  cockpit.look();
}

TEST_F(DevCockpitTest, ShowsThePageAfterALoad) {
  EXPECT_CALL(server, pageAddress()).WillOnce(Return("http://h/plugins/todo")).WillOnce(Return(""));
  cockpit.loaded();
  EXPECT_EQ(out.str(), "  → http://h/plugins/todo\n");
  cockpit.loaded();
  EXPECT_EQ(out.str(), "  → http://h/plugins/todo\n");
}

TEST_F(DevCockpitTest, ShowsWhatThePluginWritesAndNoEscapesOfIt) {
  begin();
  expectLog(
      10,
      logPage(
          12,
          {R"({"seq":11,"level":"info","source":"server","message":"3 to\u001bdos"})",
           R"({"seq":12,"level":"error","source":"host:m1","message":"no","stack":"at a\nat b"})",
           "not JSON"}));
  cockpit.look();
  EXPECT_EQ(out.str(),
            "  info   3 todos\n"
            "  error  host:m1: no\n"
            "         at a\n"
            "         at b\n");
  expectLog(12, logPage(12, {}));
  cockpit.look();
}

TEST_F(DevCockpitTest, ShowsAFailureOfWindowsOnceALoad) {
  begin();
  const std::string failure =
      R"("level":"error","source":"app","message":"render of nav-panel: boom","stack":"at App"})";
  expectLog(10, logPage(12, {R"({"seq":11,)" + failure, R"({"seq":12,)" + failure}));
  cockpit.look();
  const std::string shown = "  error  window: render of nav-panel: boom\n         at App\n";
  EXPECT_EQ(out.str(), shown);
  EXPECT_CALL(server, pageAddress()).WillOnce(Return(""));
  cockpit.loaded();
  expectLog(12, logPage(13, {R"({"seq":13,)" + failure}));
  cockpit.look();
  EXPECT_EQ(out.str(), shown + shown);
}

TEST_F(DevCockpitTest, LeavesTheLogOutButNotFailuresOfWindows) {
  begin();
  EXPECT_EQ(press("l"), Wish::kNothing);
  EXPECT_EQ(out.str(), "The plugin's log is left out.\n");
  out.str("");
  expectLog(10, logPage(13, {R"({"seq":11,"level":"error","source":"server","message":"quiet"})",
                             R"({"seq":12,"level":"info","source":"app","message":"loaded"})",
                             R"({"seq":13,"level":"error","source":"app","message":"load: x"})"}));
  cockpit.look();
  EXPECT_EQ(out.str(), "  error  window: load: x\n");
  out.str("");
  EXPECT_EQ(press("l"), Wish::kNothing);
  EXPECT_EQ(out.str(), "The plugin's log is shown.\n");
  expectLog(13, logPage(14, {R"({"seq":14,"level":"info","source":"server","message":"again"})"}));
  cockpit.look();
  EXPECT_THAT(out.str(), HasSubstr("again"));
}

TEST_F(DevCockpitTest, SaysHowMuchOfALogIsLeftOut) {
  begin();
  expectLog(10, logPage(600, {R"({"seq":600,"level":"info","source":"server","message":"last"})"}));
  cockpit.look();
  EXPECT_EQ(out.str(),
            "  … 589 lines are left out: svc plugin logs todo\n"
            "  info   last\n");
}

TEST_F(DevCockpitTest, WaitsForAServerThatIsGone) {
  begin();
  EXPECT_CALL(server, logAfter(std::optional<std::int64_t>(10), ::testing::_))
      .WillOnce(Return(Error{errc::kUnavailable, "gone"}));
  cockpit.look();
  EXPECT_EQ(out.str() + err.str(), "");
  expectLog(10, logPage(11, {R"({"seq":11,"level":"warn","message":"back"})"}));
  cockpit.look();
  EXPECT_EQ(out.str(), "  warn   back\n");
}

TEST_F(DevCockpitTest, KeysReloadAndQuit) {
  EXPECT_EQ(press("r"), Wish::kReload);
  EXPECT_EQ(press("q"), Wish::kQuit);
  EXPECT_EQ(press("xr"), Wish::kReload);
  EXPECT_EQ(press("x"), Wish::kNothing);
  EXPECT_EQ(out.str(), "");
}

TEST_F(DevCockpitTest, KeysOpenThePageAndTheInspector) {
  EXPECT_CALL(server, openPage()).WillOnce(Return(Result<std::string>("opened")));
  EXPECT_CALL(server, inspect()).WillOnce(Return(Error{errc::kUnavailable, "no plugin"}));
  EXPECT_EQ(press("oi"), Wish::kNothing);
  EXPECT_EQ(out.str(), "opened\n");
  EXPECT_EQ(err.str(), "svc: no plugin\n");
}

TEST_F(DevCockpitTest, HelpNamesEveryKey) {
  EXPECT_EQ(press("h"), Wish::kNothing);
  const auto help = out.str();
  for (const char* const key : {"o  ", "l  ", "r  ", "t  ", "i  ", "h  ", "q  "}) {
    EXPECT_THAT(help, HasSubstr(key));
  }
  out.str("");
  EXPECT_EQ(press("?"), Wish::kNothing);
  EXPECT_EQ(out.str(), help);
}

TEST_F(DevCockpitTest, RunsTheTestsOnceAtATimeAndTellsOfTheirEnd) {
  EXPECT_CALL(tests, start()).WillOnce(Return(Status()));
  EXPECT_EQ(press("t"), Wish::kNothing);
  EXPECT_CALL(tests, descriptor()).WillRepeatedly(Return(kTests));
  EXPECT_THAT(cockpit.descriptors(), ::testing::ElementsAre(kKeyboard, kTests));
  EXPECT_EQ(press("t"), Wish::kNothing);
  EXPECT_EQ(out.str(), "The tests run already.\n");
  out.str("");
  EXPECT_CALL(tests, takeEnd()).WillOnce(Return("Tests passed."));
  EXPECT_EQ(press(""), Wish::kNothing);
  EXPECT_EQ(out.str(), "Tests passed.\n");
}

TEST_F(DevCockpitTest, SaysWhyThereAreNoTests) {
  EXPECT_CALL(tests, start()).WillOnce(Return(Error{errc::kNotFound, "no tests"}));
  EXPECT_EQ(press("t"), Wish::kNothing);
  EXPECT_EQ(err.str(), "svc: no tests\n");
}

}  // namespace
}  // namespace svc::client
