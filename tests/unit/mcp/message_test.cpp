#include "message.h"

#include <gtest/gtest.h>

#include "svc/common/limits/mcp.h"

namespace svc::mcp {
namespace {

const Message* messageOf(const std::variant<Message, Refusal>& parsed) {
  return std::get_if<Message>(&parsed);
}

TEST(MessageTest, KeepsTheTextOfARequest) {
  const auto parsed = parseMessage(
      R"( {"jsonrpc":"2.0","id":"a\"b","method":"tools/call","params": {"x": 1.50} } )");
  const auto* const message = messageOf(parsed);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->kind, Message::Kind::kRequest);
  EXPECT_EQ(message->id, R"("a\"b")");
  EXPECT_EQ(message->method, "tools/call");
  EXPECT_EQ(message->params, R"({"x": 1.50})");
}

TEST(MessageTest, TellsKindsApart) {
  struct Case {
    const char* body;
    Message::Kind kind;
  };
  for (const auto& [body, kind] :
       {Case{R"({"jsonrpc":"2.0","id":-7,"method":"ping"})", Message::Kind::kRequest},
        Case{R"({"jsonrpc":"2.0","id":"","method":"ping"})", Message::Kind::kRequest},
        Case{R"({"jsonrpc":"2.0","method":"notifications/x"})", Message::Kind::kNotification},
        Case{R"({"jsonrpc":"2.0","id":1,"result":{}})", Message::Kind::kResponse},
        Case{R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})",
             Message::Kind::kResponse}}) {
    const auto parsed = parseMessage(body);
    const auto* const message = messageOf(parsed);
    ASSERT_NE(message, nullptr) << body;
    EXPECT_EQ(message->kind, kind) << body;
  }
}

TEST(MessageTest, AnAbsentParamsIsAnEmptyObject) {
  EXPECT_EQ(messageOf(parseMessage(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"))->params, "{}");
}

TEST(MessageTest, RefusesWhatIsNoMessage) {
  struct Case {
    std::string body;
    int code;
    std::string id;
  };
  const std::string deep(200, '[');
  const std::string long_id(limits::kMcpId, 'x');
  for (const auto& [body, code, id] : {
           Case{"", rpc::kParseError, "null"},
           Case{"{", rpc::kParseError, "null"},
           Case{"\xff", rpc::kParseError, "null"},
           Case{R"({"jsonrpc":"2.0","id":1,"method":"p","params":{"a":)" + deep, rpc::kParseError,
                "null"},
           Case{R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", rpc::kInvalidRequest, "null"},
           Case{"[]", rpc::kInvalidRequest, "null"},
           Case{"1", rpc::kInvalidRequest, "null"},
           Case{R"({"id":1,"method":"ping"})", rpc::kInvalidRequest, "1"},
           Case{R"({"jsonrpc":"1.0","id":1,"method":"ping"})", rpc::kInvalidRequest, "1"},
           Case{R"({"jsonrpc":"2.0","id":null,"method":"ping"})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":{},"method":"ping"})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":true,"method":"ping"})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":")" + long_id + R"(","method":"ping"})",
                rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":1,"method":5})", rpc::kInvalidRequest, "1"},
           Case{R"({"jsonrpc":"2.0","id":1})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":1,"result":1,"error":2})", rpc::kInvalidRequest, "null"},
           Case{R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", rpc::kInvalidParams,
                "1"},
       }) {
    const auto parsed = parseMessage(body);
    const auto* const refusal = std::get_if<Refusal>(&parsed);
    ASSERT_NE(refusal, nullptr) << body;
    EXPECT_EQ(refusal->code, code) << body;
    EXPECT_EQ(refusal->id, id) << body;
    EXPECT_EQ(refusal->status, 400U) << body;
  }
}

TEST(MessageTest, WhatIsTooDeepIsToldTheLimit) {
  constexpr std::size_t kDeep = 10'000;
  const auto parsed = parseMessage(R"({"jsonrpc":"2.0","id":1,"method":"p","params":{"a":)" +
                                   std::string(kDeep, '[') + std::string(kDeep, ']') + "}}");
  const auto* const refusal = std::get_if<Refusal>(&parsed);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->code, rpc::kInvalidRequest);
  EXPECT_NE(refusal->message.find("at most 132 levels deep"), std::string::npos)
      << refusal->message;
}

TEST(MessageTest, AnIdThatIsTooLongNamesTheLimit) {
  const auto parsed = parseMessage(R"({"jsonrpc":"2.0","id":")" +
                                   std::string(limits::kMcpId - 1, 'x') + R"(","method":"ping"})");
  EXPECT_EQ(std::get<Refusal>(parsed).message, "the id has 257 bytes, the limit mcpId is 256");
}

TEST(MessageTest, WritesMessages) {
  EXPECT_EQ(resultText("1", "{}"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(errorText({.code = -1, .message = "a \"b\"", .data = "{}", .id = "\"x\""}),
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"a \"b\"","data":{}}})");
  EXPECT_EQ(notificationText("n", "{}"), R"({"jsonrpc":"2.0","method":"n","params":{}})");
  EXPECT_EQ(requestText("\"q\"", "m", "{}"),
            R"({"jsonrpc":"2.0","id":"q","method":"m","params":{}})");
}

TEST(MessageTest, AnEventIsOneLine) {
  EXPECT_EQ(eventText("{\n\"a\":\r\n1}"), "event: message\ndata: { \"a\":  1}\n\n");
}

}  // namespace
}  // namespace svc::mcp
