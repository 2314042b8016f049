#include "pictures.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/base64.h"

#include "transcript_fixture.h"
#include "unit/plugins/temp_directory.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

namespace fs = std::filesystem;

constexpr std::uint64_t kOne = 64UL * 1024;

std::string picture(char shade, std::size_t bytes = 100) {
  return "\x89PNG\r\n\x1A\n" + std::string(bytes - 8, shade);
}
std::string sent(const std::string& bytes) { return hostprotocol::encodeBase64(bytes); }

class PicturesTest : public ::testing::Test {
 protected:
  [[nodiscard]] Pictures pictures(std::uint64_t all = 16 * kOne) const {
    return {folder_, {.one = kOne, .all = all}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  svc::test::TempDirectory directory_;
  fs::path folder_ = directory_.path() / "café" / "pictures";
};

TEST_F(PicturesTest, EachContentIsOneFileForTheUserAlone) {
  auto pictures = this->pictures();
  const auto path = pictures.keep(sent(picture('a')));
  EXPECT_THAT(path, StartsWith(folder_.string()));
  EXPECT_THAT(path, EndsWith(".png"));
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), picture('a'));
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(pictures.keep(sent(picture('a'))), path);
  EXPECT_THAT(pictures.keep(sent("\xFF\xD8\xFF\xE0 is a photograph")), EndsWith(".jpg"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(PicturesTest, WhatIsNoPictureOrTooLargeIsNotKept) {
  auto pictures = this->pictures();
  for (const auto& data : {std::string(), std::string("no base64!"), sent("<svg onload=alert(1)/>"),
                           sent(picture('a', kOne + 1)), sent(picture('a', 2 * kOne))}) {
    EXPECT_THAT(pictures.keep(data), IsEmpty()) << data.substr(0, 40);
  }
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_THAT(pictures.keep(sent(picture('a', kOne))), EndsWith(".png"));
}

TEST_F(PicturesTest, ThoseThatWereSentLongestAgoMakeRoom) {
  auto pictures = this->pictures(3 * kOne);
  const auto first = pictures.keep(sent(picture('a', kOne)));
  const auto second = pictures.keep(sent(picture('b', kOne)));
  const auto third = pictures.keep(sent(picture('c', kOne)));
  EXPECT_EQ(pictures.keep(sent(picture('a', kOne))), first) << "it was sent again";
  const auto fourth = pictures.keep(sent(picture('d', kOne)));
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_TRUE(fs::exists(third));
  EXPECT_TRUE(fs::exists(fourth));
}

TEST_F(PicturesTest, TheNextDaemonKnowsWhatIsThere) {
  const auto first = pictures().keep(sent(picture('a', kOne)));
  const auto second = pictures().keep(sent(picture('b', kOne)));
  fs::last_write_time(second, fs::last_write_time(first) - std::chrono::hours(1));
  auto later = pictures(2 * kOne);
  const auto third = later.keep(sent(picture('c', kOne)));
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second)) << "the oldest";
  EXPECT_TRUE(fs::exists(third));
}

TEST_F(PicturesTest, OneThatSomebodyHasDeletedIsWrittenAgain) {
  auto pictures = this->pictures(2 * kOne);
  const auto path = pictures.keep(sent(picture('a', kOne)));
  fs::remove(path);
  EXPECT_EQ(pictures.keep(sent(picture('a', kOne))), path);
  EXPECT_TRUE(fs::exists(path));
  (void)pictures.keep(sent(picture('b', kOne)));
  EXPECT_TRUE(fs::exists(path)) << "it counts once";
}

TEST_F(PicturesTest, WithoutAFolderThereAreNone) {
  std::ofstream(directory_.path() / "café") << "a file";
  EXPECT_THAT(pictures().keep(sent(picture('a'))), IsEmpty());
}

class KeptTest : public TranscriptTest {
 protected:
  void show(const std::string& update) {
    const auto json = Json::parse(update);
    ASSERT_TRUE(json.ok()) << update;
    const auto kept = withPicturesKept(json.value(), [](std::string_view data) {
      return data == "none" ? std::string() : fmt::format("/d é (1)/{}.png", data);
    });
    transcript_.update(kept ? *kept : json.value(), ++now_);
  }
  /// The paths of `imageView` items that are told as ended.
  std::vector<std::string> looked() {
    std::vector<std::string> paths;
    for (const auto& event : events_) {
      if (event.type == "item/completed" && event.data["item"]["type"].asString() == "imageView") {
        paths.push_back(event.data["item"]["path"].asString());
      }
    }
    return paths;
  }
};

TEST_F(KeptTest, APictureInAMessageIsAnImageOfItsText) {
  transcript_.turnStarted("t1", 1);
  text("Here:");
  show(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"a"}})");
  show(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"none"}})");
  transcript_.turnEnded(2);
  EXPECT_EQ(lastItem()["text"].asString(),
            "Here:\n\n![image](/d%20é%20%281%29/a.png)\n\n[image: image/png]");
}

TEST_F(KeptTest, APictureThatAToolAnswersIsLookedAt) {
  transcript_.turnStarted("t1", 1);
  show(
      R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"shot","rawInput":{"content":{"type":"image","data":"given"}}})");
  show(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed",
          "content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"a"}}],
          "rawOutput":{"result":{"content":[{"type":"image","mimeType":"image/png","data":"a"},
                                            {"type":"image","mimeType":"image/png","data":"b"}]}}})");
  show(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"})");
  EXPECT_THAT(looked(), ElementsAre("/d é (1)/a.png", "/d é (1)/b.png"));
  EXPECT_EQ(events_[1].data["item"]["result"].asString(), "![image](/d%20é%20%281%29/a.png)");
  EXPECT_EQ(events_.back().turn_id, "t1");
}

TEST_F(KeptTest, OnlySoManyOfOneUpdateAreKept) {
  std::string content;
  for (std::size_t at = 0; at < limits::kAgentPictures + 5; ++at) {
    content += fmt::format(
        R"({}{{"type":"content","content":{{"type":"image","mimeType":"image/png","data":"p{}"}}}})",
        at == 0 ? "" : ",", at);
  }
  transcript_.turnStarted("t1", 1);
  for (const char* status : {"in_progress", "completed"}) {
    show(fmt::format(
        R"({{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"{}","content":[{}]}})",
        status, content));
  }
  EXPECT_EQ(looked().size(), limits::kAgentPictures);
}

}  // namespace
}  // namespace svc::agentd
