#include "live_journal.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

#include "live_texts.h"
#include "scratch_directory.h"
#include "thread_limits.h"

namespace svc::threads {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Processes one after the other, each killed without a word.
class LiveJournalTest : public ::testing::Test {
 protected:
  LiveJournalTest() { begin(); }

  void begin() {
    live_.reset();
    journal_.emplace(directory());
    live_.emplace([](const std::string&, const Delta&) {}, &*journal_);
    live_->recover([this](const std::string& id) { return id != deleted_; });
  }
  [[nodiscard]] fs::path directory() const { return root_.path / "live"; }
  void start(const std::string& id, const std::string& text = {}, const std::string& thread = "t") {
    live_->logged(
        thread, "item/started",
        Json::object().set(
            "item", Json::object().set("id", id).set("type", "agentMessage").set("text", text)));
  }
  void complete(const std::string& id) {
    live_->logged("t", "item/completed", Json::object().set("item", Json::object().set("id", id)));
  }
  void grow(const std::string& id, std::int64_t offset, const std::string& text,
            const std::string& thread = "t") {
    live_->grow(thread, Json::object()
                            .set("itemId", id)
                            .set("field", "text")
                            .set("offset", offset)
                            .set("text", text));
  }
  [[nodiscard]] std::map<std::string, std::string> texts(const std::string& thread = "t") const {
    std::map<std::string, std::string> out;
    for (const auto& [id, text] : live_->of(thread)) {
      out[id] = text.text;
    }
    return out;
  }
  [[nodiscard]] std::size_t files() const {
    std::error_code none;
    const fs::directory_iterator all(directory(), none);
    return none ? 0 : static_cast<std::size_t>(std::distance(all, fs::directory_iterator()));
  }

  ScratchDirectory root_;
  std::string deleted_;
  std::optional<LiveJournal> journal_;
  std::optional<LiveTexts> live_;
};

TEST_F(LiveJournalTest, WhatWasShownIsThereAfterAKill) {
  start("m");
  start("n", "begun ");
  grow("m", 0, "a😀");
  grow("n", 6, "well\n");
  grow("m", 3, "b");
  grow("x", 0, "of another thread", "other");
  begin();
  EXPECT_THAT(texts(), UnorderedElementsAre(Pair("m", "a😀b"), Pair("n", "begun well\n")));
  EXPECT_TRUE(texts("other").empty());
  // Its end is in the log now.
  live_->forget("t");
  EXPECT_EQ(files(), 0U);
  begin();
  EXPECT_TRUE(texts().empty());
}

TEST_F(LiveJournalTest, WhatIsInTheLogIsKeptNowhereElse) {
  start("m");
  grow("m", 0, "whole");
  EXPECT_EQ(files(), 1U);
  complete("m");
  EXPECT_EQ(files(), 0U);
  start("m");
  grow("m", 0, "next");
  begin();
  EXPECT_THAT(texts(), UnorderedElementsAre(Pair("m", "next")));
}

TEST_F(LiveJournalTest, AnItemThatIsToldAgainHasItsNewText) {
  start("m");
  grow("m", 0, "before");
  start("m", "after");
  grow("m", 5, "wards");
  begin();
  EXPECT_THAT(texts(), UnorderedElementsAre(Pair("m", "afterwards")));
}

TEST_F(LiveJournalTest, ALineThatIsNotWholeIsNotTaken) {
  start("m");
  grow("m", 0, "kept");
  std::ofstream(directory() / "t", std::ios::app) << R"({"item":"m","field":"text","offs)";
  begin();
  EXPECT_THAT(texts(), UnorderedElementsAre(Pair("m", "kept")));
}

TEST_F(LiveJournalTest, FilesOfThreadsThatAreGoneGo) {
  start("m");
  grow("m", 0, "gone");
  deleted_ = "t";
  begin();
  EXPECT_EQ(files(), 0U);
}

TEST_F(LiveJournalTest, IsShortAlsoWhenOneItemStaysOpenForLong) {
  start("long");
  grow("long", 0, "still open");
  const std::string text(kItemText, 'x');
  std::uintmax_t largest = 0;
  for (int number = 0; number < 60; ++number) {
    const auto id = "m" + std::to_string(number);
    start(id);
    grow(id, 0, text);
    complete(id);
    largest = std::max(largest, fs::file_size(directory() / "t"));
  }
  EXPECT_LT(largest, 4 * kLiveBytes);
  begin();
  EXPECT_EQ(texts()["long"], "still open");
}

TEST_F(LiveJournalTest, WhereNothingCanBeWrittenTextsGrowAllTheSame) {
  std::ofstream(directory().string()) << "a file in its place";
  start("m");
  grow("m", 0, "shown");
  EXPECT_THAT(texts(), UnorderedElementsAre(Pair("m", "shown")));
}

}  // namespace
}  // namespace svc::threads
