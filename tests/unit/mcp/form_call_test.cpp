#include "form_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/agents.h"
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

/// Keeps what a call says to its client.
class RecordedConversation final : public IConversation {
 public:
  void progress(double, std::optional<double>, std::string) override {}
  void letGo() override {}
  void notify(std::string_view method, common::RawJson params) override {
    notified.push_back(std::string(method) + " " + params.text());
  }
  void ask(std::string_view, common::RawJson params, Completion<common::RawJson> done) override {
    asked.push_back(parsed(params.text()));
    answers.push_back(std::move(done));
  }
  std::vector<std::string> notified;
  std::vector<common::Json> asked;
  std::vector<Completion<common::RawJson>> answers;
};

class FormCallTest : public ::testing::Test {
 protected:
  FormCallTest() { routes_ = forms_->attach(server_).value(); }
  /// What waits ends by its time: a form owns its call. One whose client is asked once more meanwhile waits anew.
  ~FormCallTest() override { reactor_.advance(2 * limits::kInputTimeout); }

  Request request(bool modern, const std::string& more = "") {
    return {.method = "tools/call",
            .key = "ask",
            .params = common::RawJson(R"({"name":"ask","arguments":{"a":1})" + more + "}"),
            .caller = {},
            .modern = modern,
            .capabilities = common::RawJson(R"({"elicitation":{"url":{}}})"),
            .client = "robot",
            .stop = client_.get_token(),
            .conversation = conversation_};
  }
  Completion<Answer> keep() {
    return [this](Result<Answer> answer) { answers_.push_back(std::move(answer)); };
  }
  std::shared_ptr<FormCall> begin(bool modern) {
    auto first = request(modern);
    return calls_->begin(first, keep());
  }
  void ask(FormCall& call) {
    call.asked({.plugin_id = "todo",
                .renderer_id = "sure",
                .title = "Sure?",
                .payload = common::RawJson("{}"),
                .timeout = limits::kInputTimeout},
               [this](Result<common::RawJson> outcome) {
                 outcomes_.push_back(outcome ? outcome.value().text() : outcome.error().message);
               });
    reactor_.runAll();
  }
  void finish(FormCall& call) {
    call.finished(Answer{.result = common::RawJson(R"({"done":true})")});
    reactor_.runAll();
  }
  /// Comes back with `state`; the error, when it is refused.
  std::optional<Error> comeBack(const std::string& state, const std::string& action = "",
                                const std::string& key = "ask") {
    auto again = request(
        true,
        R"(,"requestState":")" + state + "\"" +
            (action.empty() ? "" : R"(,"inputResponses":{"form":{"action":")" + action + R"("}})"));
    again.key = key;
    auto done = keep();
    bool resumed = false;
    auto problem = calls_->resume(again, done, resumed);
    EXPECT_TRUE(resumed);
    if (problem) {
      done(Error{errc::kAborted, "refused"});
      answers_.pop_back();
    }
    return problem;
  }
  common::Json answer(std::size_t index) {
    return parsed(answers_.at(index).value().result.text());
  }
  std::string formOf(std::size_t index) {
    const auto url = answer(index)["inputRequests"]["form"]["params"]["url"].asString();
    return url.substr(url.rfind('/') + 1);
  }
  std::string state(std::size_t index = 0) { return answer(index)["requestState"].asString(); }
  unsigned submit(const std::string& form, const std::string& value = "true") {
    http::Request sent;
    sent.body = R"({"value":)" + value + "}";
    sent.path_parameters = {{"form", form}};
    const auto exchange = std::make_shared<RecordedExchange>(std::move(sent));
    server_.call("POST /api/v1/mcp/forms/:form/respond", exchange);
    return exchange->status();
  }

  common::Json page(const std::string& form) {
    http::Request sent;
    sent.path_parameters = {{"form", form}};
    const auto exchange = std::make_shared<RecordedExchange>(std::move(sent));
    server_.call("GET /api/v1/mcp/forms/:form", exchange);
    return exchange->json()["form"];
  }

  svc::test::FakeReactor reactor_;
  svc::test::ReactorClock clock_{reactor_};
  svc::test::RecordedRoutes server_;
  int randoms_ = 0;
  std::function<std::string()> random_ = [this] { return fmt::format("r{}", ++randoms_); };
  std::shared_ptr<Forms> forms_ = std::make_shared<Forms>(
      Forms::Parts{.reactor = reactor_, .clock = clock_, .random = random_});
  std::shared_ptr<FormCalls> calls_ = std::make_shared<FormCalls>(FormCalls::Parts{
      .reactor = reactor_, .forms = forms_, .random = random_, .page = [](const std::string& form) {
        return "http://here/forms/" + form;
      }});
  std::vector<Handle> routes_;
  std::stop_source client_;
  std::shared_ptr<RecordedConversation> conversation_ = std::make_shared<RecordedConversation>();
  std::vector<Result<Answer>> answers_;
  std::vector<std::string> outcomes_;
};

