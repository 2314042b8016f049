#include "environment_routes.h"

#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "fixture.h"
#include "mocks/recorded_exchange.h"

namespace svc::environments {
namespace {

using svc::test::RecordedExchange;
using ::testing::Contains;

class EnvironmentRoutesTest : public BookFixture {
 protected:
  EnvironmentRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_).ok());
    id_ = readyWorktree();
    asked_.clear();
    announced_.clear();
  }

  std::shared_ptr<RecordedExchange> send(const std::string& method, const std::string& rest,
                                         std::string query = {}, std::string body = {}) {
    http::Request request;
    request.query = std::move(query);
    request.body = std::move(body);
    request.path_parameters = {{"environmentId", id_}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(method + " /api/v1/environments" + rest, exchange);
    io_.runAll();
    return exchange;
  }
  std::shared_ptr<RecordedExchange> about(const std::string& method, const std::string& name,
                                          std::string query = {}, std::string body = {}) {
    return send(method, "/:environmentId" + name, std::move(query), std::move(body));
  }

  svc::test::RecordedRoutes server_;
  EnvironmentRoutes routes_{{.book = book_,
                             .rows = rows_,
                             .commands = commands_,
                             .clock = clock_,
                             .announce = [this](const std::string& id, const char* kind) {
                               announced_.emplace_back(id, kind);
                             }}};
  std::string id_;
};

TEST_F(EnvironmentRoutesTest, AnAnswerThatIsNoObjectOfAResultIsAnError) {
  for (const auto* odd : {"null", "[1]", "", R"({"a":[1 2]})", R"({"ok":true})",
                          R"({"outcome":"available","error":{"code":"x"}})"}) {
    const auto exchange = about("GET", "/status");
    answer(asked_.size() - 1, std::string(odd));
    EXPECT_EQ(exchange->status(), 502U) << odd;
    EXPECT_EQ(exchange->errorCode(), "host_error") << odd;
  }
}

TEST_F(EnvironmentRoutesTest, RecordsAreThoseOfTheContract) {
  const auto record = about("GET", "")->json()["environment"];
  EXPECT_EQ(record["workspaceProvisionType"].asString(), "managed-worktree");
  EXPECT_TRUE(record["managed"].asBool());
  EXPECT_EQ(record["lifecycle"].dump(), R"({"phase":"active","retireAt":null,"teardown":null})");
  EXPECT_TRUE(record["name"].isNull());
  EXPECT_EQ(send("GET", "", "projectId=proj_a")->json()["environments"].items().size(), 1U);
  EXPECT_EQ(send("GET", "", "projectId=proj_b")->json()["environments"].items().size(), 0U);
  EXPECT_EQ(send("GET", "", "limit=1&offset=0")->json()["environments"].items().size(), 1U);
  EXPECT_EQ(send("GET", "", "limit=1&offset=1")->json()["environments"].items().size(), 0U);
  for (const auto* odd : {"limit=0", "limit=1001", "limit=x", "offset=-1"}) {
    EXPECT_EQ(send("GET", "", odd)->errorCode(), "invalid_input") << odd;
  }
  EXPECT_TRUE(send("GET", "/providers")->json()["providers"].isArray());
  id_ = "env_x";
  EXPECT_EQ(about("GET", "")->status(), 404U);
}

TEST_F(EnvironmentRoutesTest, NamesAreGivenAndCleared) {
  const auto named = about("PATCH", "", {}, R"({"name":"Work","mergeBaseBranch":"dev"})");
  EXPECT_EQ(named->json()["environment"]["name"].asString(), "Work");
  EXPECT_EQ(named->json()["environment"]["mergeBaseBranch"].asString(), "dev");
  EXPECT_TRUE(about("PATCH", "", {}, R"({"name":null})")->json()["environment"]["name"].isNull());
  EXPECT_EQ(about("PATCH", "", {}, R"({"name":7})")->status(), 400U);
  EXPECT_THAT(announced_, Contains(std::pair<std::string, std::string>(id_, "metadata-changed")));
}

