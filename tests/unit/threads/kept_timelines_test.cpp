#include "kept_timelines.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "model/dice.h"
#include "timeline_fixture.h"

namespace svc::threads {
namespace {

/// A log of anything in any order, as no agent would write it.
class RandomLog {
 public:
  RandomLog(ThreadBook& book, std::string thread_id, std::uint64_t seed)
      : book_(book), thread_id_(std::move(thread_id)), dice_(seed) {}

  model::Dice& dice() { return dice_; }

  void grow() {
    Edit edit(book_);
    for (auto more = 1 + dice_.roll(3); more > 0; --more) {
      log(edit);
    }
    ASSERT_TRUE(edit.commit().ok());
  }

 private:
  using Json = common::Json;

  std::string turn() { return fmt::format("turn-{}", dice_.chance(80) ? turns_ : turns_ / 2); }
  /// Of one of the last turns, so that what is told late comes, too.
  std::string id(const char* kind) {
    return fmt::format("{}-{}", kind, dice_.roll(4) + 2 * static_cast<std::size_t>(turns_));
  }
  Json item() {
    auto told = Json::object();
    switch (dice_.roll(5)) {
      case 0:
        return told.set("id", id("m")).set("type", "agentMessage").set("text", id("said"));
      case 1:
        return told.set("id", id("r"))
            .set("type", "reasoning")
            .set("summary", Json::array())
            .set("content", Json::array());
      case 2:
        return told.set("id", id("w"))
            .set("type", "backgroundTask")
            .set("status", "pending")
            .set("taskStatus", "running");
      case 3:
        return told.set("id", id("f"))
            .set("type", "fileChange")
            .set("status", "completed")
            .set("changes", Json::array());
      default:
        return told.set("id", id("c"))
            .set("type", "commandExecution")
            .set("command", "ls")
            .set("status", dice_.chance(50) ? "pending" : "completed");
    }
  }
  Json request() {
    const bool steers = dice_.chance(30);
    turns_ += steers ? 0 : 1;
    return Json::object()
        .set("requestId", fmt::format("req-{}", ++requests_))
        .set("target", Json::object().set("kind", steers ? "steer" : "new-turn"))
        .set("input", Json::array());
  }

  void log(Edit& edit) {
    auto& thread = *edit.thread(thread_id_).value();
    const auto put = [&](const char* type, const Json& data) {
      edit.log(thread, type, dice_.chance(90) ? turn() : std::string(), data);
    };
    quiet_ = dice_.chance(4) ? !quiet_ : quiet_;
    const auto luck = quiet_ ? 50 + dice_.roll(50) : dice_.roll(100);
    if (luck < 12) {
      put("client/turn/requested", request());
    } else if (luck < 20) {
      put("turn/started", Json::object());
    } else if (luck < 30) {
      put("turn/completed",
          Json::object().set("status", dice_.chance(70) ? "completed" : "failed"));
    } else if (luck < 34) {
      put("client/turn/rejected", Json::object()
                                      .set("requestId", fmt::format("req-{}", requests_))
                                      .set("reason", "failed"));
    } else if (luck < 38) {
      put("turn/input/accepted", Json::object().set("requestId", fmt::format("req-{}", requests_)));
    } else if (luck < 42) {
      put("turn/plan/updated",
          Json::object().set("plan", Json::array()).set("explanation", id("p")));
    } else if (luck < 46) {
      put(dice_.chance(60) ? "thread/goal/updated" : "thread/goal/cleared",
          Json::object().set("objective", id("g")));
    } else if (luck < 50) {
      put("thread/contextWindowUsage/updated", Json::object().set("contextWindowUsage", id("u")));
    } else if (luck < 55) {
      put("system/userQuestion/lifecycle",
          Json::object().set("interactionId", id("q")).set("status", "pending"));
    } else if (luck < 60) {
      put("system/operation", Json::object().set("operationId", id("o")).set("message", "done"));
    } else {
      put(dice_.chance(40) ? "item/started" : "item/completed", Json::object().set("item", item()));
    }
  }

