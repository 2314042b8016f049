#include "commands/rollback.h"

#include "client_fixture.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
constexpr auto kRollbackPath = "/api/v1/plugins/todo/rollback";

class RollbackCommandTest : public ClientTest {
 protected:
  void expectTarget() {
    expectGet(kRollbackPath,
              R"({"ok":true,"rollback":{"version":"1.0.0","resolved":"npm:todo@1.0.0",)"
              R"("takenAt":1767225600000,"keptUntil":1767830400000}})");
  }
  void expectRollback(const std::string& record) {
    expectPost(kRollbackPath, R"({"ok":true,"from":"1.1.0","to":"1.0.0","plugin":)" + record + "}");
  }
  static std::string record(const std::string& status, bool enabled = true) {
    return R"({"id":"todo","version":"1.0.0","source":"npm:todo","status":")" + status +
           R"(","enabled":)" + (enabled ? "true" : "false") + "}";
  }
  int rollBack(bool yes, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    return pluginRollback(made, "todo", yes);
  }
};

TEST_F(RollbackCommandTest, AsksForWhatItShowed) {
  expectTarget();
  expectRollback(record("running"));
  in.str("y\n");
  EXPECT_EQ(rollBack(false, true), 0);
  EXPECT_THAT(err.str(), HasSubstr("todo goes back to 1.0.0 with the data it had at "
                                   "2026-01-01T00:00:00Z"));
  EXPECT_THAT(err.str(), HasSubstr("What it has stored since then is lost."));
  EXPECT_EQ(requests.back().body, R"({"version":"1.0.0"})");
  EXPECT_THAT(out.str(), HasSubstr("Rolled back todo 1.1.0 → 1.0.0\ntodo@1.0.0  running\n"));
}

TEST_F(RollbackCommandTest, DoesNothingWithoutAYes) {
  expectTarget();
  EXPECT_EQ(rollBack(false), 4);
  in.str("n\n");
  expectTarget();
  EXPECT_EQ(rollBack(false, true), 4);
  EXPECT_EQ(out.str(), "");
}

TEST_F(RollbackCommandTest, SaysWhyThereIsNothingToGoBackTo) {
  expectGet(kRollbackPath, R"({"ok":true,"rollback":null,"reason":"it is used in place"})");
  EXPECT_EQ(rollBack(true), 3);
  EXPECT_THAT(err.str(), HasSubstr("it is used in place"));
}

TEST_F(RollbackCommandTest, AVersionThatDoesNotRunIsAFailureUnlessItIsDisabled) {
  expectTarget();
  expectRollback(record("error"));
  EXPECT_EQ(rollBack(true), 1);
  expectTarget();
  expectRollback(record("disabled", false));
  EXPECT_EQ(rollBack(true), 0);
}

TEST_F(RollbackCommandTest, ReportsARefusal) {
  expectTarget();
  expectPost(kRollbackPath,
             R"({"ok":false,"error":{"code":"conflict","message":"it goes back to another one"}})",
             409);
  EXPECT_EQ(rollBack(true), 1);
  EXPECT_THAT(err.str(), HasSubstr("it goes back to another one"));
}

}  // namespace
}  // namespace svc::client
