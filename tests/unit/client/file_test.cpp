#include <filesystem>

#include "svc/common/limits/files.h"

#include "client_fixture.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class FileTest : public ClientTest {
 protected:
  std::string lastBody() const { return requests.back().body; }
};

TEST_F(FileTest, ARelativePathBeginsInTheWorkingDirectoryUnlessAMachineIsNamed) {
  auto made = context();
  expectPost("/api/v1/files/list", R"({"ok":true,"files":[],"truncated":false})");
  EXPECT_EQ(fileList(made, {.path = "a/../b"}), 0);
  EXPECT_EQ(lastBody(), R"({"path":"/work/b"})");
  expectGet("/api/v1/hosts", R"({"ok":true,"hosts":[{"id":"host_1","name":"mac"}]})");
  expectPost("/api/v1/files/list", R"({"ok":true,"files":[],"truncated":false})");
  EXPECT_EQ(fileList(made, {.host = "mac", .path = "~/b", .query = "x", .limit = 5}), 0);
  EXPECT_EQ(lastBody(), R"({"path":"~/b","query":"x","limit":5,"hostId":"host_1"})");
}

TEST_F(FileTest, NamesDoNothingToTheTerminal) {
  auto made = context();
  expectPost("/api/v1/files/list",
             R"({"ok":true,"files":[{"name":"x","path":"a\u001b[31m\nb"}],"truncated":true})");
  EXPECT_EQ(fileList(made, {.path = "/"}), 0);
  EXPECT_EQ(out.str(), "a[31m b\n");
  EXPECT_THAT(err.str(), HasSubstr("--limit"));
}

TEST_F(FileTest, ATextIsPrintedAsItIsAndHarmlessOnATerminal) {
  auto made = context();
  const auto* answer = R"({"ok":true,"content":"a\u001b[2Jb\n","contentEncoding":"utf8"})";
  expectPost("/api/v1/files/read", answer);
  EXPECT_EQ(fileRead(made, {.path = "/a"}), 0);
  EXPECT_EQ(out.str(), "a\x1b[2Jb\n");
  out.str("");
  made.console.out_terminal = true;
  expectPost("/api/v1/files/read", answer);
  EXPECT_EQ(fileRead(made, {.path = "/a"}), 0);
  EXPECT_EQ(out.str(), "a[2Jb\n");
}

TEST_F(FileTest, OtherBytesGoToFilesOnly) {
  auto made = context();
  const auto* answer = R"({"ok":true,"content":"AP8=","contentEncoding":"base64"})";
  expectPost("/api/v1/files/read", answer);
  EXPECT_EQ(fileRead(made, {.path = "/a"}), 0);
  EXPECT_EQ(out.str(), std::string("\0\xff", 2));
  made.console.out_terminal = true;
  expectPost("/api/v1/files/read", answer);
  EXPECT_EQ(fileRead(made, {.path = "/a"}), kExitRefused);
}

TEST_F(FileTest, WritesStandardInputAndSaysWhenItDidNot) {
  auto made = context();
  in.str("hello");
  expectPost("/api/v1/files/write",
             R"({"ok":true,"outcome":"written","path":"/a","sha256":"x","sizeBytes":5})");
  EXPECT_EQ(fileWrite(made, {.path = "/a", .expected = "none", .recursive = true}), 0);
  EXPECT_EQ(
      lastBody(),
      R"({"path":"/a","content":"aGVsbG8=","contentEncoding":"base64","expectedSha256":null,"createParents":true})");
  expectPost("/api/v1/files/write", R"({"ok":true,"outcome":"conflict","currentSha256":"abc"})");
  EXPECT_EQ(fileWrite(made, {.path = "/a", .expected = std::string(64, 'D')}), kExitFailure);
  EXPECT_THAT(lastBody(), HasSubstr(std::string(64, 'd')));
  EXPECT_THAT(err.str(), HasSubstr("its SHA-256 is abc"));
}

TEST_F(FileTest, WhatCannotBeWrittenIsNotSent) {
  auto made = context();
  TempTree tree;
  EXPECT_EQ(fileWrite(made, {.path = "/a", .other = tree.path().string()}), kExitUsage);
  EXPECT_THAT(err.str(), HasSubstr("is a directory"));
  EXPECT_EQ(fileWrite(made, {.path = "/a", .other = (tree.path() / "none").string()}),
            kExitNotFound);
  tree.write("large", "");
  std::filesystem::resize_file(tree.path() / "large", limits::kFileWrite + 5);
  EXPECT_EQ(fileWrite(made, {.path = "/a", .other = (tree.path() / "large").string()}),
            kExitFailure);
  EXPECT_THAT(err.str(), HasSubstr("has 25000005 bytes (limit fileWrite: 25000000)"));
  in.str(std::string(limits::kFileWrite + 5, 'x'));
  EXPECT_EQ(fileWrite(made, {.path = "/a"}), kExitFailure);
  EXPECT_THAT(err.str(), HasSubstr("more than 25000000 bytes"));
  EXPECT_EQ(fileWrite(made, {.path = "/a", .expected = "deadbeef"}), kExitUsage);
  EXPECT_THAT(err.str(), HasSubstr("--expect: expected none or a SHA-256"));
}

TEST_F(FileTest, ATreeIsRemovedWithConsentOnly) {
  auto made = context();
  EXPECT_EQ(fileRemove(made, {.path = "/a", .recursive = true}), kExitRefused);
  made.console.in_terminal = true;
  in.str("n\n");
  EXPECT_EQ(fileRemove(made, {.path = "/a", .recursive = true}), kExitRefused);
  expectPost("/api/v1/files/remove", R"({"ok":true})");
  EXPECT_EQ(fileRemove(made, {.path = "/a", .recursive = true, .yes = true}), 0);
  expectPost("/api/v1/files/remove",
             R"({"ok":false,"error":{"code":"not_found","message":"/a does not exist"}})", 404);
  EXPECT_EQ(fileRemove(made, {.path = "/a"}), kExitNotFound);
}

}  // namespace
}  // namespace svc::client