TEST_F(EnvironmentRoutesTest, NamesAreOneLineThatIsShownAsItIs) {
  EXPECT_EQ(
      about("PATCH", "", {}, R"({"name":" a\nb "})")->json()["environment"]["name"].asString(),
      "a b");
  for (const char* odd : {R"({"name":"a\u001b[31m"})", R"({"name":"a\u0085"})",
                          R"({"name":"a\u202ez"})", R"({"name":"a\u007f"})"}) {
    const auto refused = about("PATCH", "", {}, odd);
    EXPECT_EQ(refused->errorCode(), "invalid_input") << odd;
    EXPECT_THAT(refused->answer->body, ::testing::HasSubstr(R"("path":["name"])"));
  }
}

TEST_F(EnvironmentRoutesTest, TheMachineSaysWhatHasChanged) {
  const auto status = about("GET", "/status");
  EXPECT_EQ(asked_[0].command.dump(),
            R"({"mergeBaseBranch":"","baseBranch":"main","type":"git.status","environmentId":")" +
                id_ + R"(","path":"/w"})");
  answer(0, std::string(R"({"outcome":"available","workspace":{}})"));
  EXPECT_EQ(status->answer->body, R"({"ok":true,"outcome":"available","workspace":{}})");
  (void)about("GET", "/diff", "target=commit&sha=abc");
  EXPECT_EQ(asked_[1].command["target"].dump(), R"({"type":"commit","sha":"abc"})");
  (void)about("POST", "/diff-patch", {}, R"({"paths":["a"],"target":{"type":"uncommitted"}})");
  EXPECT_EQ(asked_[2].command["paths"].dump(), R"(["a"])");
  EXPECT_EQ(about("POST", "/diff-patch", {}, "{}")->status(), 400U);
  EXPECT_EQ(about("GET", "/diff-file", "path=a&side=left")->status(), 400U);
  (void)about("GET", "/diff-file", "path=a&side=old");
  EXPECT_EQ(asked_[3].command["filePath"].asString(), "a");
}

TEST_F(EnvironmentRoutesTest, WorkIsComparedWithWhereItBeganUnlessTheRequestNamesABranch) {
  (void)about("GET", "/diff", "target=all");
  EXPECT_EQ(asked_[0].command["target"].dump(), R"({"type":"all","baseBranch":"main"})");
  (void)about("PATCH", "", {}, R"({"mergeBaseBranch":"dev"})");
  (void)about("GET", "/diff-files", "target=branch_committed&mergeBaseBranch=other");
  EXPECT_EQ(asked_[1].command["target"].dump(),
            R"({"type":"branch_committed","mergeBaseBranch":"other","baseBranch":"dev"})");
  (void)about("POST", "/diff-patch", {}, R"({"paths":["a"],"target":{"type":"all"}})");
  EXPECT_EQ(asked_[2].command["target"]["baseBranch"].asString(), "dev");
  (void)about("GET", "/diff-file", "path=a&side=old&target=all");
  EXPECT_EQ(asked_[3].command["target"]["baseBranch"].asString(), "dev");
}

