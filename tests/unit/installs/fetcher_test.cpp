#include "fetcher.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "files.h"

namespace svc::installs {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FakeCurl : public IProcesses {
 public:
  [[nodiscard]] Result<Output> run(const Command& command, std::stop_token) override {
    argv = command.argv;
    asked.push_back(argv.back());
    if (const auto found = redirects.find(argv.back()); found != redirects.end()) {
      return Output{.exit_code = 0, .out = found->second, .err = ""};
    }
    file_limit = command.file_limit;
    for (std::size_t index = 0; index + 1 < argv.size(); ++index) {
      if (argv[index] == "--output" && !body.empty()) {
        std::ofstream(argv[index + 1]) << body;
      }
    }
    return output;
  }
  std::vector<std::string> argv;
  std::vector<std::string> asked;
  std::map<std::string, std::string> redirects;
  std::uint64_t file_limit = 0;
  std::string body = "text";
  Output output;
};

class FetcherTest : public ::testing::Test {
 protected:
  Status fetch(const std::string& url, std::uint64_t limit = 100) {
    return fetcher_.fetch(url, directory_.path() / "file", limit, "marketplaceFile", {});
  }
  TempDir directory_;
  FakeCurl curl_;
  Fetcher fetcher_{curl_};
};

TEST_F(FetcherTest, FetchesOverHttpsOnly) {
  ASSERT_TRUE(fetch("https://example.org/list.json").ok());
  EXPECT_EQ(readFile(directory_.path() / "file"), "text");
  EXPECT_THAT(curl_.argv, Contains("=https"));
  EXPECT_THAT(curl_.argv, Contains("--max-filesize"));
  EXPECT_THAT(curl_.argv, Contains("--speed-limit")) << "what trickles is not waited for";
  EXPECT_EQ(curl_.file_limit, 101U) << "what does not announce its size ends there";
  curl_.argv.clear();
  EXPECT_FALSE(fetch("http://example.org/list.json").ok());
  EXPECT_FALSE(fetch("file:///etc/passwd").ok());
  EXPECT_TRUE(curl_.argv.empty());
  EXPECT_TRUE(fetch("http://127.0.0.1:1/list.json").ok());
}

TEST_F(FetcherTest, FollowsWhereItWouldFetch) {
  curl_.redirects = {{"https://a/x", "https://b/x"},
                     {"http://127.0.0.1:1/x", "http://127.0.0.1:1/y"}};
  EXPECT_TRUE(fetch("https://a/x").ok());
  EXPECT_THAT(curl_.asked, ElementsAre("https://a/x", "https://b/x"));
  EXPECT_TRUE(fetch("http://127.0.0.1:1/x").ok());
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"https://a/x", "http://127.0.0.1:1/x"},
                                          {"http://127.0.0.1:1/x", "http://192.0.2.1/x"},
                                          {"http://localhost:1/x", "file:///etc/passwd"}}) {
    curl_.asked.clear();
    curl_.redirects = {{from, to}};
    const auto refused = fetch(from);
    ASSERT_FALSE(refused.ok()) << to;
    EXPECT_THAT(refused.error().message, HasSubstr("leads to " + to));
    EXPECT_THAT(curl_.asked, ElementsAre(from));
  }
  curl_.redirects = {{"https://a/x", "https://a/x"}};
  EXPECT_THAT(fetch("https://a/x").error().message, HasSubstr("leads on more than 5 times"));
}

TEST_F(FetcherTest, NamesTheLimit) {
  const auto announced = [this] {
    curl_.output.exit_code = 63;
    return fetch("https://example.org/x");
  }();
  EXPECT_EQ(announced.error().code, errc::kTooLarge);
  EXPECT_THAT(announced.error().message, HasSubstr("limit marketplaceFile"));
  curl_.output.exit_code = 0;
  curl_.body = std::string(101, 'x');
  EXPECT_EQ(fetch("https://example.org/x").error().code, errc::kTooLarge);
}

TEST_F(FetcherTest, TellsWhatIsNotThereFromWhatDoesNotAnswer) {
  curl_.body.clear();
  curl_.output = {.exit_code = 22, .out = "", .err = "The requested URL returned error: 404\n"};
  EXPECT_EQ(fetch("https://example.org/x").error().code, errc::kInstallRefused);
  curl_.output = {.exit_code = 7, .out = "", .err = "Failed to connect\n"};
  const auto down = fetch("https://example.org/x");
  EXPECT_EQ(down.error().code, errc::kUnavailable);
  EXPECT_TRUE(down.error().message.ends_with("Failed to connect"));
}

TEST_F(FetcherTest, SaysThatItIsTheDiskWhenADownloadCannotBeStored) {
  curl_.output = {.exit_code = 23, .out = "", .err = "Failure writing output to destination\n"};
  const auto full = fetch("https://example.org/x");
  EXPECT_EQ(full.error().code, errc::kUnavailable);
  EXPECT_THAT(full.error().message, HasSubstr("https://example.org/x cannot be stored in " +
                                              directory_.path().string() + ": is the disk full?"));
}

}  // namespace
}  // namespace svc::installs
