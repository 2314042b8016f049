#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
constexpr auto kRestored =
    R"({"ok":true,"restore":{"file":"/work/b","createdAt":1767225600000,"plugins":["todo"],"replaced":"/data.before-restore"}})";

class BackupTest : public ClientTest {
 protected:
  int restore(bool yes, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    return restoreFrom(made, {.file = "b", .yes = yes});
  }
};

TEST_F(BackupTest, NamesTheFileAbsolutely) {
  expectPost("/api/v1/system/backup", R"({"ok":true,"backup":{"file":"/work/b","plugins":[]}})");
  auto made = context();
  EXPECT_EQ(backupTo(made, {.file = "b"}), 0);
  EXPECT_EQ(requests.back().body, R"({"file":"/work/b"})");
  EXPECT_EQ(out.str(), "/work/b\n");
  EXPECT_THAT(err.str(), HasSubstr("It holds secrets"));
}

TEST_F(BackupTest, AnInterruptSaysWhatBecomesOfTheFile) {
  expectPost("/api/v1/system/backup", R"({"ok":true,"backup":{"file":"/work/b","plugins":[]}})");
  std::vector<std::string> notes;
  auto made = context();
  made.on_interrupt = [&notes](const std::string& note) { notes.push_back(note); };
  EXPECT_EQ(backupTo(made, {.file = "b"}), 0);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], HasSubstr("If /work/b is there, it was complete before"));
  EXPECT_EQ(notes[1], "");
}

TEST_F(BackupTest, ReplacesAFileOnlyWhenAsked) {
  expectPost("/api/v1/system/backup", R"({"ok":true,"backup":{"file":"/work/b"}})");
  auto made = context();
  EXPECT_EQ(backupTo(made, {.file = "b", .force = true}), 0);
  EXPECT_EQ(requests.back().body, R"({"file":"/work/b","overwrite":true})");
}

TEST_F(BackupTest, NamesTheFlagThatReplacesAFile) {
  constexpr auto kConflict = R"({"ok":false,"error":{"code":"conflict","message":"no"}})";
  const TempTree tree;
  tree.write("b", "1");
  working_dir = tree.path().string();
  expectPost("/api/v1/system/backup", kConflict, 409);
  auto made = context();
  EXPECT_EQ(backupTo(made, {.file = "other"}), 1);
  EXPECT_EQ(err.str(), "svc: no\n");
  expectPost("/api/v1/system/backup", kConflict, 409);
  EXPECT_EQ(backupTo(made, {.file = "b"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: no\nhint: --force overwrites a backup\n"));
}

TEST_F(BackupTest, WarnsOfWhatIsNotInIt) {
  const std::string left_out =
      R"("leftOut":[{"path":"plugins/x/data.db","reason":"this database stayed locked"}])";
  const auto answer = R"({"ok":true,"backup":{"file":"/work/b","plugins":[],)" + left_out + "}}";
  for (const bool json : {false, true}) {
    err.str("");
    expectPost("/api/v1/system/backup", answer);
    auto made = context();
    made.console.json = json;
    EXPECT_EQ(backupTo(made, {.file = "b"}), 0);
    EXPECT_THAT(err.str(), HasSubstr("svc: warning: not in the backup: plugins/x/data.db: "
                                     "this database stayed locked\n"));
  }
  err.str("");
  expectPost(
      "/api/v1/system/restore",
      R"({"ok":true,"restore":{"file":"/work/b","createdAt":1,"plugins":[],)" + left_out + "}}",
      202);
  expect("GET", "/readyz", Error{errc::kUnavailable, "refused"});
  expectGet("/readyz", "{}");
  EXPECT_EQ(restore(true), 0);
  EXPECT_THAT(err.str(), HasSubstr("svc: warning: not restored: plugins/x/data.db: "));
}

TEST_F(BackupTest, RestoresNothingWithoutConsent) {
  EXPECT_EQ(restore(false), 4);
  in.str("n\n");
  EXPECT_EQ(restore(false, true), 4);
  EXPECT_THAT(err.str(), HasSubstr("nothing was restored"));
}

TEST_F(BackupTest, WaitsUntilTheServerIsGoneAndBack) {
  in.str("y\n");
  expectPost("/api/v1/system/restore", kRestored, 202);
  expectGet("/readyz", "{}");  // the server of before
  expect("GET", "/readyz", Error{errc::kUnavailable, "refused"});
  expectGet("/readyz", "{}", 503);
  expectGet("/readyz", "{}");
  EXPECT_EQ(restore(false, true), 0);
  EXPECT_EQ(pauses.size(), 4U);
  EXPECT_EQ(out.str(), "Restored 1 plugin of /work/b, written at 2026-01-01T00:00:00Z.\n");
  EXPECT_THAT(err.str(), HasSubstr("/data.before-restore"));
}

TEST_F(BackupTest, KnowsTheNewServerByItsStart) {
  const TempTree data;
  data.write("server.json", R"({"pid":1,"url":"http://127.0.0.1:1","startedAt":1})");
  const auto lock = lockDirectory(data.path(), 1);
  variables = {{"SVC_DATA_DIR", data.path().string()}};
  expectPost("/api/v1/system/restore", kRestored, 202);
  expectGet("/readyz", "{}");
  auto made = context();
  made.sleep = [&](std::chrono::milliseconds) {
    data.write("server.json", R"({"pid":1,"url":"http://127.0.0.1:1","startedAt":2})");
  };
  EXPECT_EQ(restoreFrom(made, {.file = "b", .yes = true}), 0);
}

TEST_F(BackupTest, GivesUpOnAServerThatDoesNotComeBack) {
  expectPost("/api/v1/system/restore", kRestored, 202);
  EXPECT_CALL(*http, send(::testing::Field(&HttpRequest::target, "/readyz")))
      .Times(::testing::AtLeast(2))
      .WillRepeatedly(::testing::Return(Error{errc::kUnavailable, "refused"}));
  EXPECT_EQ(restore(true), 1);
  EXPECT_THAT(err.str(), HasSubstr("does not answer again yet"));
}

}  // namespace
}  // namespace svc::client
