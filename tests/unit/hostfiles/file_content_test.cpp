#include "file_content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"

#include "file_write.h"
#include "fixture.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kHelloSha =
    "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

class FileContentTest : public FilesTest {
 protected:
  Result<std::string> read(const std::string& path) const {
    return readFile(bounds_, confined(path).dump());
  }
  Result<std::string> write(Json command) const { return writeFile(bounds_, command.dump()); }
  Json writing(const std::string& path, const std::string& content) const {
    return confined(path).set("content", content);
  }
  /// Nothing is left behind beside the file.
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(in()), fs::directory_iterator()));
  }
};

TEST_F(FileContentTest, ReadsTextAsTextAndOtherBytesAsBase64) {
  directory_.write("in/a.md", "hello");
  fs::permissions(in() / "a.md", fs::perms(0640));
  const auto text = json(read("a.md"));
  EXPECT_EQ(text["path"].asString(), (in() / "a.md").string());
  EXPECT_EQ(text["content"].asString(), "hello");
  EXPECT_EQ(text["contentEncoding"].asString(), "utf8");
  EXPECT_EQ(text["sha256"].asString(), kHelloSha);
  EXPECT_EQ(text["sizeBytes"].asInteger(), 5);
  EXPECT_EQ(text["mimeType"].asString(), "text/markdown");
  EXPECT_EQ(text["mode"].asInteger(), 0640);
  EXPECT_GT(text["modifiedAtMs"].asInteger(), 1'600'000'000'000);
  for (const auto& bytes : {std::string("a\0b", 3), std::string("\xff")}) {
    directory_.write("in/b", bytes);
    const auto binary = json(read("b"));
    EXPECT_EQ(binary["contentEncoding"].asString(), "base64");
    EXPECT_EQ(hostprotocol::decodeBase64(binary["content"].asString()), bytes);
    EXPECT_TRUE(binary["mimeType"].isNull());
  }
}

TEST_F(FileContentTest, TextThatWouldNotFitIntoAMessageIsBase64) {
  directory_.write("in/controls", std::string(8'000'000, '\x01'));
  EXPECT_EQ(json(read("controls"))["contentEncoding"].asString(), "base64");
}

TEST_F(FileContentTest, LineEndsAreNoReasonForBase64) {
  directory_.write("in/lines", std::string(12'000'000, '\n'));
  EXPECT_EQ(json(read("lines"))["contentEncoding"].asString(), "utf8");
}

