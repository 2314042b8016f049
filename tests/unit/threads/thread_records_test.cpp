#include "thread_records.h"

#include "svc/common/codes.h"
#include "svc/common/sort_key.h"

#include "fixture.h"

namespace svc::threads {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using ThreadRecordsTest = ThreadsFixture;

TEST_F(ThreadRecordsTest, TheRecordHasTheMembersOfTheContract) {
  add("thr_a");
  const auto record = records_->get("thr_a").value();
  EXPECT_EQ(record["projectId"].asString(), "proj_a");
  EXPECT_TRUE(record["title"].isNull());
  EXPECT_EQ(record["titleFallback"].asString(), "about thr_a");
  EXPECT_EQ(record["status"].asString(), "idle");
  EXPECT_EQ(record["runtime"]["displayStatus"].asString(), "idle");
  EXPECT_EQ(record["visibility"].asString(), "visible");
  EXPECT_TRUE(record["canSpawnChild"].asBool());
  EXPECT_FALSE(record["hasPendingInteraction"].asBool(true));
  EXPECT_TRUE(record["archivedAt"].isNull());
  EXPECT_EQ(record["latestAttentionAt"].asInteger(), clock_.nowMs());
  EXPECT_EQ(record["environmentWorkspaceDisplayKind"].asString(), "other");
  const auto error = records_->get("thr_x").error();
  EXPECT_EQ(error.code, errc::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("svc thread list"));
}

TEST_F(ThreadRecordsTest, ListsByActivityAndEveryFilter) {
  add("thr_a", {.project_id = "proj_b", .section_id = "sec_a"});
  add("thr_b", {.parent_thread_id = "thr_a", .source_thread_id = "thr_a", .origin_kind = "fork"});
  add("thr_c", {.origin_plugin_id = "todo"});
  add("thr_d", {.hidden = true});
  ASSERT_TRUE(records_->archive({"thr_c"}).ok());
  EXPECT_THAT(ids(), ElementsAre("thr_c", "thr_b", "thr_a"));
  EXPECT_THAT(ids({.include_hidden = true}), ElementsAre("thr_d", "thr_c", "thr_b", "thr_a"));
  EXPECT_THAT(ids({.project_id = "proj_b"}), ElementsAre("thr_a"));
  EXPECT_THAT(ids({.archived = true}), ElementsAre("thr_c"));
  EXPECT_THAT(ids({.archived = false}), ElementsAre("thr_b", "thr_a"));
  EXPECT_THAT(ids({.has_parent = true}), ElementsAre("thr_b"));
  EXPECT_THAT(ids({.has_parent = false}), ElementsAre("thr_c", "thr_a"));
  EXPECT_THAT(ids({.parent_thread_id = "thr_a"}), ElementsAre("thr_b"));
  EXPECT_THAT(ids({.source_thread_id = "thr_a"}), ElementsAre("thr_b"));
  EXPECT_THAT(ids({.origin_kind = "fork"}), ElementsAre("thr_b"));
  EXPECT_THAT(ids({.origin_plugin_id = "todo"}), ElementsAre("thr_c"));
  EXPECT_THAT(ids({.section_id = "sec_a"}), ElementsAre("thr_a"));
  EXPECT_THAT(ids({.unsectioned = true}), ElementsAre("thr_c", "thr_b"));
  EXPECT_THAT(ids({.limit = 1, .offset = 1}), ElementsAre("thr_b"));
}

TEST_F(ThreadRecordsTest, WorkHasTheTitleOfTheOnlyThreadThatIsThere) {
  add("thr_a", {.environment_id = "env_a", .title = "Fix the shop"});
  add("thr_b", {.environment_id = "env_b"});
  EXPECT_EQ(records_->titleOfWork("env_a"), "Fix the shop");
  EXPECT_EQ(records_->titleOfWork("env_b"), "about thr_b");
  EXPECT_EQ(records_->titleOfWork("env_c"), "");
  add("thr_c", {.environment_id = "env_b"});
  EXPECT_EQ(records_->titleOfWork("env_b"), "");
  ASSERT_TRUE(records_->archive({"thr_c"}).ok());
  EXPECT_EQ(records_->titleOfWork("env_b"), "about thr_b");
}

TEST_F(ThreadRecordsTest, ArchivesDescendantsParentsFirstAndBringsBackOne) {
  add("thr_a");
  add("thr_b", {.parent_thread_id = "thr_a"});
  add("thr_c", {.parent_thread_id = "thr_b"});
  add("thr_d");
  forget();
  EXPECT_THAT(records_->archive({"thr_a"}).value(), ElementsAre("thr_a", "thr_b", "thr_c"));
  EXPECT_THAT(emitted_,
              ElementsAre(Pair("thread.archived", "thr_a"), Pair("thread.archived", "thr_b"),
                          Pair("thread.archived", "thr_c")));
  EXPECT_FALSE(payloads_.front()["thread"]["archivedAt"].isNull());
  EXPECT_THAT(records_->archive({"thr_a"}).value(), IsEmpty());
  EXPECT_FALSE(records_->get("thr_b").value()["canSpawnChild"].asBool(true));
  restartBook();
  EXPECT_THAT(ids({.archived = true}), ElementsAre("thr_c", "thr_b", "thr_a"));
  EXPECT_TRUE(records_->unarchive("thr_b").value()["archivedAt"].isNull());
  EXPECT_THAT(ids({.archived = false}), ElementsAre("thr_d", "thr_b"));
  EXPECT_THAT(told_, ElementsAre(Pair("thr_b", "archived-changed")));
}

TEST_F(ThreadRecordsTest, AnArchivedThreadBecomesNobodysParent) {
  add("thr_a");
  add("thr_b");
  ASSERT_TRUE(records_->archive({"thr_a"}).ok());
  const auto refused = records_->update("thr_b", {.parent_thread_id = "thr_a"});
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("unarchive it first"));
  ASSERT_TRUE(records_->unarchive("thr_a").ok());
  EXPECT_TRUE(records_->update("thr_b", {.parent_thread_id = "thr_a"}).ok());
}