  ThreadBook& book_;
  const std::string thread_id_;
  model::Dice dice_;
  int turns_ = 0;
  int requests_ = 0;
  bool quiet_ = false;  ///< no turn begins or ends
};

class KeptTimelinesTest : public TimelineTest {
 protected:
  /// A thread with as many rows in its turn.
  void work(int commands) {
    spawn("hello");
    begin();
    more(commands);
  }
  void more(int commands) {
    for (int number = 0; number < commands; ++number) {
      item("item/completed",
           fmt::format(R"({{"id":"c{}","type":"commandExecution","command":"ls"}})", ++commands_));
    }
  }
  TimelineQuery query(std::optional<std::int64_t> after = {}) {
    return {.thread_id = thread_, .segment_limit = kSegments, .after_sequence = after};
  }
  /// How many events of the log are read meanwhile.
  std::size_t readsOf(const std::function<void()>& deed) {
    store_.events_read = 0;
    deed();
    return store_.events_read;
  }

  KeptTimelines kept_{*book_};
  int commands_ = 0;
};

TEST_F(KeptTimelinesTest, WhoKnowsTheNewestEventIsAnsweredWithoutTheLog) {
  work(30);
  const auto known = kept_.read(query()).value()["maxSeq"].asInteger();
  store_.event_reads = 0;
  const auto same = kept_.read(query(known)).value();
  EXPECT_EQ(store_.event_reads, 0U);
  EXPECT_EQ(same["delta"].dump(), R"({"upsertRows":[]})");
  EXPECT_EQ(same.dump(), readTimeline(*book_, query(known)).value().dump());
}

TEST_F(KeptTimelinesTest, WhoKnowsTheNewestEventIsToldOfTextsThatGrow) {
  work(1);
  item("item/started", R"({"id":"m","type":"agentMessage","text":""})");
  const auto known = kept_.read(query()).value()["maxSeq"].asInteger();
  const LiveTexts::Texts live{{"m", {.field = "text", .text = "So far"}}};
  EXPECT_THAT(brief(kept_.read(query(known), live).value()["delta"]["upsertRows"]),
              ::testing::ElementsAre("assistant:So far"));
  EXPECT_TRUE(kept_.read(query(known)).value()["delta"]["upsertRows"].items().empty())
      << "a page keeps no text";
}

TEST_F(KeptTimelinesTest, OnlyWhatHasComeSinceIsRead) {
  work(30);
  const auto known = kept_.read(query()).value()["maxSeq"].asInteger();
  more(2);
  Json delta;
  EXPECT_EQ(readsOf([&] { delta = kept_.read(query(known)).value(); }), 2U);
  EXPECT_EQ(delta.dump(), readTimeline(*book_, query(known)).value().dump());
  EXPECT_EQ(delta["delta"]["upsertRows"].items().size(), 2U);
}

TEST_F(KeptTimelinesTest, APageInTheMiddleOfALongTurnBeginsElsewhereOnlyNowAndThen) {
  work(40);
  auto wanted = query();
  wanted.max_events = 32;
  std::size_t anew = 0;
  for (int number = 0; number < 32; ++number) {
    more(1);
    Json page;
    anew += readsOf([&] { page = kept_.read(wanted).value(); }) > 4 ? 1 : 0;
    EXPECT_EQ(page.dump(), readTimeline(*book_, wanted).value().dump());
  }
  EXPECT_LE(anew, 32U / 4 + 1);
}

TEST_F(KeptTimelinesTest, ALongTurnIsFoldedAtItsEndWhereverItsPageBegins) {
  for (int number = 0; number < 4; ++number) {
    thread_.clear();
    work(40 + number);
    auto wanted = query();
    wanted.max_events = 32;
    EXPECT_GT(kept_.read(wanted).value()["rows"].items().size(), 20U);
    finish();
    const auto page = kept_.read(wanted).value();
    EXPECT_EQ(page["rows"].items().size(), 2U);
    EXPECT_EQ(page.dump(), readTimeline(*book_, wanted).value().dump());
  }
}

TEST_F(KeptTimelinesTest, WhatIsKeptGoesWhenNobodyReadsItOrOthersNeedTheRoom) {
  work(30);
  const auto whole = readsOf([&] { (void)kept_.read(query()); });
  for (int tick = 1; tick < kKeptTimelineTicks; ++tick) {
    kept_.tick();
  }
  EXPECT_EQ(readsOf([&] { (void)kept_.read(query()); }), 0U);
  for (int tick = 0; tick < kKeptTimelineTicks; ++tick) {
    kept_.tick();
  }
  EXPECT_EQ(readsOf([&] { (void)kept_.read(query()); }), whole);

  const auto first = thread_;
  thread_.clear();
  spawn("other");
  const auto one =
      TimelinePage::read(store_, {.thread_id = first, .segment_limit = 1}, 1000).value().bytes();
  KeptTimelines small(*book_, one);
  (void)small.read({.thread_id = first, .segment_limit = 1});
  EXPECT_EQ(readsOf([&] { (void)small.read({.thread_id = first, .segment_limit = 1}); }), 0U);
  (void)small.read(query());
  EXPECT_EQ(readsOf([&] { (void)small.read(query()); }), 0U);
  EXPECT_GT(readsOf([&] { (void)small.read({.thread_id = first, .segment_limit = 1}); }), 0U);
  KeptTimelines none(*book_, one - 1);
  (void)none.read({.thread_id = first, .segment_limit = 1});
  EXPECT_GT(readsOf([&] { (void)none.read({.thread_id = first, .segment_limit = 1}); }), 0U);
}

TEST_F(KeptTimelinesTest, AThreadThatIsGoneIsNotThereAnyMore) {
  work(1);
  ASSERT_TRUE(kept_.read(query()).ok());
  ASSERT_TRUE(records_->remove(thread_, true).ok());
  EXPECT_EQ(kept_.read(query()).error().code, errc::kNotFound);
}

TEST_F(KeptTimelinesTest, WhateverComesItShowsWhatAFreshReadShows) {
  constexpr std::uint64_t kSeeds = 50;
  constexpr std::array<std::size_t, 4> kPages{8, 17, 64, 20'000};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto id = fmt::format("thr_{}", seed);
    add(id);
    RandomLog log(*book_, id, seed);
    auto& dice = log.dice();
    const auto segments = 1 + dice.roll(4);
    const auto events = dice.oneOf(kPages);
    std::int64_t known = 0;
    for (int step = 0; step < 60; ++step) {
      if (dice.chance(80)) {
        log.grow();
      }
      LiveTexts::Texts live;
      if (dice.chance(40)) {
        live[fmt::format("m-{}", dice.roll(20))] = {.field = "text", .text = "so far"};
        live[fmt::format("r-{}", dice.roll(20))] = {.field = "reasoning", .text = "hm"};
      }
      TimelineQuery wanted{.thread_id = id,
                           .segment_limit = segments,
                           .include_nested = dice.chance(50),
                           .summary_only = dice.chance(20),
                           .max_events = events};
      if (dice.chance(70)) {
        wanted.after_sequence = known;
      }
      const auto shown = kept_.read(wanted, live).value();
      ASSERT_EQ(shown.dump(), readTimeline(*book_, wanted, live).value().dump())
          << "seed " << seed << ", step " << step << ", segments " << wanted.segment_limit
          << ", events " << wanted.max_events;
      known = dice.chance(50) ? shown["maxSeq"].asInteger() : known;
    }
  }
}

}  // namespace
}  // namespace svc::threads
