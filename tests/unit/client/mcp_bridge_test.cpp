#include "mcp_bridge.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"
#include "svc/common/limits/http.h"

#include "mcp_bridge_fixture.h"
#include "mcp_headers.h"

namespace svc::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(McpBridgeTest, AMessageGoesOutAsItCame) {
  transport_->answers(saying(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  bridge_.line(line);
  EXPECT_THAT(finished(), ElementsAre(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  const auto call = transport_->awaitCalls(1)[0];
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.body, line);
  EXPECT_TRUE(call.headers.empty());
}

TEST_F(McpBridgeTest, ArgumentsThatHeadersRepeatAreSentAsTheServerNamesThem) {
  transport_->answers([](const McpCall& call, const McpSink& sink) {
    const bool complete = headersOf(call).contains("Mcp-Param-Region");
    sink.head({complete ? 200 : 400, ""});
    sink.message(
        complete ? R"({"jsonrpc":"2.0","id":1,"result":{}})"
                 : R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"missing","data":)"
                   R"({"headers":{"Mcp-Param-Region":"gr\u00fc\u00df","Mcp-Param-Count":"42"}}}})");
    return Status();
  });
  bridge_.line(
      std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",)") +
      kMeta + "}}");
  EXPECT_THAT(finished(), ElementsAre(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  const auto calls = transport_->awaitCalls(2);
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].body, calls[0].body);
  auto expected = headersOf(calls[0]);
  expected["Mcp-Param-Region"] = "=?base64?Z3LDvMOf?=";
  expected["Mcp-Param-Count"] = "42";
  EXPECT_EQ(headersOf(calls[1]), expected);
}

TEST_F(McpBridgeTest, HeadersThatAreRefusedTwiceAreTheClientsToKnow) {
  const std::string refusal =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no","data":{"headers":{"Mcp-Param-A":"1"}}}})";
  transport_->answers(saying(refusal, 400));
  bridge_.line(
      std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",)") +
      kMeta + "}}");
  EXPECT_THAT(finished(), ElementsAre(refusal));
  EXPECT_EQ(transport_->awaitCalls(2).size(), 2U);
}

