#include "open_request.h"

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::HasSubstr;

constexpr auto kToken = R"("progressToken":"t")";

class OpenRequestTest : public McpFixture {
 protected:
  void pass(std::chrono::milliseconds time) {
    reactor_.advance(time);
    run();
  }
  void cancelled(const std::string& id, Headers headers) {
    EXPECT_EQ(send(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled",)"
                               R"("params":{{"requestId":{}}}}})",
                               id),
                   std::move(headers))
                  ->status(),
              202U);
  }
};

TEST_F(OpenRequestTest, ACallWithATokenReportsProgressUntilItEnds) {
  const auto exchange = callAdd(kToken);
  pass(limits::kMcpProgress);
  ASSERT_TRUE(exchange->head.has_value());
  EXPECT_EQ(exchange->head->content_type, "text/event-stream");
  EXPECT_EQ(exchange->head->headers[1].name, "X-Accel-Buffering");
  pass(limits::kToolDetach);
  source_->answers(R"({"content":[]})");
  run();
  const auto all = events(*exchange);
  ASSERT_GT(all.size(), 10U);
  double last = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    EXPECT_EQ(all[i]["method"].asString(), "notifications/progress");
    EXPECT_EQ(all[i]["params"]["progressToken"].asString(), "t");
    EXPECT_GT(all[i]["params"]["progress"].asNumber(), last);
    last = all[i]["params"]["progress"].asNumber();
  }
  EXPECT_EQ(all.back().dump(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_TRUE(exchange->ended);
  const auto before = exchange->written;
  pass(limits::kMcpProgress);
  EXPECT_EQ(exchange->written, before);
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(OpenRequestTest, ProgressOfTheSourceReplacesTheClock) {
  const auto exchange = callAdd(kToken);
  const auto conversation = source_->requests[0].conversation;
  conversation->progress(0, 100, "");
  conversation->progress(50, 100, "half");
  conversation->progress(50, 100, "not more");
  run();
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["params"].dump(), R"({"progressToken":"t","progress":0.0,"total":100.0})");
  EXPECT_EQ(all[1]["params"]["message"].asString(), "half");
}

TEST_F(OpenRequestTest, ASourceThatReportsOnceAndIsSilentKeepsItsClientWaiting) {
  constexpr std::size_t kSigns = 30;
  const auto exchange = callAdd(kToken);
  source_->requests[0].conversation->progress(1, 10, "started");
  run();
  for (std::size_t sign = 0; sign < kSigns; ++sign) {
    pass(limits::kMcpProgress);
  }
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), kSigns + 1);
  double last = 0;
  for (const auto& event : all) {
    const auto& params = event["params"];
    EXPECT_EQ(params["message"].asString(), "started");
    EXPECT_EQ(params["total"].asNumber(), 10);
    EXPECT_GT(params["progress"].asNumber(), last);
    last = params["progress"].asNumber();
  }
  EXPECT_LT(last, 1.01);
}

TEST_F(OpenRequestTest, ASourceThatReportsLateIsHeard) {
  const auto exchange = callAdd(kToken);
  for (int sign = 0; sign < 4; ++sign) {
    pass(limits::kMcpProgress);
  }
  source_->requests[0].conversation->progress(1, 10, "at last");
  run();
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[3]["params"]["message"].asString(), "add has run for 20 s");
  EXPECT_EQ(all[4]["params"].dump(),
            R"({"progressToken":"t","progress":1.0,"total":10.0,"message":"at last"})");
}

TEST_F(OpenRequestTest, ASourceThatReportsOftenGetsNoHelp) {
  const auto exchange = callAdd(kToken);
  for (int step = 1; step <= 20; ++step) {
    pass(limits::kMcpProgress / 2);
    source_->requests[0].conversation->progress(step, std::nullopt, "");
    run();
  }
  EXPECT_EQ(events(*exchange).size(), 20U);
}

TEST_F(OpenRequestTest, WithoutATokenTheStreamOnlyShowsLife) {
  const auto exchange = callAdd();
  source_->requests[0].conversation->progress(1, std::nullopt, "");
  pass(2 * limits::kMcpProgress);
  EXPECT_EQ(exchange->written, ": still running\n\n: still running\n\n");
}