TEST_F(ThreadRecordsTest, DeletingAsksForItsChildrenAndPurgesLater) {
  add("thr_a");
  add("thr_b", {.parent_thread_id = "thr_a"});
  const auto refused = records_->remove("thr_a", false).error();
  EXPECT_EQ(refused.code, errc::kConflict);
  EXPECT_THAT(refused.details, HasSubstr(R"("nonDeletedChildCount":1)"));
  EXPECT_THAT(records_->remove("thr_a", true).value(), ElementsAre("thr_a", "thr_b"));
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_EQ(records_->get("thr_b").error().code, errc::kNotFound);
  EXPECT_THAT(emitted_, Contains(Pair("thread.deleted", "thr_b")));
  EXPECT_EQ(store_.threads().value().size(), 2U);
  restartBook();
  EXPECT_THAT(ids(), IsEmpty());
  ASSERT_TRUE(records_->purge([](const std::string&) {}).ok());
  EXPECT_THAT(store_.threads().value(), IsEmpty());
}

TEST_F(ThreadRecordsTest, WhatWaitsInADeletedThreadIsCancelledBeforeIt) {
  add("thr_a");
  add("thr_b", {.parent_thread_id = "thr_a"});
  {
    Edit edit(*book_);
    for (const char* id : {"thr_a", "thr_b"}) {
      edit.change.queued.push_back({.id = std::string("qm_") + id, .thread_id = id, .send_at = 99});
    }
    ASSERT_TRUE(edit.commit().ok());
  }
  forget();
  ASSERT_TRUE(records_->remove("thr_a", true).ok());
  EXPECT_THAT(emitted_,
              ElementsAre(Pair("message.cancelled", ""), Pair("thread.deleted", "thr_a"),
                          Pair("message.cancelled", ""), Pair("thread.deleted", "thr_b")));
  EXPECT_EQ(payloads_[0]["entry"]["id"].asString(), "qm_thr_a");
  EXPECT_EQ(payloads_[2]["entry"]["threadId"].asString(), "thr_b");
  EXPECT_THAT(store_.queuedMessages().value(), IsEmpty());
}

