#include "mention_context.h"

#include "svc/common/codes.h"

#include "mocks/mock_agents.h"
#include "runner_fixture.h"
#include "thread_limits.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Turns whose messages mention items of the provider "notes" of the plugin "desk", which answers what the test says.
class MentionContextTest : public RunnerFixture {
 protected:
  MentionContextTest() {
    ON_CALL(mentions_, resolve(_, _, _, _))
        .WillByDefault([this](const std::string& plugin, const std::string& provider,
                              const std::string& item, Completion<common::RawJson> done) {
          asked_.push_back(plugin + " " + provider + " " + item);
          if (holding_) {
            held_.push_back(std::move(done));
          } else if (failure_) {
            done(*failure_);
          } else {
            done(common::RawJson(answer_));
          }
        });
    runner_ = std::make_unique<TurnRunner>(
        *book_, workers_,
        Crew{.agents = &agents_, .environments = &environments_, .mentions = &mentions_});
    EXPECT_TRUE(runner_->recover().ok());
  }

  static Json mention(const std::string& item, const std::string& label = "Plan") {
    return Json::object()
        .set("start", 0)
        .set("end", 4)
        .set("resource", Json::object()
                             .set("kind", "plugin")
                             .set("pluginId", "desk")
                             .set("itemId", item)
                             .set("label", label));
  }
  static Json mentioning(const std::vector<Json>& mentions) {
    auto input = said("Plan is what?");
    auto list = Json::array();
    for (const auto& each : mentions) {
      list.push(each);
    }
    auto block = input.items()[0];
    return Json(Json::Array{block.set("mentions", std::move(list))});
  }
  Result<Json> tell(Json input) {
    return answerOf([&](Completion<Json> done) {
      runner_->send({.message = {.thread_id = thread_,
                                 .input = std::move(input),
                                 .execution = Json::object()}},
                    std::move(done));
    });
  }
  Result<Json> trySpawn(Json input) {
    auto wanted = request("x");
    wanted.first.input = std::move(input);
    auto made = answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); });
    thread_ = made ? made.value()["id"].asString() : std::string();
    return made;
  }

  ::testing::NiceMock<agents::MockMentionProviders> mentions_;
  std::vector<std::string> asked_;
  std::vector<Completion<common::RawJson>> held_;
  bool holding_ = false;
  std::optional<Error> failure_;
  std::string answer_ = R"({"context":"The plan is good.","images":[
    {"type":"image","url":"https://example.org/a.png","context":"As a picture"},
    {"type":"localImage","path":"/tmp/b.png"}]})";
};

TEST_F(MentionContextTest, TheAgentIsToldWhatIsMentionedAndNobodyElse) {
  ASSERT_TRUE(trySpawn(mentioning({mention("notes:n:1"), mention("notes:n:1")})).ok());
  EXPECT_THAT(asked_, ElementsAre("desk notes n:1"));
  const auto& input = inputs_.back().items();
  ASSERT_EQ(input.size(), 5U);
  EXPECT_THAT(input[1]["text"].asString(), HasSubstr("\"Plan\""));
  EXPECT_THAT(input[1]["text"].asString(), HasSubstr("The plan is good."));
  EXPECT_EQ(input[2]["text"].asString(), "As a picture");
  EXPECT_EQ(input[3]["url"].asString(), "https://example.org/a.png");
  EXPECT_EQ(input[4]["path"].asString(), "/tmp/b.png");
  for (std::size_t at = 1; at < input.size(); ++at) {
    EXPECT_EQ(input[at]["visibility"].asString(), "agent-only");
  }
  EXPECT_EQ(textOf(inputs_.back()), "Plan is what?");
  EXPECT_EQ(records_->get(thread_).value()["titleFallback"].asString(), "Plan is what?");
}

TEST_F(MentionContextTest, ARetryHasWhatTheFirstTryHad) {
  ASSERT_TRUE(trySpawn(mentioning({mention("notes:1")})).ok());
  begin();
  finish("failed");
  answer_ = R"({"context":"changed","images":[]})";
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->retry(thread_, "", 0, std::move(done));
              }).ok());
  ASSERT_EQ(inputs_.size(), 2U);
  EXPECT_EQ(inputs_[1].dump(), inputs_[0].dump());
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(MentionContextTest, AFailureKeepsTheMessageFromBeingSentAndNamesTheProvider) {
  failure_ = Error{errc::kHandlerError, "no such note"};
  const auto refused = trySpawn(mentioning({mention("notes:1")}));
  EXPECT_EQ(refused.error().code, errc::kHandlerError);
  EXPECT_THAT(refused.error().message, HasSubstr("\"notes\" of the plugin \"desk\""));
  EXPECT_THAT(refused.error().message, HasSubstr("no such note"));
  EXPECT_THAT(ids(), IsEmpty());
  failure_.reset();
  ASSERT_TRUE(trySpawn(said("hello")).ok());
  begin();
  finish();
  EXPECT_EQ(tell(mentioning({mention("nothing")})).error().code, errc::kInvalidInput);
  answer_ = R"({"context":")" + std::string(kInput, 'x') + R"(","images":[]})";
  EXPECT_THAT(tell(mentioning({mention("notes:1")})).error().message, HasSubstr("more than"));
  EXPECT_EQ(status(), "idle");
  EXPECT_EQ(prompts_.size(), 1U);
}