TEST_F(OpenRequestTest, WithoutATokenACallIsLetGo) {
  const auto exchange = callAdd();
  pass(limits::kToolDetach);
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0]["result"]["isError"].asBool(true));
  EXPECT_THAT(all[0]["result"]["content"].items().at(0)["text"].asString(),
              HasSubstr("add is still running after 50 s and goes on"));
  EXPECT_TRUE(exchange->ended);
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
  EXPECT_EQ(counters_->stats().detached_calls, 1U);
  EXPECT_EQ(counters_->stats().open_calls, 1U);
  const auto before = exchange->written;
  source_->answers("{}");
  run();
  EXPECT_EQ(exchange->written, before);
  EXPECT_EQ(counters_->stats().open_calls, 0U);
}

TEST_F(OpenRequestTest, AClientThatTakesNoStreamGetsPlainJson) {
  const auto send_plain = [&] {
    return send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                R"("params":{"name":"add","_meta":{"progressToken":1}}})",
                {{"Accept", "application/json"}});
  };
  auto exchange = send_plain();
  pass(2 * limits::kMcpProgress);
  source_->requests[0].conversation->notify("notifications/x", common::RawJson("{}"));
  run();
  source_->answers("{}");
  run();
  EXPECT_FALSE(exchange->head.has_value());
  EXPECT_EQ(exchange->answer->body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  exchange = send_plain();
  pass(limits::kToolDetach);
  EXPECT_THAT(exchange->answer->body, HasSubstr("is still running"));
}

TEST_F(OpenRequestTest, OnlyToolsAreLetGo) {
  const auto other = std::make_shared<HandSource>(R"({"resources":{}})");
  other->offers(ListKind::kResources, "x:y");
  const auto added = catalogue_->add(other);
  const auto exchange = old("resources/read", R"({"uri":"x:y"})");
  pass(2 * limits::kToolDetach);
  EXPECT_FALSE(exchange->ended);
  other->answers(R"({"contents":[]})");
  run();
  EXPECT_TRUE(exchange->ended);
}

TEST_F(OpenRequestTest, AModernClientCancelsByLeaving) {
  const auto exchange = modern("tools/call", R"("name":"add")", "add");
  exchange->disconnect();
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
}

TEST_F(OpenRequestTest, ALostConnectionOfAnOlderClientCancelsNothing) {
  const auto exchange = callAdd();
  exchange->disconnect();
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
}

TEST_F(OpenRequestTest, AClientThatEndsWithItsConnectionCancelsByLeavingWhateverItsRevision) {
  const auto exchange = callAdd("", {{"Svc-Ends-With-Connection", "true"}});
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
}

TEST_F(OpenRequestTest, AnOlderClientCancelsByIdWithinItsSession) {
  const auto first = callAdd("", {{"Mcp-Session-Id", "one"}});
  const auto second = callAdd("", {{"Mcp-Session-Id", "two"}});
  const auto third = callAdd();
  cancelled("1", {});
  cancelled("2", {{"Mcp-Session-Id", "two"}});
  cancelled("\"1\"", {{"Mcp-Session-Id", "two"}});
  for (const auto& request : source_->requests) {
    EXPECT_FALSE(request.stop.stop_requested());
  }
  cancelled("1", {{"Mcp-Session-Id", "two"}});
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
  EXPECT_TRUE(source_->requests[1].stop.stop_requested());
  EXPECT_FALSE(source_->requests[2].stop.stop_requested());
  // A cancelled request is not answered.
  EXPECT_TRUE(second->head.has_value());
  EXPECT_EQ(second->written, "");
  EXPECT_TRUE(second->ended);
  EXPECT_FALSE(first->head.has_value());
}

// Clients exist that cancel everything they have sent when a turn ends, also what has been answered.
TEST_F(OpenRequestTest, ACallThatWasToldToRunOnIsNotCancelledByItsId) {
  const Headers session{{"Mcp-Session-Id", "one"}};
  const auto exchange = callAdd("", session);
  pass(limits::kToolDetach);
  ASSERT_TRUE(exchange->ended);
  cancelled("1", session);
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
}

TEST_F(OpenRequestTest, ACancellationThatOvertakesItsRequestStillCounts) {
  const Headers session{{"Mcp-Session-Id", "one"}};
  cancelled("1", {{"Mcp-Session-Id", "two"}});
  cancelled("1", session);
  const auto exchange = callAdd("", session);
  EXPECT_TRUE(exchange->ended);
  EXPECT_EQ(exchange->written, "");
  EXPECT_TRUE(source_->requests.empty());
  // It was for one request.
  callAdd("", session);
  EXPECT_EQ(source_->requests.size(), 1U);
}

