#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
constexpr auto kCheck = "/api/v1/plugins/updates/check";

class UpdatesTest : public ClientTest {
 protected:
  static std::string result(const std::string& id, const std::string& outcome) {
    return R"({"id":")" + id + R"(","outcome":")" + outcome +
           R"(","installed":{"version":"1.0.0"},"candidate":{"version":"1.1.0"}})";
  }
  static std::string results(const std::string& list) {
    return R"({"ok":true,"results":[)" + list + "]}";
  }
  static std::string answer(const std::string& outcome) {
    return R"({"ok":true,"applied":true,"from":"1.0.0","to":"1.1.0","outcome":")" + outcome + "\"}";
  }
  int update(const UpdateOptions& options, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    return pluginUpdate(made, options);
  }
};

TEST_F(UpdatesTest, ChecksOnlyThePluginAskedFor) {
  expectPost(kCheck, results(result("todo", "update-available")));
  expectPost("/api/v1/plugins/todo/update", answer("updated"));
  EXPECT_EQ(update({.id = "todo", .yes = true}), 0);
  EXPECT_EQ(requests.front().body, R"({"id":"todo"})");
  EXPECT_EQ(out.str(), "Updated todo 1.0.0 → 1.1.0\n");
}

TEST_F(UpdatesTest, AsksBeforeNewCodeRuns) {
  expectPost(kCheck, results(result("todo", "update-available")));
  EXPECT_EQ(update({.id = "todo"}), 4);
  EXPECT_THAT(err.str(), HasSubstr("todo 1.0.0 → 1.1.0\n"));
  in.str("n\n");
  expectPost(kCheck, results(result("todo", "update-available")));
  EXPECT_EQ(update({.id = "todo"}, true), 4);
}

TEST_F(UpdatesTest, WhatWasAgreedToIsWhatIsAskedFor) {
  const std::string found =
      R"({"id":"todo","outcome":"update-available","installed":{"version":"1.0.0"},)"
      R"("candidate":{"version":"1.1.0","resolved":"git:url@abc"}})";
  in.str("y\n");
  expectPost(kCheck, results(found));
  expectPost("/api/v1/plugins/todo/update", answer("updated"));
  EXPECT_EQ(update({.id = "todo"}, true), 0);
  EXPECT_EQ(requests.back().body, R"({"confirmedSource":"git:url@abc"})");
  // Nobody has seen it: whatever is newest is wanted.
  expectPost(kCheck, results(found));
  expectPost("/api/v1/plugins/todo/update", answer("updated"));
  EXPECT_EQ(update({.id = "todo", .yes = true}), 0);
  EXPECT_EQ(requests.back().body, "{}");
}

TEST_F(UpdatesTest, CommitsTellVersionsOfOneNumberApart) {
  const std::string found = R"({"id":"todo","outcome":"update-available",)"
                            R"("installed":{"version":"1.0.0","resolved":"git:u@0a1b2c3d4e5f67"},)"
                            R"("candidate":{"version":"1.0.0","resolved":"git:u@aaaaaaaaaaaabb"}})";
  expectPost(kCheck, results(found));
  EXPECT_EQ(update({.id = "todo"}), 4);
  EXPECT_THAT(err.str(), HasSubstr("todo 1.0.0 → 1.0.0 (0a1b2c3d4e5f → aaaaaaaaaaaa)\n"));
}

TEST_F(UpdatesTest, FailsWhenAnUpdateWasRolledBackAndStillTriesTheOthers) {
  expectPost(kCheck, results(result("a", "update-available") + "," + result("b", "current") + "," +
                             result("c", "update-available")));
  expectPost("/api/v1/plugins/a/update", answer("rolled-back"));
  expectPost("/api/v1/plugins/c/update", answer("updated"));
  EXPECT_EQ(update({.all = true, .yes = true}), 1);
  EXPECT_EQ(out.str(), "Rolled back a to 1.0.0.\nUpdated c 1.0.0 → 1.1.0\n");
}

TEST_F(UpdatesTest, AllLeavesOutWhatWasRolledBack) {
  const auto back = [this](const std::string& id) {
    auto text = result(id, "update-available");
    text.pop_back();
    return text + R"(,"rolledBack":{"at":1,"detail":"rolled back by hand"}})";
  };
  expectPost(kCheck, results(back("a") + "," + result("b", "update-available")));
  expectPost("/api/v1/plugins/b/update", answer("updated"));
  EXPECT_EQ(update({.all = true, .yes = true}), 0);
  EXPECT_EQ(out.str(), "Updated b 1.0.0 → 1.1.0\n");
  EXPECT_THAT(err.str(), HasSubstr("a 1.1.0 is left out"));
  EXPECT_THAT(err.str(), HasSubstr("svc plugin update a"));
  // By its name it is installed again.
  expectPost(kCheck, results(back("a")));
  expectPost("/api/v1/plugins/a/update", answer("updated"));
  EXPECT_EQ(update({.id = "a", .yes = true}), 0);
}

TEST_F(UpdatesTest, AnswersOneEnvelopeWithJson) {
  expectPost(kCheck, results(result("todo", "update-available")));
  expectPost("/api/v1/plugins/todo/update", answer("updated"));
  auto made = context();
  made.console.json = true;
  EXPECT_EQ(pluginUpdate(made, {.id = "todo", .yes = true}), 0);
  EXPECT_EQ(
      out.str(),
      R"({"ok":true,"applied":true,"from":"1.0.0","to":"1.1.0","outcome":"updated","id":"todo"})"
      "\n");
}

TEST_F(UpdatesTest, SaysWhyThereIsNothingToDo) {
  for (const auto& [outcome, code] :
       {std::pair{"current", 0}, {"pinned", 0}, {"unavailable", 1}, {"incompatible", 5}}) {
    expectPost(kCheck, results(result("todo", outcome)));
    expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{"status":"running"}})");
    EXPECT_EQ(update({.id = "todo", .yes = true}), code);
    EXPECT_THAT(out.str(), HasSubstr(std::string("todo 1.0.0: ") + outcome));
  }
}

TEST_F(UpdatesTest, OneThatDoesNotRunIsAskedForItsFilesAgain) {
  for (const std::string record :
       {R"({"status":"missing"})", R"({"status":"error"})",
        R"({"status":"running","statusDetail":"reload failed: server.js has changed"})"}) {
    expectPost(kCheck, results(result("todo", "pinned")));
    expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":)" + record + "}");
    expectPost(
        "/api/v1/plugins/todo/update",
        R"({"ok":true,"outcome":"updated","from":"1.0.0","to":"1.0.0","detail":"there again"})");
    EXPECT_EQ(update({.id = "todo", .yes = true}), 0) << record;
    EXPECT_THAT(out.str(), HasSubstr("todo 1.0.0: there again.")) << record;
  }
}

TEST_F(UpdatesTest, WantsAPluginOrAll) { EXPECT_EQ(update({}), 2); }

TEST_F(UpdatesTest, SaysThatAnInterruptedUpdateGoesOn) {
  expectPost(kCheck, results(result("todo", "update-available")));
  expectPost("/api/v1/plugins/todo/update", answer("updated"));
  std::vector<std::string> notes;
  auto made = context();
  made.on_interrupt = [&](const std::string& note) { notes.push_back(note); };
  EXPECT_EQ(pluginUpdate(made, {.id = "todo", .yes = true}), 0);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes.front(), HasSubstr("The update goes on."));
  EXPECT_EQ(notes.back(), "");
}

}  // namespace
}  // namespace svc::client
