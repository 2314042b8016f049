#include "announcer.h"

#include <algorithm>
#include <map>
#include <random>

#include "fakes/fake_executor.h"
#include "mocks/mock_realtime_hub.h"
#include "runner_fixture.h"
#include "thread_limits.h"
#include "timeline.h"

namespace svc::threads {
namespace {

using realtime::Audience;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What leaves for windows, when one follows the threads in `followed_`.
class AnnouncerTest : public RunnerFixture {
 protected:
  AnnouncerTest() {
    ON_CALL(hub_, isFollowed(_, _))
        .WillByDefault([this](const std::string& entity, const std::string& id) {
          return entity == "thread" && followed_.contains(id);
        });
    ON_CALL(hub_, changed(_)).WillByDefault([this](realtime::Change change) {
      sent_.push_back(std::move(change));
    });
  }

  void onChanged(const Notice& notice) override { announcer_.changed(notice); }
  void onLogged(const std::vector<storage::ThreadEventRow>& events) override {
    announcer_.logged(events);
  }
  void onStreamed(const std::string& thread_id, const Delta& delta) override {
    announcer_.streamed(thread_id, delta);
  }

  void follow() { followed_.insert(thread_); }
  void start(const std::string& id) {
    EXPECT_TRUE(hear("item/started", turn_,
                     R"({"item":{"id":")" + id + R"(","type":"agentMessage","text":""}})"));
  }
  void grow(const std::string& id, std::int64_t offset, const std::string& text) {
    EXPECT_TRUE(hear("item/delta", turn_,
                     Json::object()
                         .set("itemId", id)
                         .set("field", "text")
                         .set("offset", offset)
                         .set("text", text)
                         .dump()));
  }
  void pass(std::chrono::milliseconds time = kFramePause) { executor_.advance(time); }
  /// The metadata of the frames since the last call.
  std::vector<Json> frames() {
    std::vector<Json> out;
    for (const auto& change : std::exchange(sent_, {})) {
      if (change.kinds == std::vector<std::string>{"events-appended"} &&
          change.audience == Audience::kDetail) {
        out.push_back(Json::parse(change.metadata).value());
      }
    }
    return out;
  }

  ::testing::NiceMock<svc::test::MockRealtimeHub> hub_;
  svc::test::FakeMainExecutor executor_;
  std::set<std::string> followed_;
  std::vector<realtime::Change> sent_;
  Announcer announcer_{&hub_, nullptr, executor_, [this](const std::string& id) {
                         auto row = book_->thread(id);
                         return row ? std::optional(row.value()) : std::nullopt;
                       }};
};

TEST_F(AnnouncerTest, TextsOfOpenItemsLeaveInFramesForThoseThatFollow) {
  spawn();
  follow();
  begin();
  start("m");
  pass();
  frames();
  grow("m", 0, "Hel");
  grow("m", 3, "lo");
  pass();
  const auto sent = frames();
  ASSERT_EQ(sent.size(), 1U);
  const auto last = book_->thread(thread_).value().last_seq;
  EXPECT_EQ(sent[0]["fromSeq"].asInteger(), last);
  EXPECT_EQ(sent[0]["throughSeq"].asInteger(), last);
  EXPECT_EQ(sent[0]["projectId"].asString(), "proj_a");
  EXPECT_EQ(sent[0]["deltas"].dump(),
            R"([{"itemId":"m","field":"text","offset":0,"text":"Hello"}])");
}

TEST_F(AnnouncerTest, AFrameNamesTheEventsSinceTheLastOne) {
  spawn();
  follow();
  const auto before = book_->thread(thread_).value().last_seq;
  begin();
  start("m");
  pass();
  const auto sent = frames();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0]["fromSeq"].asInteger(), before + 1);
  EXPECT_EQ(sent[0]["throughSeq"].asInteger(), book_->thread(thread_).value().last_seq);
  EXPECT_TRUE(sent[0]["deltas"].items().empty());
  const auto& types = sent[0]["eventTypes"].items();
  EXPECT_TRUE(std::any_of(types.begin(), types.end(),
                          [](const Json& type) { return type.asString() == "item/started"; }));
}