TEST_F(FormCallTest, OnlyClientsThatTakeAddressesAreAsked) {
  auto wanted = request(true);
  EXPECT_TRUE(FormCalls::possible(wanted));
  for (const char* capabilities :
       {"null", "{}", R"({"elicitation":{}})", R"({"elicitation":{"form":{}}})"}) {
    wanted.capabilities = common::RawJson(capabilities);
    EXPECT_FALSE(FormCalls::possible(wanted)) << capabilities;
  }
}

TEST_F(FormCallTest, ThePageOfAFormSaysWhichProgramWaits) {
  const auto call = begin(true);
  ask(*call);
  EXPECT_EQ(page("r1")["client"].asString(), "robot");
  const auto nameless = forms_->open({.plugin_id = "todo",
                                      .renderer_id = "sure",
                                      .title = "Sure?",
                                      .payload = common::RawJson("{}"),
                                      .timeout = limits::kInputTimeout},
                                     "", [](const Result<common::RawJson>&) {});
  EXPECT_TRUE(page(nameless)["client"].isNull());
}

TEST_F(FormCallTest, ACallWithoutAFormIsAnsweredAtOnce) {
  finish(*begin(true));
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_TRUE(answer(0)["done"].asBool());
}

TEST_F(FormCallTest, TheRequestEndsWithTheQuestionAndAnotherGetsTheResult) {
  const auto call = begin(true);
  ask(*call);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].value().type, "input_required");
  EXPECT_EQ(answer(0).dump(),
            R"({"inputRequests":{"form":{"method":"elicitation/create","params":{"mode":"url",)"
            R"("message":"Sure?","url":"http://here/forms/r1"}}},"requestState":"r2"})");
  EXPECT_EQ(submit("r1"), 200U);
  EXPECT_EQ(outcomes_.at(0), R"({"outcome":"submitted","value":true})");
  // The tool may be done before its client comes back.
  finish(*call);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_FALSE(comeBack("r2", "accept"));
  EXPECT_TRUE(answer(1)["done"].asBool());
  EXPECT_TRUE(comeBack("r2", "accept"));
}

TEST_F(FormCallTest, AStateOfAnotherRequestIsRefused) {
  const auto call = begin(true);
  ask(*call);
  EXPECT_EQ(comeBack("r3")->code, errc::kInvalidInput);
  EXPECT_EQ(comeBack("r2", "accept", "other")->code, errc::kInvalidInput);
  EXPECT_TRUE(forms_->isOpen("r1"));
}

TEST_F(FormCallTest, WhoSaysNothingIsAskedAgainAndWhoDeclinesIsNot) {
  const auto call = begin(true);
  ask(*call);
  EXPECT_FALSE(comeBack(state()));
  EXPECT_EQ(answers_.at(1).value().type, "input_required");
  EXPECT_FALSE(comeBack(state(1), "decline"));
  EXPECT_EQ(outcomes_.at(0), R"({"outcome":"cancelled","reason":"user"})");
  EXPECT_EQ(answers_.size(), 2U);
  finish(*call);
  EXPECT_TRUE(answer(2)["done"].asBool());
}

TEST_F(FormCallTest, WhatIsSaidOfOneFormIsNotAboutTheNext) {
  const auto call = begin(true);
  ask(*call);
  const auto first = formOf(0);
  EXPECT_EQ(submit(first), 200U);
  reactor_.runAll();
  ask(*call);  // the client is away
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_FALSE(comeBack(state(), "accept"));
  reactor_.runAll();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_NE(formOf(1), first);
  EXPECT_EQ(outcomes_.size(), 1U);
  EXPECT_FALSE(comeBack(state(1), "accept"));
  EXPECT_EQ(submit(formOf(1)), 200U);
  reactor_.runAll();
  EXPECT_EQ(outcomes_.size(), 2U);
  finish(*call);
  EXPECT_TRUE(answer(2)["done"].asBool());
}

