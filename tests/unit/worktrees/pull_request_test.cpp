#include "pull_request.h"

#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::HasSubstr;

Json seen(std::string_view text) { return Json::parse(text).value(); }

TEST(PullRequestTest, WhatNeedsAttentionFirstIsNamed) {
  const auto attention = [](std::string_view text) {
    return pullRequestRecord(seen(text))["attention"].asString();
  };
  EXPECT_EQ(attention(R"({"state":"MERGED"})"), "merged");
  EXPECT_EQ(attention(R"({"state":"OPEN","mergeable":"CONFLICTING"})"), "conflicts");
  EXPECT_EQ(attention(R"({"state":"OPEN","statusCheckRollup":[{"conclusion":"FAILURE"}]})"),
            "checks_failed");
  EXPECT_EQ(attention(R"({"state":"OPEN","statusCheckRollup":[{"status":"IN_PROGRESS"}]})"),
            "checks_pending");
  EXPECT_EQ(attention(R"({"state":"OPEN","reviewRequests":[{}]})"), "review_requested");
  EXPECT_EQ(attention(R"({"state":"OPEN","mergeable":"MERGEABLE","mergeStateStatus":"CLEAN"})"),
            "ready_to_merge");
  EXPECT_EQ(attention(R"({"state":"OPEN","isDraft":true})"), "draft");
}

TEST(PullRequestTest, ChecksAreCounted) {
  const auto checks = pullRequestRecord(seen(
      R"({"state":"OPEN","statusCheckRollup":[{"conclusion":"SUCCESS"},{"state":"SUCCESS"},
          {"conclusion":"SKIPPED"},{"state":"PENDING"}]})"))["checks"];
  EXPECT_EQ(checks["state"].asString(), "pending");
  EXPECT_EQ(checks["passedCount"].asInteger(), 3);
  EXPECT_EQ(checks["totalCount"].asInteger(), 4);
  EXPECT_EQ(pullRequestRecord(seen("{}"))["checks"]["state"].asString(), "no_checks");
}

class PullRequestOfTest : public RepositoryTest {};

TEST_F(PullRequestOfTest, ABranchWithoutARemoteHasNone) {
  begin();
  EXPECT_EQ(pullRequestOf(open(), environment(), {})["outcome"].asString(), "absent");
}

TEST(PullRequestTest, WhyThereIsNoneIsSaid) {
  EXPECT_THAT(noPullRequest("gh is not there")["message"].asString(), HasSubstr("gh"));
  EXPECT_EQ(noPullRequest("")["outcome"].asString(), "unavailable");
}

}  // namespace
}  // namespace svc::worktrees
