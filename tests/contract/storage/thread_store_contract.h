#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/thread_store.h"

namespace svc::storage {

/// What every IThreadStore does. Rig offers `IThreadStore& threads()`.
template <class Rig>
class ThreadStoreContract : public ::testing::Test {
 protected:
  IThreadStore& store() { return rig_.threads(); }

  /// No member has the value of another one.
  static ThreadRow thread(std::string id) {
    return {.id = std::move(id),
            .project_id = "proj_a",
            .environment_id = "env_a",
            .provider_id = "agent",
            .title = "Größe",
            .title_is_own = true,
            .title_fallback = "fallback",
            .section_id = "sec_a",
            .status = "active",
            .parent_thread_id = "thr_p",
            .source_thread_id = "thr_s",
            .origin_kind = "fork",
            .origin_plugin_id = "plugin",
            .hidden = true,
            .pin_sort_key = "i",
            .archived_at = 1,
            .pinned_at = 2,
            .deleted_at = 3,
            .last_read_at = 4,
            .latest_attention_at = 5,
            .created_at = 6,
            .updated_at = 7,
            .execution = R"({"model":"m"})",
            .environment = R"({"hostId":"h"})",
            .session = "s-1",
            .last_seq = 8,
            .owes_idle = true};
  }
  static TurnRow turn(std::string request_id, std::string thread_id, std::string state,
                      std::int64_t accepted_at = 1) {
    return {.request_id = std::move(request_id),
            .turn_id = "turn_a",
            .thread_id = std::move(thread_id),
            .state = std::move(state),
            .attempt = 2,
            .retry_of = "req_0",
            .initiator = "user",
            .provider_turn_id = "p-1",
            .error = "broken",
            .requested_seq = 9,
            .accepted_at = accepted_at,
            .dispatched_at = 3,
            .started_at = 4,
            .ended_at = 5};
  }
  static ThreadEventRow event(std::string thread_id, std::int64_t seq, std::string type = "a",
                              std::string data = "{}") {
    return {.id = thread_id + "-" + std::to_string(seq),
            .thread_id = thread_id,
            .seq = seq,
            .type = std::move(type),
            .turn_id = "turn_a",
            .data = std::move(data),
            .created_at = seq};
  }
  static QueuedMessageRow queued(std::string id, std::string thread_id, std::string key) {
    return {.id = std::move(id),
            .thread_id = std::move(thread_id),
            .sort_key = std::move(key),
            .content = R"([{"type":"text"}])",
            .options = R"({"model":"m"})",
            .group_with_next = true,
            .send_at = 1,
            .waiting_on = R"({"kind":"time"})",
            .payload = R"({"kind":"inline"})",
            .created_at = 2,
            .updated_at = 3};
  }
  static InteractionRow interaction(std::string id, std::string thread_id, std::string status) {
    return {.id = std::move(id),
            .thread_id = std::move(thread_id),
            .turn_id = "turn_a",
            .status = std::move(status),
            .status_reason = "user",
            .origin = R"({"kind":"plugin"})",
            .payload = R"({"kind":"approval"})",
            .resolution = R"({"decision":"deny"})",
            .created_at = 1,
            .resolved_at = 2,
            .expires_at = 3};
  }
  std::vector<std::int64_t> seqs(const ThreadEventQuery& query) {
    std::vector<std::int64_t> out;
    const auto found = store().events(query);
    EXPECT_TRUE(found.ok());
    for (const auto& row : found.value()) {
      out.push_back(row.seq);
    }
    return out;
  }
  bool applied(const ThreadChange& change) {
    const auto done = store().apply(change);
    EXPECT_TRUE(done.ok());
    return done.ok() && done.value();
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(ThreadStoreContract);

TYPED_TEST_P(ThreadStoreContract, HasNothingAtFirst) {
  using ::testing::IsEmpty;
  EXPECT_THAT(this->store().threads().value(), IsEmpty());
  EXPECT_THAT(this->store().turns("thr_a").value(), IsEmpty());
  EXPECT_THAT(this->store().openTurns().value(), IsEmpty());
  EXPECT_THAT(this->store().queuedMessages().value(), IsEmpty());
  EXPECT_THAT(this->store().openInteractions().value(), IsEmpty());
  EXPECT_FALSE(this->store().interaction("int_a").value());
  EXPECT_THAT(this->store().sections().value(), IsEmpty());
  EXPECT_EQ(this->store().tabs("thr_a").value(), (ThreadTabsRow{.thread_id = "thr_a"}));
  EXPECT_EQ(this->store().metadata("thr_a", "plugin").value(), "");
  EXPECT_THAT(this->store().events({.thread_id = "thr_a"}).value(), IsEmpty());
}

TYPED_TEST_P(ThreadStoreContract, KeepsAndReplacesEveryRow) {
  using ::testing::ElementsAre;
  const auto a = this->thread("thr_a");
  const auto first = this->queued("qm_1", "thr_a", "b");
  const auto second = this->queued("qm_2", "thr_a", "a");
  const auto asked = this->interaction("int_a", "thr_a", "pending");
  const ThreadSectionRow section{.id = "sec_a", .name = "Später", .created_at = 1, .updated_at = 2};
  const ThreadTabsRow tabs{.thread_id = "thr_a", .revision = 3, .tabs = R"([{"id":"x"}])"};
  ASSERT_TRUE(this->applied({.threads = {this->thread("thr_b"), a},
                             .turns = {this->turn("req_1", "thr_a", "accepted")},
                             .queued = {first, second},
                             .interactions = {asked},
                             .sections = {section},
                             .tabs = {tabs},
                             .metadata = {{"thr_a", "plugin", R"({"k":1})"}}}));
  EXPECT_THAT(this->store().threads().value(), ElementsAre(a, this->thread("thr_b")));
  EXPECT_THAT(this->store().turns("thr_a").value(),
              ElementsAre(this->turn("req_1", "thr_a", "accepted")));
  EXPECT_THAT(this->store().queuedMessages().value(), ElementsAre(second, first));
  EXPECT_THAT(this->store().openInteractions().value(), ElementsAre(asked));
  EXPECT_EQ(this->store().interaction("int_a").value(), asked);
  EXPECT_THAT(this->store().sections().value(), ElementsAre(section));
  EXPECT_EQ(this->store().tabs("thr_a").value(), tabs);
  EXPECT_EQ(this->store().metadata("thr_a", "plugin").value(), R"({"k":1})");

  auto changed = a;
  changed.title = "";
  changed.title_is_own = false;
  changed.hidden = false;
  changed.archived_at = 0;
  ASSERT_TRUE(this->applied({.threads = {changed},
                             .turns = {this->turn("req_1", "thr_a", "failed")},
                             .interactions = {this->interaction("int_a", "thr_a", "resolved")},
                             .tabs = {{.thread_id = "thr_a", .revision = 4}},
                             .metadata = {{"thr_a", "plugin", "{}"}}}));
  EXPECT_EQ(this->store().threads().value().front(), changed);
  EXPECT_THAT(this->store().openTurns().value(), ::testing::IsEmpty());
  EXPECT_THAT(this->store().openInteractions().value(), ::testing::IsEmpty());
  EXPECT_EQ(this->store().interaction("int_a").value()->status, "resolved");
  EXPECT_EQ(this->store().tabs("thr_a").value().revision, 4);
  EXPECT_EQ(this->store().metadata("thr_a", "plugin").value(), "{}");
  ASSERT_TRUE(this->applied({.metadata = {{"thr_a", "another", "[]"}, {"thr_b", "plugin", "1"}}}));
  EXPECT_THAT(this->store().allMetadata("thr_a").value(),
              ElementsAre(storage::ThreadMetadataRow{"thr_a", "another", "[]"},
                          storage::ThreadMetadataRow{"thr_a", "plugin", "{}"}));
}

TYPED_TEST_P(ThreadStoreContract, TurnsComeInTheOrderOfTheirAcceptance) {
  using ::testing::ElementsAre;
  const auto late = this->turn("req_1", "thr_a", "started", 20);
  const auto early = this->turn("req_2", "thr_a", "completed", 10);
  const auto other = this->turn("req_3", "thr_b", "dispatched", 5);
  ASSERT_TRUE(this->applied({.turns = {late, early, other}}));
  EXPECT_THAT(this->store().turns("thr_a").value(), ElementsAre(early, late));
  EXPECT_THAT(this->store().openTurns().value(), ElementsAre(late, other));
}

TYPED_TEST_P(ThreadStoreContract, EventsAreListedByBoundsTypesAndDirection) {
  using ::testing::ElementsAre;
  ASSERT_TRUE(this->applied({.events = {this->event("thr_a", 1, "x"), this->event("thr_a", 2, "y"),
                                        this->event("thr_a", 3, "x"), this->event("thr_a", 4, "z"),
                                        this->event("thr_b", 1, "x")}}));
  EXPECT_THAT(this->seqs({.thread_id = "thr_a"}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(this->seqs({.thread_id = "thr_a", .after_seq = 1, .before_seq = 4}),
              ElementsAre(2, 3));
  EXPECT_THAT(this->seqs({.thread_id = "thr_a", .descending = true, .limit = 3}),
              ElementsAre(4, 3, 2));
  EXPECT_THAT(this->seqs({.thread_id = "thr_a", .types = {"x", "z"}}), ElementsAre(1, 3, 4));
  EXPECT_THAT(
      this->seqs(
          {.thread_id = "thr_a", .before_seq = 4, .descending = true, .types = {"x"}, .limit = 1}),
      ElementsAre(3));
  EXPECT_EQ(this->store().events({.thread_id = "thr_b"}).value().front(),
            this->event("thr_b", 1, "x"));
}

TYPED_TEST_P(ThreadStoreContract, OfManyEventsOfSomeTypesTheFirstOfTheDirectionAreListed) {
  // Types that take turns at random, one of them rare, others asked for that no event has.
  std::mt19937 random(7);
  std::vector<ThreadEventRow> events;
  for (std::int64_t seq = 1; seq <= 200; ++seq) {
    const auto drawn = random() % 20;
    events.push_back(this->event("thr_a", seq, drawn == 0 ? "rare" : drawn < 8 ? "x" : "y"));
  }
  ASSERT_TRUE(this->applied({.events = events}));
  for (const auto& types : std::vector<std::vector<std::string>>{
           {"x", "rare"}, {"y", "x", "y", "none"}, {"rare"}, {"none"}, {"x", "y", "rare"}}) {
    for (const bool descending : {false, true}) {
      for (const std::size_t limit : {1U, 7U, 50U, 500U}) {
        const auto listed = this->seqs({.thread_id = "thr_a",
                                        .after_seq = 11,
                                        .before_seq = 190,
                                        .descending = descending,
                                        .types = types,
                                        .limit = limit});
        std::vector<std::int64_t> expected;
        for (const auto& event : events) {
          if (event.seq > 11 && event.seq < 190 &&
              std::find(types.begin(), types.end(), event.type) != types.end()) {
            expected.push_back(event.seq);
          }
        }
        if (descending) {
          std::reverse(expected.begin(), expected.end());
        }
        expected.resize(std::min(expected.size(), limit));
        EXPECT_EQ(listed, expected);
      }
    }
  }
}

TYPED_TEST_P(ThreadStoreContract, FindsTextInEventsOfSomeTypes) {
  ASSERT_TRUE(
      this->applied({.events = {this->event("thr_a", 1, "said", R"({"text":"Find the NEEDLE"})"),
                                this->event("thr_b", 2, "said", R"({"text":"needle, größer"})"),
                                this->event("thr_b", 3, "other", R"({"text":"needle"})"),
                                this->event("thr_b", 4, "said", R"({"text":"100%"})")}}));
  const auto found = this->store().findEvents("Needle", {"said"}, 10).value();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front().thread_id, "thr_b");
  EXPECT_EQ(this->store().findEvents("needle", {"said"}, 1).value().size(), 1U);
  EXPECT_EQ(this->store().findEvents("größer", {"said"}, 10).value().size(), 1U);
  EXPECT_EQ(this->store().findEvents("GRÖßER", {"said"}, 10).value().size(), 1U);
  EXPECT_EQ(this->store().findEvents("%", {"said"}, 10).value().size(), 1U);
  EXPECT_TRUE(this->store().findEvents("needle", {}, 10).value().empty());
}

TYPED_TEST_P(ThreadStoreContract, AnEventOfAnAgentIsAppliedOnce) {
  using ::testing::ElementsAre;
  const auto at = [](const char* session, std::int64_t seq) {
    return SessionPosition{.thread_id = "thr_a", .session = session, .seq = seq};
  };
  EXPECT_TRUE(this->applied({.events = {this->event("thr_a", 1)}, .position = at("s", 1)}));
  EXPECT_TRUE(this->applied({.turns = {this->turn("req_1", "thr_a", "started")},
                             .events = {this->event("thr_a", 2)},
                             .position = at("s", 2)}));
  // Sent again after a lost connection: with the rows of what was, or of what would be next.
  EXPECT_FALSE(this->applied({.turns = {this->turn("req_1", "thr_a", "failed")},
                              .events = {this->event("thr_a", 3)},
                              .position = at("s", 2)}));
  EXPECT_FALSE(this->applied({.events = {this->event("thr_a", 1)}, .position = at("s", 1)}));
  EXPECT_THAT(this->seqs({.thread_id = "thr_a"}), ElementsAre(1, 2));
  EXPECT_EQ(this->store().openTurns().value().size(), 1U);
  // Another session counts on its own.
  EXPECT_TRUE(this->applied({.events = {this->event("thr_a", 3)}, .position = at("t", 1)}));
}

TYPED_TEST_P(ThreadStoreContract, AChangeIsMadeAsAWhole) {
  ASSERT_TRUE(this->applied({.threads = {this->thread("thr_a")},
                             .events = {this->event("thr_a", 1)},
                             .position = SessionPosition{"thr_a", "s", 1}}));
  auto changed = this->thread("thr_a");
  changed.status = "idle";
  const ThreadChange twice{.threads = {changed},
                           .events = {this->event("thr_a", 2), this->event("thr_a", 1)},
                           .position = SessionPosition{"thr_a", "s", 2}};
  EXPECT_EQ(this->store().apply(twice).error().code, errc::kConflict);
  EXPECT_EQ(this->store().threads().value().front(), this->thread("thr_a"));
  EXPECT_EQ(this->seqs({.thread_id = "thr_a"}).size(), 1U);
  // Neither has the position moved.
  EXPECT_TRUE(this->applied({.threads = {changed},
                             .events = {this->event("thr_a", 2)},
                             .position = SessionPosition{"thr_a", "s", 2}}));
}

TYPED_TEST_P(ThreadStoreContract, AThreadTakesEverythingAlong) {
  using ::testing::ElementsAre;
  for (const std::string id : {"thr_a", "thr_b"}) {
    ASSERT_TRUE(this->applied({.threads = {this->thread(id)},
                               .turns = {this->turn("req_" + id, id, "started")},
                               .events = {this->event(id, 1)},
                               .queued = {this->queued("qm_" + id, id, "a")},
                               .interactions = {this->interaction("int_" + id, id, "pending")},
                               .tabs = {{.thread_id = id, .revision = 1}},
                               .metadata = {{id, "plugin", "{}"}},
                               .position = SessionPosition{id, "s", 1}}));
  }
  ASSERT_TRUE(this->applied({.gone_threads = {"thr_a", "nobody"}}));
  EXPECT_THAT(this->store().threads().value(), ElementsAre(this->thread("thr_b")));
  EXPECT_EQ(this->store().openTurns().value().size(), 1U);
  EXPECT_EQ(this->store().queuedMessages().value().size(), 1U);
  EXPECT_EQ(this->store().openInteractions().value().size(), 1U);
  EXPECT_EQ(this->store().tabs("thr_a").value().revision, 0);
  EXPECT_EQ(this->store().metadata("thr_a", "plugin").value(), "");
  EXPECT_TRUE(this->seqs({.thread_id = "thr_a"}).empty());
  EXPECT_TRUE(this->applied(
      {.events = {this->event("thr_a", 1)}, .position = SessionPosition{"thr_a", "s", 1}}));
}

TYPED_TEST_P(ThreadStoreContract, WhatAPluginKeepsGoesWithIt) {
  ASSERT_TRUE(this->applied(
      {.metadata = {
           {"thr_a", "plugin", "{}"}, {"thr_b", "plugin", "{}"}, {"thr_b", "another", "{}"}}}));
  EXPECT_EQ(this->store().threadsWithMetadata("plugin").value(), 2U);
  EXPECT_EQ(this->store().threadsWithMetadata("nobody").value(), 0U);
  ASSERT_TRUE(
      this->applied({.metadata = {{"thr_c", "plugin", "{}"}}, .gone_metadata = {"plugin"}}));
  EXPECT_EQ(this->store().metadata("thr_a", "plugin").value(), "");
  EXPECT_EQ(this->store().metadata("thr_c", "plugin").value(), "{}");
  EXPECT_EQ(this->store().threadsWithMetadata("plugin").value(), 1U);
  EXPECT_EQ(this->store().threadsWithMetadata("another").value(), 1U);
}

TYPED_TEST_P(ThreadStoreContract, QueuedMessagesAndSectionsGoOneByOne) {
  ASSERT_TRUE(this->applied(
      {.queued = {this->queued("qm_1", "thr_a", "a"), this->queued("qm_2", "thr_a", "b")},
       .sections = {{.id = "sec_a", .name = "a"}}}));
  ASSERT_TRUE(this->applied({.gone_queued = {"qm_1", "nobody"}, .gone_sections = {"sec_a"}}));
  EXPECT_THAT(this->store().queuedMessages().value(),
              ::testing::ElementsAre(this->queued("qm_2", "thr_a", "b")));
  EXPECT_THAT(this->store().sections().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(ThreadStoreContract, RefusesRowsWithoutTheirKeysAsAWhole) {
  for (const auto& refused :
       {ThreadChange{.threads = {this->thread("")}},
        ThreadChange{.turns = {this->turn("req_1", "", "accepted")}},
        ThreadChange{.events = {this->event("thr_a", 0)}},
        ThreadChange{.queued = {this->queued("", "thr_a", "a")}},
        ThreadChange{.interactions = {this->interaction("int", "", "p")}},
        ThreadChange{.sections = {{.name = "a"}}}, ThreadChange{.tabs = {{.revision = 1}}},
        ThreadChange{.metadata = {{.thread_id = "thr_a"}}},
        ThreadChange{.position = SessionPosition{"thr_a", "", 1}}}) {
    auto change = refused;
    change.threads.insert(change.threads.begin(), this->thread("thr_a"));
    EXPECT_EQ(this->store().apply(change).error().code, errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().threads().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(ThreadStoreContract, HasNothingAtFirst, KeepsAndReplacesEveryRow,
                            TurnsComeInTheOrderOfTheirAcceptance,
                            EventsAreListedByBoundsTypesAndDirection,
                            OfManyEventsOfSomeTypesTheFirstOfTheDirectionAreListed,
                            FindsTextInEventsOfSomeTypes, AnEventOfAnAgentIsAppliedOnce,
                            AChangeIsMadeAsAWhole, AThreadTakesEverythingAlong,
                            WhatAPluginKeepsGoesWithIt, QueuedMessagesAndSectionsGoOneByOne,
                            RefusesRowsWithoutTheirKeysAsAWhole);

}  // namespace svc::storage