TEST_F(EnvironmentRoutesTest, WhetherAFolderHasARepositoryTheMachineSaysEachTime) {
  auto plain = row(id_);
  plain.is_git_repo = false;
  rows_->put(plain);
  const auto diff = [this](std::size_t at, const char* outcome) {
    const auto exchange = about("GET", "/diff");
    answer(at, std::string(outcome));
    return exchange->json();
  };
  const auto none = diff(0, R"({"outcome":"unavailable","failure":{"code":"not_git_repo",)"
                            R"("workspacePath":"/w","message":"/w is in no git repository"}})");
  EXPECT_EQ(none["outcome"].asString(), "not_applicable");
  EXPECT_EQ(none["reason"].asString(), "non_git_environment");
  EXPECT_EQ(none["message"].asString(), "/w is in no git repository");
  EXPECT_EQ(diff(1, R"({"outcome":"available","diff":{}})")["outcome"].asString(), "available")
      << "one was made since";
  EXPECT_EQ(diff(2, R"({"outcome":"unavailable","failure":{"code":"permission_denied",)"
                    R"("workspacePath":"/w","message":"another user's"}})")["failure"]["code"]
                .asString(),
            "permission_denied");
}

TEST_F(EnvironmentRoutesTest, ACommitIsToldToWindows) {
  const auto exchange = about("POST", "/commit", {}, R"({"message":"Done"})");
  answer(0, std::string(R"({"commitSha":"abc","commitSubject":"Done","leftOut":["sub/"]})"));
  EXPECT_EQ(exchange->json()["action"].asString(), "commit");
  EXPECT_EQ(exchange->json()["commitSha"].asString(), "abc");
  EXPECT_EQ(exchange->json()["leftOut"].dump(), R"(["sub/"])");
  EXPECT_EQ(exchange->json()["message"].asString(), R"(Committed "Done", 1 left out)");
  EXPECT_THAT(announced_,
              Contains(std::pair<std::string, std::string>(id_, "work-status-changed")));
  const auto refused = about("POST", "/commit");
  answer(1, Error{errc::kConflict, "nothing has changed"});
  EXPECT_EQ(refused->status(), 409U);
}

TEST_F(EnvironmentRoutesTest, ACommitWithoutAMessageHasTheTitleOfTheWork) {
  const auto message = [this](std::string body) {
    (void)about("POST", "/commit", {}, std::move(body));
    return asked_.back().command["message"].asString();
  };
  {
    const auto named = book_->tellWork({.title = [this](const std::string& id) {
      return id == id_ ? "Fix the shop" : "Another";
    }});
    EXPECT_EQ(message("{}"), "Fix the shop");
    EXPECT_EQ(message(R"({"message":""})"), "Fix the shop");
    EXPECT_EQ(message(R"({"message":"Done"})"), "Done");
  }
  EXPECT_EQ(message("{}"), "Changes");
  const auto nameless =
      book_->tellWork({.title = [](const std::string& /*id*/) { return std::string(); }});
  EXPECT_EQ(message("{}"), "Changes");
}

TEST_F(EnvironmentRoutesTest, PullRequestsAreKeptForAWhile) {
  (void)about("GET", "/pull-request");
  answer(0, std::string(R"({"outcome":"absent"})"));
  EXPECT_EQ(about("GET", "/pull-request")->json()["outcome"].asString(), "absent");
  EXPECT_EQ(asked_.size(), 1U);
  clock_.advance(limits::kPullRequest);
  (void)about("GET", "/pull-request");
  EXPECT_EQ(asked_.size(), 2U);
}

TEST_F(EnvironmentRoutesTest, NobodyRemovesTheFolderOfATurnThatRuns) {
  std::string running = "thr_1";
  const auto told =
      book_->tellWork({.running = [&running](const std::string& /*id*/) { return running; }});
  const auto refused = about("DELETE", "");
  EXPECT_EQ(refused->status(), 409U);
  EXPECT_THAT(refused->json()["error"]["message"].asString(),
              ::testing::HasSubstr("svc thread stop thr_1"));
  EXPECT_TRUE(asked_.empty());
  running.clear();
  EXPECT_EQ(about("DELETE", "")->json()["environment"]["lifecycle"]["phase"].asString(),
            "removing");
}

TEST_F(EnvironmentRoutesTest, RemovalStartsAndTheFolderIsNotAskedAnyMore) {
  EXPECT_EQ(about("DELETE", "")->json()["environment"]["lifecycle"]["phase"].asString(),
            "removing");
  answer(0, std::string(R"({"removed":true})"));
  EXPECT_EQ(about("GET", "/diff")->status(), 409U);
  EXPECT_EQ(about("GET", "")->json()["environment"]["status"].asString(), "destroyed");
}

}  // namespace
}  // namespace svc::environments