TEST_F(ThreadRecordsTest, WhoListsThreadsHearsOfOneThatIsHiddenAndShown) {
  add("thr_a");
  forget();
  for (const bool hidden : {true, false}) {
    ASSERT_TRUE(records_->update("thr_a", {.hidden = hidden}).ok());
  }
  EXPECT_THAT(told_, ElementsAre(Pair("thr_a", "order-changed"), Pair("thr_a", "order-changed")));
  EXPECT_THAT(told_hidden_, ElementsAre(false, false));
  // Of a hidden one nothing else is told to them.
  ASSERT_TRUE(records_->update("thr_a", {.hidden = true}).ok());
  forget();
  ASSERT_TRUE(records_->update("thr_a", {.title = "Mine"}).ok());
  EXPECT_THAT(told_hidden_, ElementsAre(true));
}

TEST_F(ThreadRecordsTest, UpdatesWhatIsGivenAndTellsWhatChanged) {
  add("thr_a");
  add("thr_b");
  forget();
  clock_.advance(std::chrono::milliseconds(9));
  const auto renamed = records_->update("thr_a", {.title = "Mine"}).value();
  EXPECT_EQ(renamed["title"].asString(), "Mine");
  EXPECT_EQ(renamed["updatedAt"].asInteger(), clock_.nowMs());
  ASSERT_TRUE(records_->update("thr_a", {.title = "Mine"}).ok());
  ASSERT_TRUE(records_->update("thr_a", {.parent_thread_id = "thr_b", .hidden = true}).ok());
  EXPECT_THAT(told_, ElementsAre(Pair("thr_a", "title-changed"), Pair("thr_a", "parent-changed"),
                                 Pair("thr_a", "order-changed")));
  EXPECT_THAT(emitted_, ElementsAre(Pair("experimental_thread.parentChanged", "thr_a")));
  EXPECT_TRUE(payloads_.front()["previousParentThreadId"].isNull());
  restartBook();
  EXPECT_EQ(records_->get("thr_a").value()["parentThreadId"].asString(), "thr_b");
  EXPECT_TRUE(records_->update("thr_a", {.title = ""}).value()["title"].isNull());
}

TEST_F(ThreadRecordsTest, AParentIsNeverADescendant) {
  add("thr_a");
  add("thr_b", {.parent_thread_id = "thr_a"});
  add("thr_c", {.parent_thread_id = "thr_b"});
  for (const char* parent : {"thr_a", "thr_b", "thr_c"}) {
    EXPECT_EQ(records_->update("thr_a", {.parent_thread_id = parent}).error().code,
              errc::kConflict);
  }
  EXPECT_EQ(records_->update("thr_a", {.parent_thread_id = "thr_x"}).error().code, errc::kNotFound);
  EXPECT_EQ(records_->update("thr_a", {.section_id = "sec_x"}).error().code, errc::kNotFound);
  EXPECT_TRUE(records_->update("thr_c", {.parent_thread_id = "thr_a"}).ok());
}

