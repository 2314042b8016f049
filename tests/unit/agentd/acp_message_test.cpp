#include "acp_message.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "line_diff.h"
#include "line_splitter.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(LineSplitterTest, PiecesMakeTheSameLinesWhereverTheyAreCut) {
  const std::string text = "one\r\n\ntwö\n{\"three\":3}\nrest";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter splitter(100);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      ASSERT_TRUE(splitter.add(std::string_view(text).substr(at, piece), lines));
    }
    EXPECT_THAT(lines, ElementsAre("one", "twö", "{\"three\":3}")) << piece;
  }
}

TEST(LineSplitterTest, ALineThatIsTooLongIsTheLast) {
  LineSplitter splitter(4);
  std::vector<std::string> lines;
  EXPECT_TRUE(splitter.add("1234\n12", lines));
  EXPECT_FALSE(splitter.add("345\nok\n", lines));
  EXPECT_FALSE(splitter.add("ok\n", lines));
  EXPECT_THAT(lines, ElementsAre("1234"));
}

TEST(AcpMessageTest, RequestsNotificationsAndAnswersAreToldApart) {
  const auto request =
      parseAcpMessage(R"({"jsonrpc":"2.0","id":"a\"1","method":"m","params":{"x":1}})");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request.value().kind, AcpMessage::Kind::kRequest);
  EXPECT_EQ(request.value().id, R"("a\"1")") << "as it came, for the answer";
  EXPECT_EQ(request.value().params["x"].asInteger(), 1);
  const auto notification = parseAcpMessage(R"({"method":"n"})");
  EXPECT_EQ(notification.value().kind, AcpMessage::Kind::kNotification);
  const auto answer = parseAcpMessage(R"({"id":7,"result":{"y":2}})");
  EXPECT_EQ(answer.value().kind, AcpMessage::Kind::kAnswer);
  EXPECT_EQ(answer.value().id, "7");
  EXPECT_EQ(answer.value().result["y"].asInteger(), 2);
  EXPECT_FALSE(answer.value().failure);
  const auto failure = parseAcpMessage(R"({"id":7,"error":{"code":-32000,"message":"sign in"}})");
  EXPECT_EQ(failure.value().failure->code, acp_error::kAuthRequired);
  EXPECT_EQ(failure.value().failure->message, "sign in");
  EXPECT_TRUE(parseAcpMessage(R"({"id":7,"result":null})").ok());
}

TEST(AcpMessageTest, FailuresAlwaysSaySomething) {
  const auto text = [](const std::string& error) {
    return failureText(*parseAcpMessage(R"({"id":7,"error":)" + error + "}").value().failure);
  };
  EXPECT_EQ(text(R"("no quota")"), "no quota");
  EXPECT_EQ(text(R"({"code":5,"data":{"details":"no quota"}})"), "no quota");
  EXPECT_EQ(text(R"({"code":5})"), "the agent says no more than that it failed (error 5)");
}

TEST(AcpMessageTest, BytesThatAreNoTextCostNoMessage) {
  const auto answer = parseAcpMessage("{\"id\":7,\"result\":{\"stopReason\":\"a\xFF\xC3\"}}");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().result["stopReason"].asString(), "a\uFFFD\uFFFD");
}

TEST(AcpMessageTest, TooManyValuesAreNotRead) {
  const auto line = [](std::string_view piece) {
    std::string text = R"({"method":"m","params":{"a":[)";
    for (std::size_t at = 0; at <= limits::kAgentLineValues; ++at) {
      text += piece;
    }
    return text + R"("end"]}})";
  };
  EXPECT_EQ(parseAcpMessage(line("{},")).error().code, errc::kOverloaded);
  EXPECT_TRUE(parseAcpMessage(line("")).ok());
  const auto words = R"({"method":"m","params":{"a":"\",)" +
                     std::string(3 * limits::kAgentLineValues, ',') + R"("}})";
  EXPECT_TRUE(parseAcpMessage(words).ok()) << "those of a text are none";
}

