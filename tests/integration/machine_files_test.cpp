// Files of machines, through a real svcd and a real svc-hostd.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "harness/hosts.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr std::size_t kMost = 25'000'000;

class MachineFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(awaitConnected(server, ownHost(server))) << server.process().errorText();
    root = directory.path() / "root";
    fs::create_directories(root);
  }
  Answer ask(const std::string& route, const Json& body) const {
    return server.http().post("/api/v1/files/" + route, body.dump());
  }
  Json below(const std::string& path) const {
    return Json::object().set("path", path).set("rootPath", root.string());
  }

  Server server{kDefaultModules, {"--hosts.local=true", "--log.level=warn"}};
  TempDir directory;
  fs::path root;
};

TEST_F(MachineFilesTest, AFileIsWrittenReadMovedAndRemoved) {
  EXPECT_EQ(ask("mkdir", below("a/b").set("recursive", true)).body, R"({"ok":true})");
  const auto written = ask("write", below("a/b/c.txt").set("content", "grüße\n"));
  ASSERT_EQ(written.status, 200) << written.body;
  EXPECT_EQ(written.json["outcome"].asString(), "written");
  const auto read = ask("read", below("a/b/c.txt"));
  EXPECT_EQ(read.json["content"].asString(), "grüße\n");
  EXPECT_EQ(read.json["sha256"].asString(), written.json["sha256"].asString());
  EXPECT_EQ(read.json["mimeType"].asString(), "text/plain");
  const auto stale =
      ask("write", below("a/b/c.txt").set("content", "x").set("expectedSha256", nullptr));
  EXPECT_EQ(stale.json["outcome"].asString(), "conflict");
  EXPECT_EQ(ask("list", below(".").set("query", "cтxt")).json["files"].items().size(), 0U);
  EXPECT_EQ(
      ask("list", below(".").set("query", "ctxt")).json["files"].items()[0]["path"].asString(),
      "a/b/c.txt");
  EXPECT_EQ(ask("move", Json::object()
                            .set("sourcePath", (root / "a/b/c.txt").string())
                            .set("destinationPath", (root / "d").string()))
                .status,
            200);
  EXPECT_EQ(ask("remove", below("a")).status, 409);
  EXPECT_EQ(ask("remove", below("a").set("recursive", true)).status, 200);
  EXPECT_EQ(ask("read", below("a/b/c.txt")).status, 404);
  EXPECT_EQ(ask("list", Json::object().set("path", (root / "none").string())).code(), "not_found");
}

TEST_F(MachineFilesTest, NothingOutsideOfTheRootIsReached) {
  std::ofstream(directory.path() / "secret") << "secret";
  fs::create_symlink(directory.path() / "secret", root / "link");
  ASSERT_EQ(::mkfifo((root / "fifo").c_str(), 0600), 0);
  for (const auto* path : {"../secret", "link", "/etc/passwd", "a/../../secret"}) {
    const auto refused = ask("read", below(path));
    EXPECT_NE(refused.status, 200) << path;
    EXPECT_THAT(refused.body, ::testing::Not(HasSubstr("\"content\":"))) << path;
  }
  EXPECT_EQ(ask("read", below("link")).json["error"]["code"].asString(), "forbidden");
  EXPECT_EQ(ask("read", below("fifo")).status, 400);
  for (const auto* path : {"/proc/self/mem", "/dev/zero", "/dev/stdin", "/proc/self/environ"}) {
    EXPECT_EQ(ask("read", Json::object().set("path", path)).status, 400) << path;
  }
  EXPECT_NE(ask("write", Json::object().set("path", "/proc/self/mem").set("content", "x")).status,
            200);
}

TEST_F(MachineFilesTest, AFileMayHaveSoMuchAndNoByteMore) {
  const std::string most(kMost, 'x');
  const auto written = ask("write", below("large").set("content", most));
  ASSERT_EQ(written.status, 200) << written.body.substr(0, 500);
  EXPECT_EQ(fs::file_size(root / "large"), kMost);
  EXPECT_EQ(ask("read", below("large")).json["content"].asString().size(), kMost);
  const auto refused = ask("write", below("larger").set("content", most + "x"));
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.message(), HasSubstr("25000001 bytes (limit fileWrite: 25000000)"));
  EXPECT_FALSE(fs::exists(root / "larger"));
}

TEST_F(MachineFilesTest, ALargeTreeIsListedInPart) {
  for (int part = 0; part < 100; ++part) {
    fs::create_directories(root / fmt::format("{:03}", part));
    for (int file = 0; file < 1000; ++file) {
      std::ofstream(root / fmt::format("{:03}/{:04}", part, file));
    }
  }
  const auto listed = ask("list", below(".").set("limit", 5000));
  ASSERT_EQ(listed.status, 200) << listed.body.substr(0, 500);
  EXPECT_EQ(listed.json["files"].items().size(), 5000U);
  EXPECT_EQ(listed.json["files"].items()[0]["path"].asString(), "000/0000");
  EXPECT_TRUE(listed.json["truncated"].asBool());
  const auto found = ask(
      "list-paths",
      below(".").set("query", "99/999").set("includeFiles", true).set("includeDirectories", false));
  EXPECT_EQ(found.json["paths"].items()[0]["path"].asString(), "099/0999");
}

