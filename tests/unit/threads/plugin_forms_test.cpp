#include "plugin_forms.h"

#include <optional>
#include <stop_token>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "interaction_desk_fixture.h"

namespace svc::threads {
namespace {

using common::Json;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Forms of plugins as they come from their environments.
class PluginFormsTest : public InteractionDeskTest {
 protected:
  // What is still open is answered, as at the end of a server.
  ~PluginFormsTest() override {
    forms_.reset();
    desk_.reset();
  }
  PluginFormsTest() = default;
  PluginFormsTest(const PluginFormsTest&) = delete;
  PluginFormsTest& operator=(const PluginFormsTest&) = delete;

  /// Its outcome is kept.
  void ask(std::uint64_t load_id, bool described = false, std::stop_token stop = {}) {
    agents::ThreadForm form{.thread_id = thread_,
                            .request = {.plugin_id = "todo",
                                        .renderer_id = "r",
                                        .title = "T",
                                        .payload = common::RawJson(R"({"a":1})"),
                                        .timeout = std::chrono::minutes(1)},
                            .load_id = load_id,
                            .described = described,
                            .shown = [this] { seen_.push_back(open()); }};
    forms().ask(std::move(form), std::move(stop), [this](const Result<common::RawJson>& outcome) {
      outcomes_.push_back(outcome ? parse(outcome.value().text())
                                  : Json(std::string(outcome.error().code.name())));
    });
  }
  PluginForms& forms() {
    if (!forms_) {
      forms_.emplace(*book_, *runner_, desk());
    }
    return *forms_;
  }
  std::string open() {
    const auto list = desk().list(thread_).value();
    return list.items().empty() ? std::string() : list.items().front()["id"].asString();
  }
  std::vector<std::string> reasons() {
    std::vector<std::string> out;
    for (const auto& outcome : outcomes_) {
      out.push_back(outcome["reason"].asString());
    }
    return out;
  }