TEST(AcpMessageTest, EverythingElseIsRefused) {
  for (const auto* line :
       {"", "x", "[]", "null", "{}", R"({"id":1})", R"({"id":{},"result":1})", R"({"result":1})",
        R"({"id":1.5,"result":1})", R"([{"id":1,"method":"m"}])", R"({"method":5})"}) {
    EXPECT_FALSE(parseAcpMessage(line).ok()) << line;
  }
  EXPECT_FALSE(parseAcpMessage(std::string(200, '[') + std::string(200, ']')).ok());
}

TEST(AcpMessageTest, WhatIsWrittenIsOneLineThatCanBeRead) {
  const auto params = Json::object().set("text", "a\nb\"\\ü");
  for (const auto& line : {acpRequest(3, "session/prompt", params), acpNotification("n", params),
                           acpResult("\"q\"", params), acpFailure("1", -32601, "no\nsuch \"x\"")}) {
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_TRUE(parseAcpMessage(std::string_view(line).substr(0, line.size() - 1)).ok()) << line;
  }
  EXPECT_EQ(parseAcpMessage(acpResult("\"q\"", params)).value().id, "\"q\"");
}

TEST(BoundedTextTest, KeepsHeadAndTailOfWhatIsLong) {
  BoundedText text;
  text.append("begin");
  EXPECT_TRUE(text.truncation(1).isNull());
  for (int round = 0; round < 200'000; ++round) {
    text.append("€é");
  }
  text.append("end");
  const auto kept = text.text();
  EXPECT_LE(kept.size(), limits::kAgentItemText);
  EXPECT_GT(kept.size(), limits::kAgentItemText - 100);
  EXPECT_TRUE(mayBeCut(kept));
  EXPECT_TRUE(common::isUtf8(kept));
  EXPECT_EQ(kept.substr(0, 5), "begin");
  EXPECT_THAT(kept, EndsWith("end"));
  const auto truncation = text.truncation(99);
  EXPECT_EQ(truncation["originalLength"].asInteger(), 400'008);
  EXPECT_EQ(truncation["truncatedAt"].asInteger(), 99);
  EXPECT_EQ(utf16Length(kept),
            truncation["retainedHeadLength"].asInteger() +
                truncation["retainedTailLength"].asInteger() +
                utf16Length("\n[ characters are left out]\n") +
                utf16Length(std::to_string(400'008 - truncation["retainedHeadLength"].asInteger() -
                                           truncation["retainedTailLength"].asInteger())));
}

TEST(LineDiffTest, ShowsWhatChangedWithThreeLinesAroundIt) {
  EXPECT_EQ(unifiedDiff("f", std::nullopt, "a\nb\n"),
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n"),
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
  EXPECT_EQ(unifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
                        "1\nx\n3\n4\n5\n6\n7\n8\n9\n10\n12\ny\n"),
            "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n"
            "@@ -8,5 +8,5 @@\n 8\n 9\n 10\n-11\n 12\n+y\n");
  const auto many = [](const std::string& line) {
    std::string text;
    for (int at = 0; at < 5000; ++at) {
      text += line + std::to_string(at % 7) + "\n";
    }
    return text;
  };
  const auto replaced = unifiedDiff("f", many("a"), many("b"));
  EXPECT_THAT(replaced, HasSubstr("@@ -1,5000 +1,5000 @@\n-a0\n"));
  EXPECT_EQ(unifiedDiff("f", "a\na\n", "a\n"), "--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n a\n-a\n");
  // Old lines first, and paths from the root with one slash.
  EXPECT_EQ(unifiedDiff("/x/f", "a\n", "b\nc\n"),
            "--- a/x/f\n+++ b/x/f\n@@ -1,1 +1,2 @@\n-a\n+b\n+c\n");
  EXPECT_EQ(unifiedDiff("f", "a\n", ""), "--- a/f\n+++ b/f\n@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_THAT(unifiedDiff("f", "same", "same"), ::testing::Not(HasSubstr("@@")));
}

}  // namespace
}  // namespace svc::agentd