TEST_F(FormCallTest, AClientThatWaitsForAPersonComesBackBeforeItIsLetGo) {
  const auto call = begin(true);
  ask(*call);
  EXPECT_FALSE(comeBack(state(), "accept"));
  reactor_.advance(limits::kToolDetach - std::chrono::seconds(1));
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1].value().type, "input_required");
  EXPECT_FALSE(comeBack(state(1), "accept"));
  EXPECT_EQ(submit(formOf(1)), 200U);
  finish(*call);
  EXPECT_TRUE(answer(2)["done"].asBool());
}

TEST_F(FormCallTest, AnActionThatIsNoneIsNoAnswer) {
  const auto call = begin(true);
  ask(*call);
  EXPECT_FALSE(comeBack(state(), "zz"));
  reactor_.runAll();
  EXPECT_EQ(answers_.size(), 2U);
  EXPECT_EQ(formOf(1), formOf(0));
  EXPECT_TRUE(outcomes_.empty());
}

TEST_F(FormCallTest, ACallWhoseClientStaysAwayIsStopped) {
  const auto call = begin(true);
  ask(*call);
  const auto old = state();
  EXPECT_FALSE(call->stop().stop_requested());
  reactor_.advance(limits::kInputTimeout);
  reactor_.runAll();
  EXPECT_TRUE(call->stop().stop_requested());
  EXPECT_TRUE(comeBack(old));
  EXPECT_EQ(outcomes_.at(0), R"({"outcome":"cancelled","reason":"timeout"})");
}

TEST_F(FormCallTest, LeavingStopsTheCallUnlessItWasAnswered) {
  const auto call = begin(true);
  ask(*call);
  client_.request_stop();
  EXPECT_FALSE(call->stop().stop_requested());
  client_ = {};
  EXPECT_FALSE(comeBack(state(), "accept"));
  client_.request_stop();
  EXPECT_TRUE(call->stop().stop_requested());
}

TEST_F(FormCallTest, ARevokedTokenStopsWhatWaitsForItsClient) {
  const auto call = begin(true);
  ask(*call);
  calls_->revoke("mct_other");
  EXPECT_FALSE(call->stop().stop_requested());
  calls_->revoke("");
  EXPECT_TRUE(call->stop().stop_requested());
}

TEST_F(FormCallTest, AnOlderClientIsAskedInBetween) {
  const auto call = begin(false);
  ask(*call);
  EXPECT_TRUE(answers_.empty());
  ASSERT_EQ(conversation_->asked.size(), 1U);
  EXPECT_EQ(conversation_->asked[0]["elicitationId"].asString(), "r1");
  conversation_->answers[0](common::RawJson(R"({"action":"accept"})"));
  EXPECT_TRUE(forms_->isOpen("r1"));
  EXPECT_EQ(submit("r1"), 200U);
  EXPECT_EQ(conversation_->notified.at(0),
            R"(notifications/elicitation/complete {"elicitationId":"r1"})");
  finish(*call);
  EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(FormCallTest, AnOlderClientThatDeclinesOrFailsCancelsTheForm) {
  const auto call = begin(false);
  ask(*call);
  conversation_->answers[0](common::RawJson(R"({"action":"decline"})"));
  ask(*call);
  conversation_->answers[1](Error{errc::kHandlerError, "the client refuses"});
  EXPECT_THAT(outcomes_,
              ::testing::ElementsAre(R"({"outcome":"cancelled","reason":"user"})",
                                     R"({"outcome":"cancelled","reason":"request-aborted"})"));
  EXPECT_FALSE(forms_->isOpen("r1"));
}

TEST_F(FormCallTest, ThereIsOneFormAtATimeAndItEndsWithItsCall) {
  const auto call = begin(false);
  ask(*call);
  ask(*call);
  EXPECT_EQ(outcomes_.at(0), "this call shows another form already");
  finish(*call);
  EXPECT_EQ(outcomes_.at(1), R"({"outcome":"cancelled","reason":"request-aborted"})");
  EXPECT_EQ(submit("r1"), 404U);
}

TEST_F(FormCallTest, AnAnswerHasALimit) {
  const auto call = begin(false);
  ask(*call);
  EXPECT_EQ(submit("r1", '"' + std::string(limits::kInputPayload, 'x') + '"'), 413U);
  EXPECT_TRUE(forms_->isOpen("r1"));
}

}  // namespace
}  // namespace svc::mcp