TEST_F(MachineFilesTest, TheMachineIsNamedOrTheServersOwn) {
  Machine machine(server, "builder");
  std::ofstream(root / "a") << "x";
  EXPECT_EQ(ask("read", below("a").set("hostId", machine.id())).status, 200);
  EXPECT_EQ(ask("read", below("a").set("hostId", "nobody")).status, 404);
  EXPECT_EQ(ask("read", below("a").set("hostId", "nobody")).code(), "unknown_host");
  machine.kill();
  const auto offline = [&] { return ask("read", below("a").set("hostId", machine.id())); };
  EXPECT_TRUE(eventually([&] { return offline().code() == "host_unavailable"; }));
  EXPECT_EQ(offline().status, 502);
}

TEST_F(MachineFilesTest, APreviewServesFilesBelowItsRootAndNothingElse) {
  std::ofstream(root / "page.html") << "<script src=app.js></script>";
  std::ofstream(root / "app.js") << "0123456789";
  std::ofstream(directory.path() / "secret") << "secret";
  fs::create_symlink("../secret", root / "link");
  const auto made = ask("create-preview", Json::object().set("rootPath", root.string()));
  ASSERT_EQ(made.status, 200) << made.body;
  const auto base = made.json["baseUrl"].asString();
  EXPECT_GT(made.json["expiresAtMs"].asInteger(), 0);
  auto http = server.http();
  const auto page = http.get(base + "/page.html");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("content-security-policy"), "sandbox allow-scripts allow-forms");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.headers.at("referrer-policy"), "no-referrer");
  const auto script = http.send({.target = base + "/app.js",
                                 .headers = {{"range", "bytes=2-4"},
                                             {"sec-fetch-site", "cross-site"},
                                             {"sec-fetch-dest", "script"}}});
  EXPECT_EQ(script.status, 206) << script.body;
  EXPECT_EQ(script.body, "234");
  EXPECT_EQ(script.headers.at("content-range"), "bytes 2-4/10");
  EXPECT_EQ(http.send({.target = base + "/app.js", .headers = {{"range", "bytes=10-"}}}).status,
            416);
  for (const auto* path : {"/link", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/none", "/",
                           "//etc/passwd", "/%2fetc%2fpasswd", "/a%00b"}) {
    const auto refused = http.get(base + path);
    EXPECT_THAT(refused.status, ::testing::AnyOf(400, 404)) << path << refused.body;
  }
  EXPECT_EQ(http.get("/api/v1/files/previews/none/app.js").status, 404);
  const auto brief =
      ask("create-preview", Json::object().set("rootPath", root.string()).set("ttlMs", 1));
  EXPECT_TRUE(eventually(
      [&] { return http.get(brief.json["baseUrl"].asString() + "/app.js").status == 404; }));
}

TEST_F(MachineFilesTest, ALargeFileOfAPreviewComesInPieces) {
  constexpr std::size_t kSize = 30'000'000;
  {
    std::ofstream file(root / "video.mp4", std::ios::binary);
    for (std::size_t at = 0; at < kSize; at += 10) {
      file << fmt::format("{:010}", at);
    }
  }
  const auto base = ask("create-preview", Json::object().set("rootPath", root.string()))
                        .json["baseUrl"]
                        .asString();
  const auto whole = server.http().get(base + "/video.mp4");
  ASSERT_EQ(whole.body.size(), kSize);
  EXPECT_TRUE(whole.body.ends_with("0029999990"));
  Machine machine(server, "builder");
  const auto far = ask("create-preview",
                       Json::object().set("rootPath", root.string()).set("hostId", machine.id()))
                       .json["baseUrl"]
                       .asString();
  EXPECT_EQ(server.http().get(far + "/video.mp4").status, 413);
}

TEST_F(MachineFilesTest, ALinkThatIsExchangedAllTheTimeLeadsNowhereElse) {
  fs::create_directories(root / "good");
  fs::create_directories(directory.path() / "out");
  std::ofstream(root / "good/file") << "good";
  std::ofstream(directory.path() / "out/file") << "secret";
  fs::create_symlink(root / "good", root / "link");
  std::atomic<bool> over{false};
  std::jthread attacker([&] {
    for (bool outward = true; !over; outward = !outward) {
      fs::create_symlink(outward ? directory.path() / "out" : root / "good", root / "next");
      fs::rename(root / "next", root / "link");
    }
  });
  auto http = server.http();
  for (int round = 0; round < 300; ++round) {
    const auto answer = http.post("/api/v1/files/read", below("link/file").dump());
    ASSERT_THAT(answer.body, ::testing::Not(HasSubstr("secret"))) << round;
    (void)http.post("/api/v1/files/write", below("link/made").set("content", "x").dump());
  }
  over = true;
  EXPECT_FALSE(fs::exists(directory.path() / "out/made"));
}

TEST_F(MachineFilesTest, AMachinesRootsBoundEveryone) {
  Machine machine(server, "bounded");
  EXPECT_EQ(machine.stop().exit_code, 0);
  std::ofstream(root / "a") << "x";
  std::ofstream(directory.path() / "b") << "x";
  machine.start({"--files.roots=" + root.string()});
  ASSERT_TRUE(eventually([&] {
    return ask("read",
               Json::object().set("path", (root / "a").string()).set("hostId", machine.id()))
               .status == 200;
  }));
  const auto refused = ask(
      "read",
      Json::object().set("path", (directory.path() / "b").string()).set("hostId", machine.id()));
  EXPECT_EQ(refused.json["error"]["code"].asString(), "forbidden") << refused.body;
}

}  // namespace
}  // namespace svc::test