  std::vector<Json> outcomes_;
  std::vector<std::string> seen_;  ///< what was listed when a form was said to be shown
  std::optional<PluginForms> forms_;
};

TEST_F(PluginFormsTest, AFormIsAnInteractionWithAnEnd) {
  add("thr_a");
  thread_ = "thr_a";
  ask(1);
  const auto record = desk().get(thread_, open()).value();
  EXPECT_EQ(record["payload"].dump(), R"({"kind":"plugin","title":"T","data":{"a":1}})");
  EXPECT_EQ(record["origin"]["pluginId"].asString(), "todo");
  EXPECT_EQ(record["expiresAt"].asInteger(), clock_.nowMs() + 60'000);
  clock_.advance(std::chrono::minutes(1));
  desk().tick();
  EXPECT_THAT(reasons(), ElementsAre("timeout"));
  thread_ = "thr_x";
  ask(1);
  EXPECT_EQ(outcomes_.back().asString(), "not_found");
}

TEST_F(PluginFormsTest, WhoeverHearsThatAFormIsShownCanListIt) {
  add("thr_a");
  thread_ = "thr_a";
  ask(1);
  EXPECT_THAT(seen_, ElementsAre(open()));
  EXPECT_NE(open(), "");
  thread_ = "thr_x";
  ask(1);
  EXPECT_THAT(seen_, ::testing::SizeIs(1)) << "it is not shown";
}

TEST_F(PluginFormsTest, WhatThePluginSaysOfAnAnswerIsKept) {
  add("thr_a");
  thread_ = "thr_a";
  ask(1, true);
  const auto id = open();
  EXPECT_EQ(desk().respond(thread_, id, "secret").value()["status"].asString(), "resolving");
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(outcomes_[0]["interactionId"].asString(), id);
  forms().describe("other", id, Json::object().set("title", "Forged"));
  EXPECT_EQ(desk().get(thread_, id).value()["status"].asString(), "resolving");
  forms().describe("todo", id, Json::object().set("title", "Chose blue"));
  const auto record = desk().get(thread_, id).value();
  EXPECT_EQ(record["status"].asString(), "resolved");
  EXPECT_EQ(record["resolution"]["description"]["title"].asString(), "Chose blue");
  const auto log = store_.events({.thread_id = thread_}).value();
  EXPECT_THAT(log.back().data, HasSubstr("Chose blue"));
}

TEST_F(PluginFormsTest, ADescriptionThatDoesNotComeIsNotWaitedForLong) {
  add("thr_a");
  thread_ = "thr_a";
  ask(1, true);
  const auto id = open();
  EXPECT_TRUE(desk().respond(thread_, id, "x").ok());
  clock_.advance(limits::kDescribe);
  desk().tick();
  EXPECT_EQ(desk().get(thread_, id).value()["status"].asString(), "resolving");
  clock_.advance(limits::kDescribe);
  desk().tick();
  EXPECT_EQ(desk().get(thread_, id).value()["status"].asString(), "resolved");
}

TEST_F(PluginFormsTest, FormsEndWithTheEnvironmentThatAsks) {
  add("thr_a");
  thread_ = "thr_a";
  ask(1);
  ask(2);
  bool disposed = false;
  forms().dispose(1, [&disposed](const Status&) { disposed = true; });
  EXPECT_TRUE(disposed);
  EXPECT_THAT(reasons(), ElementsAre("plugin-disposed"));
  EXPECT_EQ(desk().list(thread_).value().items().size(), 1U);
}

TEST_F(PluginFormsTest, FormsHearThatTheServerEndsAndWhatWaitsForThemStaysUntilTheNextStart) {
  spawn();
  begin();
  ask(1);
  const auto id = open();
  ASSERT_TRUE(send("next").ok());
  finish();
  ASSERT_THAT(waiting(), ElementsAre("next"));
  bool closed = false;
  forms().close([&closed](const Status&) { closed = true; });
  EXPECT_TRUE(closed);
  EXPECT_THAT(reasons(), ElementsAre("server-restarted"));
  const auto record = desk().get(thread_, id).value();
  EXPECT_EQ(record["status"].asString(), "interrupted");
  EXPECT_EQ(record["statusReason"].asString(), "server-restarted");
  EXPECT_THAT(waiting(), ElementsAre("next"));
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(PluginFormsTest, FormsEndWithTheCallThatAsks) {
  add("thr_a");
  thread_ = "thr_a";
  std::stop_source call;
  ask(1, false, call.get_token());
  call.request_stop();
  EXPECT_THAT(reasons(), ElementsAre("request-aborted"));
  // One that is over before it begins.
  ask(1, false, call.get_token());
  EXPECT_THAT(reasons(), ElementsAre("request-aborted", "request-aborted"));
  EXPECT_EQ(open(), "");
}

TEST_F(PluginFormsTest, AFormOutlivesAGoodEndOfTheTurnAndNoStop) {
  spawn();
  begin();
  ask(1);
  finish();
  desk().tick();
  EXPECT_TRUE(outcomes_.empty());
  EXPECT_TRUE(stop().ok());
  desk().tick();
  EXPECT_THAT(reasons(), ElementsAre("thread-stopped"));
}

TEST_F(PluginFormsTest, AFormHearsOfAStopHoweverTheAgentEndsItsTurn) {
  for (const auto* status : {"interrupted", "completed", "failed"}) {
    spawn();
    begin();
    ask(1);
    EXPECT_TRUE(stop().ok());
    finish(status);
    desk().tick();
  }
  EXPECT_THAT(reasons(), ElementsAre("thread-stopped", "thread-stopped", "thread-stopped"));
}

TEST_F(PluginFormsTest, AFormHearsOfAStopThatEndsItsCallBeforeTheTurn) {
  spawn();
  begin();
  std::stop_source call;
  ask(1, false, call.get_token());
  EXPECT_TRUE(stop().ok());
  ASSERT_EQ(status(), "stopping");
  call.request_stop();
  EXPECT_THAT(reasons(), ElementsAre("thread-stopped"));
}

TEST_F(PluginFormsTest, AFormHearsThatItsThreadIsDeletedAlsoInATurn) {
  spawn();
  begin();
  ask(1);
  runner_->stopThen({thread_}, "thread-deleted", [] {});
  desk().tick();
  EXPECT_THAT(reasons(), ElementsAre("thread-deleted"));
}

TEST_F(PluginFormsTest, AMessageGoesBehindThoseThatAFormKeepsBack) {
  spawn();
  begin();
  ask(1);
  ASSERT_TRUE(send("first").ok());
  finish();
  ASSERT_EQ(status(), "idle");
  EXPECT_EQ(send("second").value()["outcome"].asString(), "queued");
  EXPECT_EQ(send("third", "queue-if-active").value()["outcome"].asString(), "queued");
  EXPECT_EQ(send("at once", "start").value()["outcome"].asString(), "started");
  begin();
  finish();
  EXPECT_THAT(waiting(), ElementsAre("first", "second", "third"));
  ASSERT_TRUE(desk().respond(thread_, open(), "x").ok());
  EXPECT_THAT(prompts_, ElementsAre("hello", "at once", "first"));
}

TEST_F(PluginFormsTest, AMessageStartsATurnWhileAFormIsOpenAndNothingElseWaits) {
  spawn();
  begin();
  ask(1);
  ASSERT_TRUE(send("later", "auto", clock_.nowMs() + 1000).ok());
  finish();
  EXPECT_EQ(send("now").value()["outcome"].asString(), "started");
  EXPECT_THAT(prompts_, ElementsAre("hello", "now"));
}

TEST_F(PluginFormsTest, AFormEndsWithATurnThatFails) {
  spawn();
  begin();
  ask(1);
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"exited"})"));
  desk().tick();
  EXPECT_THAT(reasons(), ElementsAre("request-aborted"));
}

}  // namespace
}  // namespace svc::threads
