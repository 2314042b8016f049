#include "answer_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/directory_limits.h"

#include "answer_table.h"

namespace svc::hosts {
namespace {

using common::Json;
using ::testing::HasSubstr;

/// A right answer to a command. It may lack those that are `optional`.
struct Right {
  std::string command;
  std::string answer;
  std::vector<std::string> optional{};
};

std::string content(const std::string& text, const std::string& encoding) {
  return Json::object()
      .set("path", "/a")
      .set("content", text)
      .set("contentEncoding", encoding)
      .set("sha256", "s")
      .set("sizeBytes", 1)
      .set("modifiedAtMs", -1)
      .set("mode", 420)
      .dump();
}

std::vector<Right> rights() {
  const std::string patch = R"({"path":"a","patch":"+","truncated":false})";
  const std::string checkout = R"({"kind":"branch","branchName":"main","headSha":null})";
  const std::string path = R"({"kind":"file","name":"a","path":"a","score":0.5,"positions":[0,2]})";
  const std::string session =
      R"({"sessionId":"s","threadId":"t","providerId":"p","state":"idle","providerThreadId":null,"turnId":null,"lastSeq":4,"modes":null})";
  return {
      {"host.directory",
       R"({"directory":"/","parent":null,"entries":[{"name":"a","path":"/a","kind":"file","isSymlink":true,"sizeBytes":1,"modifiedAt":-1}]})"},
      {"host.paths-exist", R"({"existence":{"/a":true}})"},
      {"host.read-file", content("a", "utf8")},
      {"host.write-file", R"({"outcome":"written","path":"/a","sha256":"s","sizeBytes":1})"},
      {"host.write-file", R"({"outcome":"conflict","currentSha256":null})"},
      {"host.list-files", R"({"files":[{"name":"a","path":"b/a"}],"truncated":false})"},
      {"host.list-paths", R"({"paths":[)" + path + R"(],"truncated":false})"},
      {"host.mkdir", "{}"},
      {"host.move-path", "{}"},
      {"host.remove-path", "{}"},
      {"host.file-metadata",
       R"({"path":"/a","kind":"file","sizeBytes":1,"modifiedAtMs":1,"mode":420,"mimeType":"text/plain"})",
       {"mimeType"}},
      {"host.file-range", R"({"dataBase64":"YQ==","sizeBytes":1,"modifiedAtMs":1})"},
      {"host.skills",
       R"({"folders":[{"folder":"f","skills":[{"name":"n","description":"d","directory":"/d","frontMatter":{},"files":[{"path":"p","size":1,"digest":"x","executable":false}]}],"problems":[{"path":"p","message":"m"}]}]})"},
      {"git.status",
       R"({"outcome":"available","workspace":{"checkout":)" + checkout +
           R"(,"branch":{"currentBranch":null,"defaultBranch":"main"},"workingTree":{"state":"clean","hasUncommittedChanges":false,"files":[{"path":"a","status":"M","insertions":null,"deletions":1}],"insertions":0,"deletions":0,"lineStatsComplete":true},"mergeBase":null}})"},
      {"git.status", R"({"outcome":"not_applicable","reason":"r","message":"m"})"},
      {"git.status",
       R"({"outcome":"unavailable","failure":{"code":"unknown","workspacePath":"/a","message":"m"}})"},
      {"git.diff",
       R"({"outcome":"available","diff":{"diff":"","files":"","shortstat":"","mergeBaseRef":null,"truncated":false}})"},
      {"git.diff-files",
       R"({"outcome":"available","files":[{"path":"a","previousPath":null,"changeKind":"added","origin":"tracked","additions":1,"deletions":0,"binary":false,"loadMode":"auto"}],"initialPatches":[)" +
           patch + R"(],"mergeBaseRef":null,"shortstat":"","truncated":false})"},
      {"git.diff-patch", R"({"outcome":"available","patches":[)" + patch + "]}"},
      {"git.diff-file", R"({"path":"a","content":"","contentEncoding":"utf8","sizeBytes":0})"},
      {"git.branches",
       R"({"branches":["main"],"branchesTruncated":false,"remoteBranches":[],"remoteBranchesTruncated":false,"selectedBranch":{"kind":"local","name":"main"},"checkout":)" +
           checkout +
           R"(,"operation":{"kind":"none"},"defaultBranch":"main","originDefaultBranch":null,"defaultWorktreeBaseBranch":null,"defaultBranchRelation":null,"hasUncommittedChanges":true})"},
      {"git.remote", R"({"isGitRepo":true,"remoteUrl":null})"},
      {"git.paths",
       R"({"isGitRepo":true,"paths":[)" + path + R"(],"truncated":false})",
       {"paths", "truncated"}},
      {"git.pull-request", R"({"outcome":"absent"})"},
      {"git.pull-request", R"({"outcome":"unavailable","message":"m"})"},
      {"git.pull-request",
       R"({"outcome":"available","pullRequest":{"number":1,"title":"t","url":"u","state":"open","attention":"none","headRefName":"h","baseRefName":"b","updatedAt":"x","checks":{"state":"passing","totalCount":1,"passedCount":1,"failedCount":0,"pendingCount":0},"review":{"state":"none","reviewRequestCount":0},"mergeability":{"state":"unknown","mergeable":null,"mergeStateStatus":null}}})"},
      {"git.commit", R"({"commitSha":"a","commitSubject":"s"})"},
      {"git.checkout", R"({"checkout":)" + checkout + "}"},
      {"git.clone", R"({"path":"/a"})"},
      {"git.clone-state", R"({"running":true,"progress":null})"},
      {"git.clone-cancel", R"({"cancelled":true})"},
      {"environment.create",
       R"({"path":"/a","ownsPath":true,"isGitRepo":true,"isWorktree":true,"branchName":"b","baseBranch":null,"defaultBranch":null})"},
      {"environment.setup", R"({"exitCode":0,"output":""})"},
      {"environment.cancel", R"({"cancelled":false})"},
      {"environment.remove", R"({"removed":false,"keptBecause":"unsaved"})", {"keptBecause"}},
      {"terminal.open", R"({"pid":1,"initialCwd":"/"})"},
      {"terminal.close", R"({"closed":true})"},
      {"terminal.resume", R"({"live":["t"]})"},
      {"agent.providers",
       R"({"providers":[{"id":"a","displayName":"A","available":true,"unavailableReason":null,"modes":{"ask":null},"configured":false}]})"},
      {"agent.open", session, {"providerThreadId", "turnId", "lastSeq", "modes"}},
      {"agent.prompt", "{}"},
      {"agent.cancel", R"({"cancelled":true})"},
      {"agent.answer", "{}"},
      {"agent.set", session, {"providerThreadId", "turnId", "lastSeq", "modes"}},
      {"agent.close", R"({"closed":true})"},
      {"agent.resume", R"({"sessions":[)" + session + "]}"},
  };
}

std::string problem(const std::string& type, const std::string& answer, std::size_t limit = 9) {
  const auto status = checkAnswer({.type = type, .limit = limit}, answer);
  EXPECT_TRUE(status || status.error().code == errc::kHostError);
  return status ? std::string() : status.error().message;
}

TEST(AnswerCheckTest, EveryAnswerOfTheContractPasses) {
  for (const auto& right : rights()) {
    EXPECT_NE(answerRow(right.command), nullptr) << right.command;
    EXPECT_EQ(problem(right.command, right.answer), "") << right.command;
    EXPECT_EQ(problem(right.command, "{\"more\":1," + right.answer.substr(1)) == "" ||
                  right.answer == "{}",
              true)
        << right.command << ": a newer daemon may say more";
  }
}

TEST(AnswerCheckTest, AMemberThatIsMissingOrOfAnotherTypeIsNamed) {
  for (const auto& right : rights()) {
    const auto whole = Json::parse(right.answer).value();
    for (const auto& [key, value] : whole.members()) {
      auto without = Json::object();
      for (const auto& [other, kept] : whole.members()) {
        if (other != key) {
          without.set(other, kept);
        }
      }
      const bool optional =
          std::find(right.optional.begin(), right.optional.end(), key) != right.optional.end();
      EXPECT_EQ(problem(right.command, without.dump()).empty(), optional)
          << right.command << " without " << key;
      if (key != "modes") {
        auto odd = whole;
        EXPECT_THAT(problem(right.command, odd.set(key, -1.5).dump()), HasSubstr(key))
            << right.command;
      }
    }
  }
}

TEST(AnswerCheckTest, ItIsOneObjectThatDoesNotSayHowTheRequestWent) {
  for (const auto* type : {"host.mkdir", "of.no.row"}) {
    EXPECT_EQ(problem(type, R"({})"), "");
    for (const auto* answer :
         {"", "5", "null", "[]", "{} {}", R"({"a":[1 2]})", R"({"ok":true})", R"({"error":{}})"}) {
      EXPECT_NE(problem(type, answer), "") << answer;
    }
  }
}

TEST(AnswerCheckTest, EntriesAreLookedInto) {
  EXPECT_EQ(
      problem("host.list-files",
              R"({"files":[{"name":"a","path":"a"},{"name":{},"path":"b"}],"truncated":true})"),
      "files[1].name: Expected a text");
  EXPECT_EQ(problem("host.list-files", R"({"files":[null],"truncated":true})"),
            "files[0]: Expected an object");
  EXPECT_EQ(problem("host.paths-exist", R"({"existence":{"/a":1}})"),
            "existence./a: Expected true or false");
  EXPECT_EQ(
      problem(
          "host.list-paths",
          R"({"paths":[{"kind":"odd","name":"a","path":"a","score":1,"positions":[]}],"truncated":false})"),
      "paths[0].kind: Expected file|directory");
  EXPECT_EQ(problem("git.status", R"({"outcome":"unavailable","failure":{"code":1}})"),
            "failure.code: Expected a text");
  EXPECT_EQ(problem("git.pull-request", R"({"outcome":"odd"})"),
            "outcome: Expected available|absent|unavailable");
  EXPECT_EQ(problem("agent.providers", R"({"providers":[{"id":5}]})"),
            "providers[0].id: Expected a text");
}

TEST(AnswerCheckTest, WhatIsShownOfAFolderIsOfItsType) {
  const auto folder = [](const std::string& more) {
    return problem(
        "host.directory",
        R"({"directory":"/","parent":null,"entries":[{"name":"a","path":"/a",)" + more + "}]}");
  };
  EXPECT_EQ(folder(R"("kind":"file")"), "");
  EXPECT_EQ(folder(R"("kind":"file","sizeBytes":{})"),
            "entries[0].sizeBytes: Expected an integer that is not negative");
  EXPECT_EQ(folder(R"("kind":"file","modifiedAt":"x")"),
            "entries[0].modifiedAt: Expected an integer");
  EXPECT_EQ(folder(R"("kind":[])"), "entries[0].kind: Expected a text");
}

TEST(AnswerCheckTest, MoreEntriesThanWereAskedForAreRefused) {
  const std::string file = R"({"name":"a","path":"a"})";
  const auto answer = R"({"files":[)" + file + "," + file + R"(],"truncated":true})";
  EXPECT_EQ(problem("host.list-files", answer, 2), "");
  EXPECT_EQ(problem("host.list-files", answer, 1),
            "files: it has 2 entries, and at most 1 were asked for");
  auto existence = Json::object();
  for (std::size_t number = 0; number <= limits::kPathsExist; ++number) {
    existence.set(std::to_string(number), true);
  }
  EXPECT_EQ(
      problem("host.paths-exist", Json::object().set("existence", std::move(existence)).dump()),
      "existence: it has 1001 entries, and at most 1000 fit into an answer");
}

TEST(AnswerCheckTest, AContentHasTheLimitOfTheRoute) {
  EXPECT_EQ(problem("host.read-file", content(std::string(limits::kFileWrite, 'a'), "utf8")), "");
  EXPECT_THAT(problem("host.read-file", content(std::string(limits::kFileWrite + 1, 'a'), "utf8")),
              HasSubstr("limit fileWrite"));
  const auto encoded = [](std::size_t size) {
    return content(hostprotocol::encodeBase64(std::string(size, 'a')), "base64");
  };
  EXPECT_EQ(problem("host.read-file", encoded(limits::kFileWrite)), "");
  EXPECT_THAT(problem("host.read-file", encoded(limits::kFileWrite + 1)),
              HasSubstr("limit fileWrite"));
  EXPECT_EQ(problem("host.read-file", content("%", "base64")), "content: Expected Base64");
  EXPECT_EQ(problem("host.read-file", content("a", "utf16")),
            "contentEncoding: Expected utf8|base64");
}

TEST(AskedCommandTest, HasTheTypeWhereverItStands) {
  EXPECT_EQ(askedCommand(R"({"type":"git.diff","path":"/a"})").type, "git.diff");
  EXPECT_EQ(askedCommand(R"({"path":"/a","type":"git.diff"})").type, "git.diff");
  EXPECT_EQ(askedCommand(R"({"path":"/a"})").type, "");
  EXPECT_EQ(askedType(R"({"type":"plugin.host.call","pluginId":)"), "plugin.host.call")
      << "what follows comes in pieces";
}

TEST(AskedCommandTest, HasTheLimitOfAListOrItsDefault) {
  EXPECT_EQ(askedCommand(R"({"type":"host.list-files","limit":7})").limit, 7U);
  EXPECT_EQ(askedCommand(R"({"type":"host.list-files"})").limit, limits::kListingDefault);
  EXPECT_EQ(askedCommand(R"({"type":"git.branches"})").limit, limits::kBranchesDefault);
}

}  // namespace
}  // namespace svc::hosts
