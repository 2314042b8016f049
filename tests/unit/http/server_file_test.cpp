#include "server_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "fakes/fake_executor.h"

namespace svc::http {
namespace {

class ServerFileTest : public ::testing::Test {
 protected:
  ServerFileTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-http-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~ServerFileTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(ServerFileTest, WritesThePlainFactsForTheOwnerOnly) {
  ServerFile file(directory_);
  ASSERT_TRUE(file.write({.pid = 7,
                          .url = "http://127.0.0.1:1",
                          .version = "1.2.3",
                          .access_token = "t",
                          .started_at_ms = 9})
                  .ok());
  std::ifstream stream(directory_ / "server.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text,
            "{\"pid\":7,\"url\":\"http://"
            "127.0.0.1:1\",\"version\":\"1.2.3\",\"accessToken\":\"t\",\"startedAt\":9}\n");
  struct stat facts {};
  ASSERT_EQ(::stat((directory_ / "server.json").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "server.json.tmp"));
}

TEST_F(ServerFileTest, GoesAwayWithItsOwner) {
  {
    ServerFile file(directory_);
    ASSERT_TRUE(file.write({}).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "server.json"));
}

TEST_F(ServerFileTest, LeavesAFileItDidNotWrite) {
  std::ofstream(directory_ / "server.json") << "other";
  { const ServerFile file(directory_); }
  EXPECT_TRUE(std::filesystem::exists(directory_ / "server.json"));
}

TEST_F(ServerFileTest, RemovesWhatADeadServerLeft) {
  std::ofstream(directory_ / "server.json") << "{}";
  ServerFile(directory_).removeStale();
  EXPECT_FALSE(std::filesystem::exists(directory_ / "server.json"));
}

TEST_F(ServerFileTest, SaysWhatCannotBeWritten) {
  ServerFile file(directory_ / "missing");
  const auto written = file.write({});
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("server.json"), std::string::npos);
}

TEST_F(ServerFileTest, IsWrittenOnceThereIsRoomAgain) {
  test::FakeMainExecutor main;
  ServerFile file(directory_ / "later");
  int written = 0;
  file.keepTrying({.pid = 7}, main, [&written] { ++written; });
  main.advance(kServerFileRetry);
  EXPECT_EQ(written, 0);
  std::filesystem::create_directory(directory_ / "later");
  main.advance(kServerFileRetry);
  EXPECT_EQ(written, 1);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "later" / "server.json"));
  main.advance(10 * kServerFileRetry);
  EXPECT_EQ(written, 1);
}

TEST_F(ServerFileTest, ARemovedOneIsNotWrittenLater) {
  test::FakeMainExecutor main;
  ServerFile file(directory_);
  file.keepTrying({.pid = 7}, main, [] {});
  file.remove();
  main.advance(kServerFileRetry);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "server.json"));
}

TEST_F(ServerFileTest, LeavesNoHalfFileOfAFailure) {
  std::filesystem::create_directories(directory_ / "server.json" / "in the way");
  ServerFile file(directory_);
  EXPECT_FALSE(file.write({}).ok());
  EXPECT_FALSE(std::filesystem::exists(directory_ / "server.json.tmp"));
}

}  // namespace
}  // namespace svc::http