TEST_F(FileContentTest, OnlyFilesOfADiskAreRead) {
  ASSERT_EQ(::mkfifo((in() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(code(read("fifo")), "invalid_input") << "and it does not wait for a writer";
  EXPECT_THAT(read("fifo").error().message, HasSubstr("is a FIFO"));
  EXPECT_THAT(read(".").error().message, HasSubstr("is a directory"));
  EXPECT_EQ(code(read("missing")), "not_found");
  for (const auto* path : {"/dev/zero", "/proc/self/mem", "/proc/self/environ", "/proc/kmsg",
                           "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    EXPECT_EQ(code(readFile(bounds_, Json::object().set("path", path).dump())),
              fs::exists(path) ? "invalid_input" : "not_found")
        << path;
  }
}

TEST_F(FileContentTest, AFileMayHaveSoMuchAndNoByteMore) {
  directory_.write("in/large", "");
  fs::resize_file(in() / "large", limits::kFileWrite);
  EXPECT_TRUE(read("large").ok());
  fs::resize_file(in() / "large", limits::kFileWrite + 1);
  const auto refused = read("large");
  EXPECT_EQ(code(refused), "too_large");
  EXPECT_THAT(refused.error().message, HasSubstr("25000001 bytes (limit fileWrite: 25000000)"));
}

TEST_F(FileContentTest, WritesAsAWhole) {
  const auto written = json(write(writing("a", "hello").set("mode", 0600)));
  EXPECT_EQ(written["outcome"].asString(), "written");
  EXPECT_EQ(written["path"].asString(), (in() / "a").string());
  EXPECT_EQ(written["sha256"].asString(), kHelloSha);
  EXPECT_EQ(written["sizeBytes"].asInteger(), 5);
  EXPECT_EQ(fs::status(in() / "a").permissions(), fs::perms(0600));
  json(write(writing("a", "AP8=").set("contentEncoding", "base64")));
  EXPECT_EQ(textOf(in() / "a"), std::string("\0\xff", 2));
  EXPECT_EQ(fs::status(in() / "a").permissions(), fs::perms(0600)) << "it keeps its mode";
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileContentTest, ALinkStaysOneAndWhatItLeadsToIsWritten) {
  directory_.write("in/deep/target", "old");
  fs::create_symlink("deep/target", in() / "link");
  json(write(writing("link", "new")));
  EXPECT_TRUE(fs::is_symlink(in() / "link"));
  EXPECT_EQ(textOf(in() / "deep/target"), "new");
}

TEST_F(FileContentTest, NothingOutsideIsWritten) {
  fs::create_symlink(out() / "secret", in() / "link");
  fs::create_symlink(out() / "new", in() / "dangling");
  fs::create_symlink(out(), in() / "directory");
  EXPECT_EQ(code(write(writing("link", "x"))), "forbidden");
  EXPECT_EQ(code(write(writing("dangling", "x"))), "forbidden");
  EXPECT_EQ(code(write(writing("directory/new", "x"))), "forbidden");
  EXPECT_EQ(code(write(writing("../out/new", "x").set("createParents", true))), "forbidden");
  EXPECT_EQ(textOf(out() / "secret"), "secret");
  EXPECT_FALSE(fs::exists(out() / "new"));
}

TEST_F(FileContentTest, ParentsAreMadeWhenAsked) {
  EXPECT_EQ(code(write(writing("a/b/c", "x"))), "not_found");
  json(write(writing("a/b/c", "x").set("createParents", true)));
  EXPECT_EQ(textOf(in() / "a/b/c"), "x");
}

TEST_F(FileContentTest, AConditionThatDoesNotHoldIsAConflict) {
  const std::string other(64, 'a');
  auto missing = json(write(writing("a", "x").set("expectedSha256", other)));
  EXPECT_EQ(missing["outcome"].asString(), "conflict");
  EXPECT_TRUE(missing["currentSha256"].isNull());
  EXPECT_FALSE(fs::exists(in() / "a"));
  EXPECT_EQ(json(write(writing("a", "hello").set("expectedSha256", nullptr)))["outcome"].asString(),
            "written");
  for (const Json& expected : {Json(nullptr), Json(other)}) {
    const auto refused = json(write(writing("a", "x").set("expectedSha256", expected)));
    EXPECT_EQ(refused["outcome"].asString(), "conflict");
    EXPECT_EQ(refused["currentSha256"].asString(), kHelloSha);
  }
  EXPECT_EQ(textOf(in() / "a"), "hello");
  json(write(writing("a", "next").set("expectedSha256", kHelloSha)));
  EXPECT_EQ(textOf(in() / "a"), "next");
}

TEST_F(FileContentTest, OfManyWritersWithOneConditionOneWins) {
  directory_.write("in/a", "hello");
  std::atomic<int> written{0};
  {
    std::vector<std::jthread> writers;
    for (int number = 0; number < 8; ++number) {
      writers.emplace_back([&, number] {
        const auto answer =
            json(write(writing("a", fmt::format("{}", number)).set("expectedSha256", kHelloSha)));
        written += answer["outcome"].asString() == "written" ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(written, 1);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileContentTest, WhatIsNotWrittenIsRefusedWhole) {
  const auto refused = write(writing("a", "é").set("contentEncoding", "base64").set("mode", 4096));
  EXPECT_EQ(code(refused), "invalid_input");
  EXPECT_EQ(code(write(writing("a", "x").set("contentEncoding", "latin1"))), "invalid_input");
  EXPECT_EQ(code(write(writing("a", std::string(limits::kFileWrite + 1, 'x')))), "too_large");
  EXPECT_EQ(code(write(writing(".", "x"))), "invalid_input");
  ASSERT_EQ(::mkfifo((in() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(code(write(writing("fifo", "x"))), "invalid_input");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileContentTest, AFullDiskIsSaid) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full";
  }
  EXPECT_THAT(pathFailure("write", "/a", ENOSPC).message, HasSubstr("the disk is full"));
  EXPECT_EQ(pathFailure("write", "/a", ENOSPC).code, errc::kUnavailable);
}

TEST_F(FileContentTest, WhoHasNoPermissionIsTold) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may everything";
  }
  directory_.write("in/a", "x");
  fs::permissions(in() / "a", fs::perms::none);
  EXPECT_EQ(code(read("a")), "forbidden");
  fs::permissions(in(), fs::perms(0500));
  EXPECT_EQ(code(write(writing("b", "x"))), "forbidden");
  fs::permissions(in(), fs::perms(0700));
}

TEST_F(FileContentTest, ALinkThatIsExchangedAllTheTimeLeadsNowhereElse) {
  directory_.write("in/good/file", "good");
  directory_.write("out/file", "secret");
  fs::create_symlink(in() / "good", in() / "link");
  std::atomic<bool> over{false};
  std::jthread attacker([&] {
    for (bool outward = true; !over; outward = !outward) {
      fs::create_symlink(outward ? out() : in() / "good", in() / "next");
      fs::rename(in() / "next", in() / "link");
    }
  });
  int reached = 0;
  for (int round = 0; round < 3000; ++round) {
    if (const auto answer = read("link/file")) {
      ASSERT_EQ(json(answer)["content"].asString(), "good");
      ++reached;
    }
    if (round % 10 == 0) {
      (void)write(writing("link/written", "x"));
    }
  }
  over = true;
  attacker.join();
  EXPECT_FALSE(fs::exists(out() / "written"));
  EXPECT_GT(reached, 0);
}

TEST_F(FileContentTest, MetadataSaysWhatThereIs) {
  directory_.write("in/a.png", "12345");
  const auto file = json(fileMetadata(bounds_, confined("a.png").dump()));
  EXPECT_EQ(file["kind"].asString(), "file");
  EXPECT_EQ(file["sizeBytes"].asInteger(), 5);
  EXPECT_EQ(file["mimeType"].asString(), "image/png");
  EXPECT_EQ(json(fileMetadata(bounds_, confined(".").dump()))["kind"].asString(), "directory");
  EXPECT_EQ(json(fileMetadata(bounds_, R"({"path":"/dev/null"})"))["kind"].asString(), "other");
  EXPECT_EQ(json(fileMetadata(bounds_, R"({"path":"/proc/self/mem"})"))["kind"].asString(),
            "other");
}

TEST_F(FileContentTest, ARangeIsWhatThereIsOfIt) {
  directory_.write("in/a", "0123456789");
  const auto range = [&](std::int64_t offset, std::int64_t length) {
    const auto answer =
        json(fileRange(bounds_, confined("a").set("offset", offset).set("length", length).dump()));
    EXPECT_EQ(answer["sizeBytes"].asInteger(), 10);
    return hostprotocol::decodeBase64(answer["dataBase64"].asString()).value();
  };
  EXPECT_EQ(range(2, 3), "234");
  EXPECT_EQ(range(8, 100), "89");
  EXPECT_EQ(range(10, 1), "");
  EXPECT_EQ(range(1'000'000'000'000, 1), "");
  fs::resize_file(in() / "a", hostprotocol::kFileRange + 10);
  EXPECT_EQ(json(fileRange(
                bounds_,
                confined("a").set("offset", 0).set("length", 1'000'000'000).dump()))["dataBase64"]
                .asString()
                .size(),
            (hostprotocol::kFileRange + 2) / 3 * 4);
  EXPECT_EQ(code(fileRange(bounds_, confined("a").set("offset", -1).set("length", 1).dump())),
            "invalid_input");
}

}  // namespace
}  // namespace svc::hostfiles