TEST_F(MentionContextTest, AWaitingMessageWhoseMentionFailsIsATurnThatFailed) {
  ASSERT_TRUE(trySpawn(said("hello")).ok());
  begin();
  ASSERT_EQ(tell(mentioning({mention("notes:1")})).value()["outcome"].asString(), "queued");
  EXPECT_THAT(asked_, IsEmpty()) << "it is asked for when the message goes";
  failure_ = Error{errc::kTimeout, "too slow"};
  finish();
  EXPECT_TRUE(book_->queue(thread_).empty());
  EXPECT_THAT(turnStates(), ::testing::UnorderedElementsAre("completed", "failed"));
  EXPECT_EQ(prompts_.size(), 1U);
}

TEST_F(MentionContextTest, WhileItIsAskedForOthersWait) {
  ASSERT_TRUE(trySpawn(said("hello")).ok());
  begin();
  finish();
  holding_ = true;
  std::optional<Result<Json>> first;
  runner_->send({.message = {.thread_id = thread_,
                             .input = mentioning({mention("notes:1"), mention("notes:2")}),
                             .execution = Json::object()}},
                Completion<Json>([&first](Result<Json> sent) { first = std::move(sent); }));
  EXPECT_FALSE(first.has_value());
  EXPECT_EQ(tell(said("second")).value()["outcome"].asString(), "queued");
  ASSERT_EQ(held_.size(), 2U);
  held_[1](common::RawJson(answer_));
  EXPECT_FALSE(first.has_value());
  held_[0](common::RawJson(answer_));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->value()["outcome"].asString(), "started");
  EXPECT_THAT(prompts_, ElementsAre("hello", "Plan is what?"));
}

using AgentContextTest = RunnerFixture;

TEST_F(AgentContextTest, WhatComesOfAToolAfterItsTurnIsAMessageOfTheService) {
  spawn();
  begin();
  finish();
  int told = 0;
  const auto count = [&told] { ++told; };
  runner_->tellLate({.thread_id = thread_, .tool = "render", .text = "in a.mp4"}, count);
  EXPECT_EQ(told, 1);
  ASSERT_EQ(prompts_.size(), 2U);
  EXPECT_THAT(prompts_[1], HasSubstr("render"));
  EXPECT_THAT(prompts_[1], HasSubstr("finished:\n\nin a.mp4"));
  const auto requested =
      store_.events({.thread_id = thread_, .descending = true, .types = {"client/turn/requested"}})
          .value();
  EXPECT_EQ(parsed(requested.front().data)["initiator"].asString(), "system");
  begin();
  // In the middle of a turn it waits, as every message does.
  runner_->tellLate({.thread_id = thread_, .tool = "render", .text = "no disk", .failed = true},
                    count);
  EXPECT_EQ(told, 2) << "it is in the queue";
  ASSERT_EQ(book_->queue(thread_).size(), 1U);
  EXPECT_THAT(book_->queue(thread_).front().content, HasSubstr("failed"));
  const auto operations =
      store_.events({.thread_id = thread_, .types = {"system/operation"}}).value();
  ASSERT_EQ(operations.size(), 2U);
  EXPECT_EQ(parsed(operations[1].data)["status"].asString(), "failed");
  runner_->tellLate({.thread_id = "thr_gone", .tool = "render"}, count);
  EXPECT_EQ(told, 3);
}

TEST_F(AgentContextTest, PluginsAreToldWhatTheyKeepWithTheThread) {
  auto wanted = request("hello");
  wanted.row.origin_plugin_id = "desk";
  wanted.metadata = Json::object().set("ticket", 7);
  ASSERT_TRUE(
      answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); }).ok());
  ASSERT_EQ(opened_.size(), 1U);
  const auto& context = opened_[0].context;
  EXPECT_EQ(context.plugin_metadata.at("desk")["ticket"].asInteger(), 7);
  EXPECT_EQ(toJson(context, "desk")["pluginMetadata"]["ticket"].asInteger(), 7);
  EXPECT_TRUE(toJson(context, "other")["pluginMetadata"].members().empty());
}

}  // namespace
}  // namespace svc::threads