TEST_F(OpenRequestTest, ACancellationDoesNotWaitForLongForItsRequest) {
  const Headers session{{"Mcp-Session-Id", "one"}};
  cancelled("1", session);
  pass(std::chrono::seconds(10));
  callAdd("", session);
  EXPECT_EQ(source_->requests.size(), 1U);
}

TEST_F(OpenRequestTest, OfTwoRequestsWithOneIdTheNewerIsCancelled) {
  const Headers session{{"Mcp-Session-Id", "one"}};
  callAdd("", session);
  callAdd("", session);
  source_->answers("{}");
  run();
  cancelled("1", session);
  EXPECT_TRUE(source_->requests[1].stop.stop_requested());
}

TEST_F(OpenRequestTest, NotificationsTravelBeforeTheAnswer) {
  const auto exchange = callAdd();
  source_->requests[0].conversation->notify("notifications/message",
                                            common::RawJson(R"({"level":"info"})"));
  run();
  source_->answers("{}");
  run();
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].dump(),
            R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
}

TEST_F(OpenRequestTest, LogMessagesAreForThoseWhoAsked) {
  const auto exchange = modern("tools/call", R"("name":"add")", "add");
  source_->requests[0].conversation->notify("notifications/message", common::RawJson("{}"));
  run();
  EXPECT_FALSE(exchange->head.has_value());
}

TEST_F(OpenRequestTest, AnOlderClientCanBeAsked) {
  const auto exchange = callAdd();
  std::string answer;
  source_->requests[0].conversation->ask(
      "elicitation/create", common::RawJson(R"({"message":"m"})"),
      [&answer](Result<common::RawJson> result) {
        answer = result ? result.value().text() : result.error().message;
      });
  run();
  EXPECT_EQ(
      events(*exchange).at(0).dump(),
      R"({"jsonrpc":"2.0","id":"svc-r1","method":"elicitation/create","params":{"message":"m"}})");
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":"svc-r1","result":{"action":"accept"}})")->status(),
            202U);
  EXPECT_EQ(answer, R"({"action":"accept"})");
}

TEST_F(OpenRequestTest, QuestionsEndWithARefusalOrWithTheCall) {
  callAdd();
  std::vector<std::string> codes;
  const auto ask = [&] {
    source_->requests.back().conversation->ask("roots/list", common::RawJson("{}"),
                                               [&codes](const Result<common::RawJson>& result) {
                                                 codes.emplace_back(result.error().code.name());
                                               });
    run();
  };
  ask();
  send(R"({"jsonrpc":"2.0","id":"svc-r1","error":{"code":-1,"message":"no"}})");
  ask();
  source_->answers("{}");
  run();
  ask();
  modern("tools/call", R"("name":"add")", "add");
  ask();
  EXPECT_EQ(codes, (std::vector<std::string>{"handler_error", "aborted", "not_supported",
                                             "not_supported"}));
}

TEST_F(OpenRequestTest, ADroppedAnswerIsAnError) {
  const auto exchange = callAdd();
  source_->waiting.clear();
  run();
  EXPECT_EQ(codeOf(*exchange), rpc::kInternalError);
}

TEST_F(OpenRequestTest, ACallThatTheEndOfTheServerCutsOffIsToldSo) {
  const auto cut = callAdd();
  const auto done = callAdd();
  open_->stopAll();
  source_->answers(R"({"content":[],"isError":true})", true);
  source_->answers(R"({"content":[]})");
  run();
  EXPECT_THAT(cut->json()["result"]["content"].items().at(0)["text"].asString(),
              HasSubstr("add did not finish: the server stops"));
  EXPECT_TRUE(cut->json()["result"]["isError"].asBool(false));
  EXPECT_EQ(done->json()["result"].dump(), R"({"content":[]})");
}

TEST_F(OpenRequestTest, TheEndOfTheServerReachesEverySource) {
  callAdd();
  callAdd();
  open_->stopAll();
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
  EXPECT_TRUE(source_->requests[1].stop.stop_requested());
}

}  // namespace
}  // namespace svc::mcp