TEST_F(McpBridgeTest, HeadersOfModernRequestsRepeatTheBody) {
  transport_->answers(saying(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  struct Case {
    const char* method;
    const char* member;
    Headers more;
  };
  std::size_t count = 0;
  for (const auto& [method, member, more] :
       {Case{"tools/list", R"("x":1)", {}},
        Case{"tools/call", R"("name":"add")", {{"Mcp-Name", "add"}}},
        Case{"prompts/get", R"("name":"gr\u00fc\u00df")", {{"Mcp-Name", "=?base64?Z3LDvMOf?="}}},
        Case{"resources/read", R"("uri":"a b")", {{"Mcp-Name", "a b"}}}}) {
    bridge_.line(std::string(R"({"jsonrpc":"2.0","id":1,"method":")") + method + R"(","params":{)" +
                 member + "," + kMeta + "}}");
    Headers expected{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    expected.insert(more.begin(), more.end());
    EXPECT_EQ(headersOf(transport_->awaitCalls(++count).back()), expected);
    awaitLines(count);
  }
}

TEST(McpHeaderValueTest, WrapsWhatAHeaderCannotCarry) {
  EXPECT_EQ(mcpHeaderValue("plain text"), "plain text");
  EXPECT_EQ(mcpHeaderValue(" a"), "=?base64?IGE=?=");
  EXPECT_EQ(mcpHeaderValue("a "), "=?base64?YSA=?=");
  EXPECT_EQ(mcpHeaderValue("a\nb"), "=?base64?YQpi?=");
  EXPECT_EQ(mcpHeaderValue("=?base64?x"), "=?base64?PT9iYXNlNjQ/eA==?=");
}

TEST_F(McpBridgeTest, TheHandshakeIsRememberedForWhatFollows) {
  transport_->answers([](const McpCall& call, const McpSink& sink) {
    sink.head({200, "ses"});
    if (call.body.find("initialize\"") != std::string::npos) {
      sink.message(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}})");
    }
    return call.method == "GET" ? untilStopped(call, sink) : Status();
  });
  bridge_.line(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
  awaitLines(1);
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  const auto calls = transport_->awaitCalls(3);
  EXPECT_TRUE(calls[0].headers.empty());
  const Headers expected{{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Session-Id", "ses"}};
  EXPECT_EQ(headersOf(calls[1]), expected);
  // Changes of lists come on a stream of their own.
  EXPECT_EQ(calls[2].method, "GET");
  EXPECT_EQ(headersOf(calls[2]), expected);
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(transport_->awaitCalls(4).size(), 4U);
}

TEST_F(McpBridgeTest, AServerThatWasStartedAgainIsListenedToAgain) {
  std::atomic<int> streams = 0;
  transport_->answers([&streams](const McpCall& call, const McpSink& sink) {
    if (call.method == "GET") {
      const int stream = ++streams;
      if (stream == 2) {
        return Status(Error{errc::kUnavailable, "nobody answers yet"});
      }
      sink.head({200, ""});
      return stream == 1 ? Status() : untilStopped(call, sink);
    }
    sink.head({200, ""});
    if (!call.body.empty() && call.body.find("initialize\"") != std::string::npos) {
      sink.message(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",)"
                   R"("capabilities":{"tools":{"listChanged":true},"prompts":{},)"
                   R"("resources":{"listChanged":true}}}})");
    }
    return Status();
  });
  bridge_.line(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
  awaitLines(1);
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  awaitLines(3);
  auto lines = finished();
  lines.erase(lines.begin());
  EXPECT_THAT(lines,
              ElementsAre(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
                          R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})"));
  EXPECT_EQ(streams, 3);
}

TEST_F(McpBridgeTest, AServerWithoutAStreamIsAskedOnce) {
  transport_->answers([](const McpCall& call, const McpSink& sink) {
    sink.head({call.method == "GET" ? 405 : 202, ""});
    return Status();
  });
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(transport_->awaitCalls(2)[1].method, "GET");
  EXPECT_TRUE(finished().empty());
  EXPECT_EQ(transport_->awaitCalls(2).size(), 2U);
}

TEST_F(McpBridgeTest, EveryMessageOfAStreamIsALine) {
  transport_->answers([](const McpCall&, const McpSink& sink) {
    sink.head({200, ""});
    sink.message(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})");
    sink.message("{\"jsonrpc\":\"2.0\",\n\"id\":1,\"result\":{}}");
    return Status();
  });
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
  EXPECT_THAT(finished(),
              ElementsAre(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})",
                          R"({"jsonrpc":"2.0", "id":1,"result":{}})"));
}

TEST_F(McpBridgeTest, EveryRequestIsAnsweredOnce) {
  struct Case {
    ScriptedTransport::Script script;
    const char* message;
  };
  const std::vector<Case> cases{
      {[](const McpCall&, const McpSink&) {
         return Status(Error{errc::kUnavailable, "nothing answers"});
       },
       "nothing answers"},
      {[](const McpCall&, const McpSink& sink) {
         sink.head({200, ""});
         return Status();
       },
       "the server ended the answer before it was complete"},
      {saying(R"({"ok":false,"error":{"code":"forbidden_user","message":"not you"}})", 403),
       "not you"},
      {saying("<html>", 502), "the server answered with HTTP status 502"},
  };
  std::size_t count = 0;
  for (const auto& [script, message] : cases) {
    transport_->answers(script);
    bridge_.line(R"({"jsonrpc":"2.0","id":"x","method":"tools/list"})");
    awaitLines(++count);
    const std::scoped_lock lock(mutex_);
    EXPECT_EQ(lines_.back(),
              std::string(R"({"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":")") +
                  message + "\"}}");
  }
}

TEST_F(McpBridgeTest, WithoutAServerItSaysSo) {
  unreachable_ = Error{errc::kUnavailable, "no server; start one"};
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  const auto lines = finished();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("no server; start one"));
  EXPECT_THAT(complaints_, ::testing::Contains("no server; start one; this waits for it").Times(1));
  EXPECT_EQ(complaints_.size(), 3U);
}

TEST_F(McpBridgeTest, WhenNothingMoreComesNothingWaitsForAServer) {
  McpBridge patient({.connect = []() -> Result<std::shared_ptr<IMcpTransport>> {
                       return Error{errc::kUnavailable, "no server"};
                     },
                     .write = [this](const std::string& line) { lines_.push_back(line); },
                     .complain = [](const std::string&) {},
                     .first_pause = 1h});
  patient.line(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  patient.finish(30s);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], HasSubstr("no server"));
}

TEST_F(McpBridgeTest, WhatAClientBeginsWithWaitsForTheServer) {
  unreachable_ = Error{errc::kUnavailable, "no server; start one"};
  there_after_ = 3;
  transport_->answers(saying(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  awaitLines(1);
  EXPECT_THAT(finished(), ElementsAre(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
}

TEST_F(McpBridgeTest, AServerWithoutTheEndpointHasItTurnedOff) {
  transport_->answers(saying(
      R"({"ok":false,"error":{"code":"unknown_route","message":"unknown route: POST /api/v1/mcp"}})",
      404));
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_THAT(finished().at(0), HasSubstr("MCP is turned off at this server"));
}

TEST_F(McpBridgeTest, ACallDoesNotWaitForAServer) {
  unreachable_ = Error{errc::kUnavailable, "no server"};
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
  EXPECT_EQ(finished().size(), 1U);
  EXPECT_EQ(connects_, 1);
}

TEST_F(McpBridgeTest, AModernCancellationClosesTheRequest) {
  transport_->answers(untilStopped);
  bridge_.line(std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)") + kMeta +
               "}}");
  bridge_.line(
      std::string(R"({"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{)") + kMeta +
      "}}");
  transport_->awaitCalls(2);
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_TRUE(finished().empty());
  EXPECT_EQ(transport_->awaitCalls(2).size(), 2U);  // it was not forwarded
}

TEST_F(McpBridgeTest, ACancellationThatIsNotTakenHoldsNothingUp) {
  transport_->answers(untilStopped);
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
  bridge_.line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  transport_->awaitCalls(2);
  bridge_.finish(0ms);
}

TEST_F(McpBridgeTest, AnOlderCancellationIsForwarded) {
  transport_->answers([](const McpCall& call, const McpSink& sink) {
    return call.body.find("cancelled") == std::string::npos ? untilStopped(call, sink) : Status();
  });
  bridge_.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
  transport_->awaitCalls(1);
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  bridge_.line(cancel);
  EXPECT_EQ(transport_->awaitCalls(2)[1].body, cancel);
  EXPECT_FALSE(transport_->awaitCalls(2)[0].stop.stop_requested());
  bridge_.finish(0ms);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(McpBridgeTest, AnswersOfTheClientAreForwarded) {
  const std::string answer = R"({"jsonrpc":"2.0","id":"svc-1","result":{"action":"accept"}})";
  bridge_.line(answer);
  EXPECT_EQ(transport_->awaitCalls(1)[0].body, answer);
  EXPECT_TRUE(finished().empty());
}

TEST_F(McpBridgeTest, WhatIsNoMessageIsRefusedHere) {
  bridge_.line("");
  bridge_.line("  ");
  bridge_.line("{");
  bridge_.line("[]");
  bridge_.line(R"({"jsonrpc":"2.0","id":{},"method":"x"})");
  bridge_.line(R"({"jsonrpc":"2.0","id":7,"method":"x","params":{"a":")" +
               std::string(limits::kRpcBody, 'x') + "\"}}");
  const auto lines = finished();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[2], HasSubstr(R"("id":null,"error":{"code":-32600)"));
  EXPECT_THAT(lines[3], HasSubstr(R"("id":7,"error":{"code":-32600)"));
  EXPECT_THAT(lines[0], HasSubstr(R"("id":null,"error":{"code":-32700)"));
  EXPECT_THAT(lines[1], HasSubstr(R"("id":null,"error":{"code":-32600)"));
}

TEST(EventLinesTest, TakesTheDataOfEvents) {
  std::vector<std::string> events;
  EventLines lines([&events](std::string data) { events.push_back(std::move(data)); });
  for (const char* line : {": still running", "", "event: message", "data: {\"a\":1}", "", "data:x",
                           "data: y", "id: 7", "", ""}) {
    lines.line(line);
  }
  EXPECT_THAT(events, ElementsAre(R"({"a":1})", "x y"));
}

}  // namespace
}  // namespace svc::client
