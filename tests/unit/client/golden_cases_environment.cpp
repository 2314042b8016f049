#include "golden_cases.h"

namespace svc::client {
namespace {

using Cases = std::vector<GoldenCase>;

GoldenCase::Answer good(std::string body) { return {200, std::move(body)}; }

const auto kProjectLookup =
    std::string("GET /api/v1/projects?includePersonal=true");  // NOLINT(cert-err58-cpp)
const auto kShop = good(
    R"({"ok":true,"projects":[{"id":"proj_1","kind":"standard","name":"shop","sources":[]}]})");
const auto kMachines = good(
    R"({"ok":true,"hosts":[{"id":"host_1","name":"home","role":"server"},{"id":"host_2","name":"mac","role":"machine"}]})");

constexpr auto kWorktree =
    R"({"id":"env_1","name":"fix\u001b[2J-test","projectId":"proj_1","hostId":"host_1","path":"/data/worktrees/env_1","managed":true,"isGitRepo":true,"isWorktree":true,)"
    R"("workspaceProvisionType":"managed-worktree","providerId":null,"branchName":"svc/thr_1","baseBranch":"main","defaultBranch":"main","mergeBaseBranch":null,"status":"ready",)"
    R"("statusDetail":null,"lifecycle":{"phase":"retiring","retireAt":1767226000000,"teardown":null},"createdAt":1767139200000,"updatedAt":1767139200000})";
constexpr auto kInPlace =
    R"({"id":"env_2","name":null,"projectId":"proj_1","hostId":"host_2","path":"/src/shop","managed":false,"isGitRepo":false,"isWorktree":false,)"
    R"("workspaceProvisionType":"unmanaged","providerId":null,"branchName":null,"baseBranch":null,"defaultBranch":null,"mergeBaseBranch":null,"status":"ready",)"
    R"("statusDetail":null,"lifecycle":{"phase":"active","retireAt":null,"teardown":null},"createdAt":1767139200000,"updatedAt":1767139200000})";
constexpr auto kGone =
    R"({"id":"env_0","name":null,"projectId":"proj_1","hostId":"host_1","path":null,"managed":true,"workspaceProvisionType":"personal","status":"destroyed","lifecycle":{"phase":"active"}})";
constexpr auto kNoRepository =
    R"({"ok":true,"outcome":"not_applicable","reason":"non_git_environment","message":"/src/shop is no git repository"})";

std::string environmentRecord(const char* json) {
  return R"({"ok":true,"environment":)" + std::string(json) + "}";
}

Cases lookingAtEnvironments(const GoldenCase::Answer& list) {
  return {
      {"environment-list",
       {"environment", "list"},
       {{"GET /api/v1/environments", list}, {"GET /api/v1/hosts", kMachines}}},
      {"environment-list-of-project",
       {"environment", "list", "--project", "shop", "--all"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/environments?projectId=proj_1", list},
        {"GET /api/v1/hosts", kMachines}}},
      {"environment-list-empty",
       {"environment", "list"},
       {{"GET /api/v1/environments", good(R"({"ok":true,"environments":[]})")}}},
      {"environment-show",
       {"environment", "show", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1", good(environmentRecord(kWorktree))},
        {"GET /api/v1/hosts", kMachines}}},
      {"environment-show-unknown",
       {"environment", "show", "env_9"},
       {{"GET /api/v1/environments", list}}},
      {"environment-status",
       {"environment", "status", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/status",
         good(
             R"({"ok":true,"outcome":"available","workspace":{"checkout":{"kind":"branch","branchName":"svc/thr_1","headSha":"abc"},)"
             R"("branch":{"currentBranch":"svc/thr_1","defaultBranch":"main"},"workingTree":{"state":"dirty_and_committed_unmerged","hasUncommittedChanges":true,)"
             R"("files":[{"path":"a.txt","status":"M","insertions":2,"deletions":1},{"path":"new.bin","status":"??","insertions":null,"deletions":null}],)"
             R"("insertions":2,"deletions":1,"lineStatsComplete":false},"mergeBase":{"mergeBaseBranch":"main","baseRef":"123","aheadCount":1,"behindCount":2,)"
             R"("hasCommittedUnmergedChanges":true,"commits":[{"sha":"abcdef","shortSha":"abc","subject":"Fix\u001b[2J the test","authorName":"Ada","authoredAt":1767139200000}],)"
             R"("files":[],"insertions":4,"deletions":0,"lineStatsComplete":true}}})")}}},
      {"environment-status-no-repository",
       {"environment", "status", "env_2"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_2/status", good(kNoRepository)}}},
      {"environment-diff",
       {"environment", "diff", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/diff?target=uncommitted",
         good(
             R"({"ok":true,"outcome":"available","diff":{"diff":"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\u001b[2J\n+new\n same\n","files":[],"shortstat":"1 file changed","mergeBaseRef":null,"truncated":true}})")}}},
      {"environment-diff-left-out",
       {"environment", "diff", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/diff?target=uncommitted",
         good(
             R"({"ok":true,"outcome":"available","diff":{"diff":"diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n","leftOut":["x.png","large"],"files":"","shortstat":"1 file changed","mergeBaseRef":null,"truncated":false}})")}}},
      {"environment-diff-whole",
       {"environment", "diff", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/diff?target=uncommitted",
         good(
             R"({"ok":true,"outcome":"available","diff":{"diff":"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\u001b[2J\n+new\n same\n","leftOut":[],"files":"","shortstat":"1 file changed","mergeBaseRef":null,"truncated":false}})")}}},
      {"environment-diff-stat",
       {"environment", "diff", "env_1", "--all", "--base", "dev", "--stat"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/diff-files?target=all&mergeBaseBranch=dev",
         good(
             R"({"ok":true,"outcome":"available","files":[{"path":"b.txt","previousPath":"a.txt","changeKind":"renamed","origin":"tracked","additions":2,"deletions":1,"binary":false,"loadMode":"auto"},)"
             R"({"path":"x.png","previousPath":null,"changeKind":"added","origin":"untracked","additions":null,"deletions":null,"binary":true,"loadMode":"on_demand"}],)"
             R"("initialPatches":[],"mergeBaseRef":"123","shortstat":"2 files changed","truncated":false})")}}},
      {"environment-diff-unavailable",
       {"environment", "diff", "env_1", "--committed"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/diff?target=branch_committed&mergeBaseBranch=main",
         good(
             R"({"ok":true,"outcome":"unavailable","failure":{"code":"path_not_found","workspacePath":"/data/worktrees/env_1","message":"/data/worktrees/env_1 does not exist"}})")}}},
  };
}

Cases changingEnvironments(const GoldenCase::Answer& list) {
  return {
      {"environment-commit",
       {"environment", "commit", "env_1", "-m", "Fix the test"},
       {{"GET /api/v1/environments", list},
        {"POST /api/v1/environments/env_1/commit",
         good(
             R"({"ok":true,"action":"commit","message":"Committed \"Fix the test\"","commitSha":"abcdef","commitSubject":"Fix the test"})")}}},
      {"environment-commit-left-out",
       {"environment", "commit", "env_1"},
       {{"GET /api/v1/environments", list},
        {"POST /api/v1/environments/env_1/commit",
         good(
             R"({"ok":true,"action":"commit","message":"Committed \"Changes\", 1 left out","commitSha":"abcdef","commitSubject":"Changes","leftOut":["sub/"]})")}}},
      {"environment-commit-nothing",
       {"environment", "commit", "env_1"},
       {{"GET /api/v1/environments", list},
        {"POST /api/v1/environments/env_1/commit",
         {409,
          R"({"ok":false,"error":{"code":"conflict","message":"there is nothing to commit"}})"}}}},
      {"environment-update",
       {"environment", "update", "env_1", "--name", "fix", "--base", ""},
       {{"GET /api/v1/environments", list},
        {"PATCH /api/v1/environments/env_1",
         good(R"({"ok":true,"environment":{"id":"env_1","name":"fix"}})")}}},
      {"environment-update-nothing", {"environment", "update", "env_1"}},
      {"environment-remove",
       {"environment", "remove", "env_1"},
       {{"GET /api/v1/environments", list},
        {"DELETE /api/v1/environments/env_1", good(environmentRecord(kWorktree))}}},
      {"environment-remove-in-place",
       {"environment", "remove", "env_2", "--yes"},
       {{"GET /api/v1/environments", list},
        {"DELETE /api/v1/environments/env_2",
         good(R"({"ok":true,"environment":{"id":"env_2","status":"destroyed"}})")}}},
      {"environment-pull-request",
       {"environment", "pull-request", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/pull-request",
         good(
             R"({"ok":true,"outcome":"available","pullRequest":{"number":7,"title":"Fix\u001b[2J it","url":"https://example.org/7","state":"open","attention":"checks_pending",)"
             R"("headRefName":"svc/thr_1","baseRefName":"main","checks":{"state":"pending","totalCount":3,"passedCount":2,"failedCount":0,"pendingCount":1},)"
             R"("review":{"state":"none","reviewRequestCount":0},"mergeability":{"state":"mergeable"}}})")}}},
      {"environment-pull-request-absent",
       {"environment", "pull-request", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/pull-request",
         good(R"({"ok":true,"outcome":"absent"})")}}},
      {"environment-pull-request-unavailable",
       {"environment", "pull-request", "env_1"},
       {{"GET /api/v1/environments", list},
        {"GET /api/v1/environments/env_1/pull-request",
         good(
             R"({"ok":true,"outcome":"unavailable","message":"gh is not installed on the machine"})")}}},
      {"help-environment", {"environment", "--help"}},
  };
}

}  // namespace

std::vector<GoldenCase> projectContentCases() {
  return {
      {"project-files",
       {"project", "files", "shop", "test", "--limit", "2"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/projects/proj_1/files?query=test&limit=2",
         good(
             R"({"ok":true,"files":[{"name":"a_test.c","path":"src/a_test.c"},{"name":"b","path":"te\u001b[2Jst/b"}],"truncated":true})")}}},
      {"project-files-none",
       {"project", "files", "shop", "--machine", "mac"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/hosts", kMachines},
        {"GET /api/v1/projects/proj_1/files?hostId=host_2",
         good(R"({"ok":true,"files":[],"truncated":false})")}}},
      {"project-paths",
       {"project", "paths", "shop", "--environment", "env_1", "--kind", "directory"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/environments",
         good(R"({"ok":true,"environments":[{"id":"env_1","name":"fix"}]})")},
        {"GET /api/v1/projects/proj_1/paths?includeFiles=false&environmentId=env_1",
         good(
             R"({"ok":true,"paths":[{"kind":"directory","name":"src","path":"src","score":0,"positions":[]}],"truncated":false})")}}},
      {"project-branches",
       {"project", "branches", "shop"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/projects/proj_1/branches",
         good(
             R"({"ok":true,"branches":["main","fix\u001b[2J"],"branchesTruncated":false,"remoteBranches":["origin/main"],"remoteBranchesTruncated":true,"selectedBranch":null,)"
             R"("checkout":{"kind":"branch","branchName":"main","headSha":"abc"},"operation":{"kind":"merge","hasConflicts":true},"defaultBranch":"main","originDefaultBranch":"origin/main",)"
             R"("defaultWorktreeBaseBranch":"origin/main","defaultBranchRelation":"equal","hasUncommittedChanges":true})")}}},
      {"project-branches-no-repository",
       {"project", "branches", "shop"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/projects/proj_1/branches",
         {400,
          R"({"ok":false,"error":{"code":"invalid_input","message":"/srv/shop is no git repository"}})"}}}},
      {"project-source-clone",
       {"project", "source", "clone", "shop", "git@example.org:shop.git", "--machine", "mac"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/hosts", kMachines},
        {"POST /api/v1/projects/proj_1/sources",
         {201,
          R"({"ok":true,"source":{"id":"src_3","path":"/home/ada/shop","hostId":"host_2"}})"}}}},
      {"project-source-clone-failed",
       {"project", "source", "clone", "shop"},
       {{kProjectLookup, kShop},
        {"GET /api/v1/hosts", kMachines},
        {"POST /api/v1/projects/proj_1/sources",
         {400,
          R"({"ok":false,"error":{"code":"invalid_input","message":"remoteUrl: the project knows no remote of its own; say what is to be cloned"}})"}}}},
  };
}

std::vector<GoldenCase> environmentCases() {
  const auto list = good(R"({"ok":true,"environments":[)" + std::string(kWorktree) + "," +
                         kInPlace + "," + kGone + "]}");
  auto all = lookingAtEnvironments(list);
  for (auto& each : changingEnvironments(list)) {
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace svc::client