TEST_F(AnnouncerTest, AtMostTwentyFramesASecond) {
  spawn();
  follow();
  begin();
  start("m");
  constexpr int kPieces = 1000;
  for (int piece = 0; piece < kPieces; ++piece) {
    grow("m", piece, "x");
    pass(std::chrono::milliseconds(1));
  }
  pass();
  EXPECT_LE(frames().size(), 21U);
}

TEST_F(AnnouncerTest, WhatNobodyFollowsMakesNoFrame) {
  spawn();
  begin();
  start("m");
  grow("m", 0, "Hello");
  EXPECT_EQ(executor_.pendingTasks() + executor_.pendingTimers(), 0U);
  pass();
  EXPECT_THAT(frames(), IsEmpty());
}

TEST_F(AnnouncerTest, ListsHearOfTheLogOnceATickAndNotOfHiddenThreads) {
  spawn();
  begin();
  start("m");
  finish();
  sent_.clear();
  announcer_.tick(*book_);
  announcer_.tick(*book_);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[0].audience, Audience::kList);
  EXPECT_EQ(Json::parse(sent_[0].metadata).value()["deltas"].items().size(), 0U);
  EXPECT_EQ(Json::parse(sent_[0].metadata).value()["projectId"].asString(), "proj_a");
  EXPECT_EQ(sent_[1].entity, "project");
  EXPECT_THAT(sent_[1].kinds, ElementsAre("threads-changed"));
  EXPECT_EQ(sent_[1].audience, Audience::kDetail);

  ASSERT_TRUE(records_->update(thread_, {.hidden = true}).ok());
  EXPECT_TRUE(send("again").ok());
  sent_.clear();
  announcer_.tick(*book_);
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0].audience, Audience::kNobody);
}

TEST_F(AnnouncerTest, WhatConcernsOnlyTheThreadStaysFromLists) {
  const auto tell = [this](const char* kind, bool hidden) {
    sent_.clear();
    announcer_.changed(
        {.thread_id = "thr_1", .project_id = "proj_a", .hidden = hidden, .change = kind});
    return sent_.empty() ? Audience::kNobody : sent_.front().audience;
  };
  EXPECT_EQ(tell("queue-changed", false), Audience::kDetail);
  EXPECT_EQ(tell("tabs-changed", false), Audience::kDetail);
  EXPECT_EQ(tell("terminals-changed", false), Audience::kDetail);
  EXPECT_EQ(tell("title-changed", true), Audience::kDetail);
  EXPECT_EQ(sent_.size(), 1U);  // and nothing to the project
  EXPECT_EQ(tell("title-changed", false), Audience::kAll);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(sent_[1].entity, "project");
}

TEST_F(AnnouncerTest, AFrameHasABoundAndWhoFollowsSeesAGap) {
  spawn();
  follow();
  begin();
  start("a");
  start("b");
  pass();
  frames();
  const std::string large(kFrameText - 10, 'x');
  grow("a", 0, large);
  grow("b", 0, std::string(20, 'y'));
  pass();
  auto sent = frames();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0]["deltas"].items().empty());
  grow("b", 20, "z");
  pass();
  sent = frames();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0]["deltas"].items()[0]["offset"].asInteger(), 20);
}

/// A window as section 9 of the contract has it: rows of the service, deltas between two fetches.
class ModelWindow {
 public:
  using Fetch = std::function<common::Json(std::optional<std::int64_t> after)>;
  explicit ModelWindow(Fetch fetch) : fetch_(std::move(fetch)) { read(fetch_({}), false); }