TEST_F(ThreadRecordsTest, PinnedOnesHaveAnOrderOfTheirOwn) {
  for (const char* id : {"thr_a", "thr_b", "thr_c"}) {
    add(id);
    EXPECT_FALSE(records_->pin(id, true).value()["pinSortKey"].isNull());
  }
  const auto order = [this](const std::optional<std::string>& previous,
                            const std::optional<std::string>& next, const std::string& moved) {
    std::vector<std::string> out;
    const auto list = records_->reorderPinned(moved, previous, next).value();
    for (const auto& each : list.items()) {
      out.push_back(each["id"].asString());
    }
    return out;
  };
  EXPECT_THAT(order({}, "thr_a", "thr_c"), ElementsAre("thr_c", "thr_a", "thr_b"));
  EXPECT_THAT(order("thr_a", "thr_b", "thr_c"), ElementsAre("thr_a", "thr_c", "thr_b"));
  EXPECT_EQ(records_->reorderPinned("thr_c", "thr_b", "thr_a").error().code, errc::kConflict);
  EXPECT_TRUE(records_->pin("thr_c", false).value()["pinSortKey"].isNull());
  EXPECT_EQ(records_->reorderPinned("thr_c", {}, "thr_a").error().code, errc::kConflict);
  std::string last = "thr_b";
  std::string middle = "thr_a";
  add("thr_d");
  ASSERT_TRUE(records_->pin("thr_d", true).ok());
  for (int turn = 0; turn < 400; ++turn) {
    const auto list = order(middle, last, "thr_d");
    ASSERT_THAT(list, ElementsAre(middle, "thr_d", last));
    ASSERT_THAT(order({}, middle, "thr_d").size(), 3U);
  }
  const auto rows = store_.threads().value();
  for (const auto& row : rows) {
    EXPECT_LE(row.pin_sort_key.size(), common::kSortKeyLength);
  }
}

TEST_F(ThreadRecordsTest, ReadingTakesTheAttentionAway) {
  EXPECT_FALSE(records_->hasAttention());
  add("thr_a");
  EXPECT_TRUE(records_->hasAttention());
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(records_->mark("thr_a", true).value()["lastReadAt"].asInteger(), clock_.nowMs());
  EXPECT_FALSE(records_->hasAttention());
  EXPECT_TRUE(records_->mark("thr_a", false).value()["lastReadAt"].isNull());
  EXPECT_TRUE(records_->hasAttention());
  ASSERT_TRUE(records_->update("thr_a", {.hidden = true}).ok());
  EXPECT_FALSE(records_->hasAttention());
}

TEST_F(ThreadRecordsTest, KnowsChildrenAndLabels) {
  add("thr_a");
  add("thr_b", {.title = "Named", .parent_thread_id = "thr_a"});
  EXPECT_EQ(records_->childCount("thr_a").value(), 1U);
  // As many as a deletion would take along.
  add("thr_c", {.parent_thread_id = "thr_b"});
  EXPECT_EQ(records_->childCount("thr_a").value(), 2U);
  EXPECT_EQ(common::Json::parse(records_->remove("thr_a", false).error().details)
                .value()["nonDeletedChildCount"]
                .asInteger(),
            2);
  EXPECT_EQ(records_->childCount("thr_x").error().code, errc::kNotFound);
  EXPECT_EQ(records_->mentions({"thr_b", "thr_x", "thr_a"}).dump(),
            R"([{"threadId":"thr_b","projectId":"proj_a","label":"Named"},)"
            R"({"threadId":"thr_a","projectId":"proj_a","label":"about thr_a"}])");
}

TEST_F(ThreadRecordsTest, WhatIsNotStoredDidNotHappen) {
  add("thr_a");
  const auto before = records_->get("thr_a").value().dump();
  forget();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(records_->archive({"thr_a"}).error().code, errc::kUnavailable);
  EXPECT_EQ(records_->remove("thr_a", true).error().code, errc::kUnavailable);
  EXPECT_EQ(records_->pin("thr_a", true).error().code, errc::kUnavailable);
  EXPECT_EQ(records_->update("thr_a", {.title = "x"}).error().code, errc::kUnavailable);
  EXPECT_EQ(records_->get("thr_a").value().dump(), before);
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(emitted_, IsEmpty());
}

}  // namespace
}  // namespace svc::threads