  void frame(const common::Json& metadata) {
    bool gap =
        metadata["throughSeq"].asInteger() > seq_ || metadata["fromSeq"].asInteger() > seq_ + 1;
    for (const auto& delta : metadata["deltas"].items()) {
      auto text = texts_.find(delta["itemId"].asString());
      const auto offset = delta["offset"].asInteger();
      if (gap || text == texts_.end() || offset > utf16Length(text->second)) {
        gap = true;
      } else if (open_.contains(text->first) && offset == utf16Length(text->second)) {
        text->second += delta["text"].asString();
      }
    }
    if (gap) {
      refetch();
    }
  }
  void refetch() {
    ++fetches_;
    read(fetch_(seq_), true);
  }
  [[nodiscard]] int fetches() const { return fetches_; }
  [[nodiscard]] const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  void read(const common::Json& page, bool changes) {
    seq_ = page["maxSeq"].asInteger();
    const auto& rows = changes ? page["delta"]["upsertRows"] : page["rows"];
    for (const auto& row : rows.items()) {
      const auto& id = row["itemId"].asString();
      if (id.empty()) {
        continue;
      }
      texts_[id] = row["text"].asString();
      const bool open = row["sourceSeqEnd"].asInteger() == row["sourceSeqStart"].asInteger();
      if (open) {
        open_.insert(id);
      } else {
        open_.erase(id);
      }
    }
  }

  Fetch fetch_;
  std::int64_t seq_ = 0;
  int fetches_ = 0;
  std::map<std::string, std::string> texts_;
  std::set<std::string> open_;
};

TEST_F(AnnouncerTest, WhoGetsEveryFrameFetchesForEventsOnly) {
  spawn();
  follow();
  begin();
  start("m");
  ModelWindow window([this](std::optional<std::int64_t> after) {
    return readTimeline(*book_,
                        {.thread_id = thread_, .segment_limit = kSegments, .after_sequence = after},
                        live_.of(thread_))
        .value();
  });
  pass();
  frames();
  for (int piece = 0; piece < 50; ++piece) {
    grow("m", piece, "x");
    pass();
    for (const auto& frame : frames()) {
      window.frame(frame);
    }
  }
  EXPECT_EQ(window.texts().at("m"), std::string(50, 'x'));
  EXPECT_EQ(window.fetches(), 0);
}

TEST_F(AnnouncerTest, AnySplitAndAnyLossOfFramesGivesTheSameTexts) {
  const std::vector<std::string> letters{"a", "é", "漢", "😀", "\n", " "};
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto upTo = [&random](unsigned most) {
      return static_cast<unsigned>(random() % (most + 1));
    };
    spawn();
    follow();
    begin();
    const auto fetch = [this](std::optional<std::int64_t> after) {
      return readTimeline(
                 *book_,
                 {.thread_id = thread_, .segment_limit = kSegments, .after_sequence = after},
                 live_.of(thread_))
          .value();
    };
    ModelWindow window(fetch);
    std::map<std::string, std::string> said;
    const auto deliver = [&] {
      pass();
      for (const auto& frame : frames()) {
        if (upTo(3) != 0) {
          window.frame(frame);
        }
      }
    };
    for (int number = 0; number < 4; ++number) {
      const auto id = "m" + std::to_string(number) + "." + thread_;
      auto& text = said[id];
      start(id);
      for (auto pieces = upTo(12); pieces > 0; --pieces) {
        std::string piece;
        for (auto left = upTo(5); left > 0; --left) {
          piece += letters[upTo(5)];
        }
        grow(id, utf16Length(text), piece);
        if (upTo(4) == 0) {
          // The machine sends it again, with more.
          const auto before = utf16Length(text);
          text += piece;
          grow(id, before, piece + "!");
          text += "!";
        } else {
          text += piece;
        }
        if (upTo(2) == 0) {
          deliver();
        }
      }
      if (upTo(1) == 0) {
        EXPECT_TRUE(hear(
            "item/completed", turn_,
            Json::object()
                .set("item",
                     Json::object().set("id", id).set("type", "agentMessage").set("text", text))
                .dump()));
      }
      deliver();
    }
    // The last frame arrives: what is missed before it shows in it.
    start("last." + thread_);
    said["last." + thread_] = "";
    pass();
    for (const auto& frame : frames()) {
      window.frame(frame);
    }
    EXPECT_EQ(window.texts(), said);
    const auto read = fetch({});
    for (const auto& row : read["rows"].items()) {
      if (row["role"].asString() == "assistant") {
        EXPECT_EQ(row["text"].asString(), said[row["itemId"].asString()]);
      }
    }
    finish();
  }
}

}  // namespace
}  // namespace svc::threads
