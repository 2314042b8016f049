#include "messages.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

namespace svc::hostworkers {
namespace {

using ::testing::HasSubstr;
using Type = WorkerMessage::Type;

std::string command(const std::string& more = "", const std::string& id = "todo") {
  return R"({"type":"plugin.host.call","pluginId":")" + id +
         R"(","generation":"g","artifact":{"digest":")" + std::string(64, 'a') +
         R"(","byteLength":5},"callId":"c","method":"m")" + more + "}";
}

TEST(WorkerMessageTest, ReadsResults) {
  const auto good =
      parseWorkerMessage(R"({"type":"result","callId":"1","ok":true,"output":[1, 2]})");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value().type, Type::kResult);
  EXPECT_EQ(good.value().id, "1");
  EXPECT_EQ(good.value().payload, "[1, 2]");
  const auto bad = parseWorkerMessage(
      R"({"type":"result","callId":"1","ok":false,"error":{"code":"c","message":"m\n","details":{"a":1}}})");
  ASSERT_TRUE(bad.ok());
  EXPECT_EQ(bad.value().code, "c");
  EXPECT_EQ(bad.value().message, "m\n");
  EXPECT_EQ(bad.value().details, R"({"a":1})");
}

TEST(WorkerMessageTest, TextsMayBeCutInsideAnEmoji) {
  const auto message =
      parseWorkerMessage(R"({"type":"result","callId":"1","ok":true,"output":"a\ud83db"})");
  ASSERT_TRUE(message.ok()) << message.error().message;
  EXPECT_EQ(message.value().payload, R"("a\ud83db")");
  const auto call = parseHostCall(command(R"(,"input":["\udc00"])"));
  ASSERT_TRUE(call.ok()) << call.error().message;
  EXPECT_EQ(call.value().input, R"(["\udc00"])");
}

TEST(WorkerMessageTest, IsStrict) {
  for (
      const auto* line :
      {"",
       "x",
       "[]",
       "{}",
       R"({"type":"hello"})",
       R"({"type":"result","ok":true})",
       R"({"type":"result","callId":1,"ok":true})",
       R"({"type":"result","callId":"1","ok":1})",
       R"({"type":"result","callId":"1","ok":false})",
       R"({"type":"result","callId":"1","ok":false,"error":{"message":"m"}})",
       R"({"type":"result","callId":"1","ok":false,"error":{"code":"c","message":1}})",
       R"({"type":"result","callId":"1","ok":false,"error":{"code":"c","message":"m","details":1}})",
       R"({"type":"signal"})",
       R"({"type":"signal","signal":""})",
       R"({"type":"lease-acquire"})",
       R"({"type":"watch-start","watchId":"1"})",
       R"({"type":"watch-ack","watchId":"1"})",
       R"({"type":"watch-ack","watchId":"1","sequence":1.5})",
       R"({"type":"ready","protocolVersion":"2","pluginId":"p","generation":"g"})",
       R"({"type":"startup-error","error":"x"})"}) {
    EXPECT_FALSE(parseWorkerMessage(line).ok()) << line;
  }
}

TEST(WorkerMessageTest, LooksIntoNoOutputButItIsText) {
  const auto message =
      parseWorkerMessage(R"({"type":"result","callId":"1","ok":true,"output":[1,,x]})");
  ASSERT_TRUE(message.ok()) << message.error().message;
  EXPECT_EQ(message.value().payload, "[1,,x]");
  EXPECT_FALSE(
      parseWorkerMessage("{\"type\":\"result\",\"callId\":\"1\",\"ok\":true,\"output\":\"\xff\"}")
          .ok());
  EXPECT_FALSE(parseWorkerMessage(R"({"type":"result","callId":"1","ok":true,"output":[1})").ok());
  // The server is given these as they are.
  EXPECT_FALSE(
      parseWorkerMessage(
          R"({"type":"result","callId":"1","ok":false,"error":{"code":"c","message":"m","details":{"a":x}}})")
          .ok());
}

TEST(HostCallTest, AnInputIsNotLookedInto) {
  EXPECT_EQ(parseHostCall(command(R"(,"input":{"a":x})")).value().input, R"({"a":x})");
  EXPECT_FALSE(parseHostCall(command(R"(,"input":{"a":[})")).ok());
}

TEST(HostCallTest, ReadsACommand) {
  const auto call = parseHostCall(command(R"(,"input":{"a": 1},"timeoutMs":50)"));
  ASSERT_TRUE(call.ok()) << call.error().message;
  EXPECT_EQ(call.value().plugin_id, "todo");
  EXPECT_EQ(call.value().bytes, 5U);
  EXPECT_EQ(call.value().input, R"({"a": 1})");
  EXPECT_EQ(call.value().timeout.count(), 50);
  EXPECT_EQ(parseHostCall(command()).value().timeout, limits::kHostCall);
  EXPECT_EQ(parseHostCall(command()).value().input, "");
}

TEST(HostCallTest, MayNameALimitOfTheHeap) {
  EXPECT_EQ(parseHostCall(command()).value().heap_mib, 0);
  EXPECT_EQ(parseHostCall(command(R"(,"heapMiB":64)")).value().heap_mib, 64);
}

TEST(HostCallTest, RefusesWhatIsNoCommand) {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"x", "plugin.host.call"},
           {command("", "../etc"), "pluginId"},
           {command("", "a/b"), "pluginId"},
           {command("", ""), "pluginId"},
           {command(R"(,"timeoutMs":0)"), "timeoutMs"},
           {command(R"(,"timeoutMs":2147483648)"), "timeoutMs"},
           {command(R"(,"timeoutMs":"5")"), "timeoutMs"},
           {command(R"(,"artifact":{"digest":"../x","byteLength":5})"), "artifact.digest"},
           {command(R"(,"artifact":{"digest":"aa","byteLength":0})"), "byteLength"},
           {command(R"(,"artifact":1)"), "artifact"},
           {command(R"(,"heapMiB":0)"), "heapMiB"},
           {command(R"(,"heapMiB":"64")"), "heapMiB"},
           {command(R"(,"heapMiB":1e99)"), "heapMiB"},
           {command(R"(,"method":1)"), "method"}}) {
    const auto call = parseHostCall(text);
    ASSERT_FALSE(call.ok()) << text;
    EXPECT_EQ(call.error().code, errc::kInvalidCommand);
    EXPECT_THAT(call.error().message, HasSubstr(part));
  }
}

TEST(HostCallTest, AnInputOverTheLimitIsTooLarge) {
  const auto call =
      parseHostCall(command(R"(,"input":")" + std::string(limits::kHostInput, 'x') + "\""));
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().code, errc::kTooLarge);
  EXPECT_THAT(call.error().message, HasSubstr("limit host-input"));
}

TEST(HostTargetTest, NeedsItsMembers) {
  EXPECT_TRUE(parseDispose(R"({"pluginId":"a","generation":"g"})").ok());
  EXPECT_FALSE(parseDispose(R"({"pluginId":"a"})").ok());
  EXPECT_FALSE(parseCancel(R"({"pluginId":"a","generation":"g"})").ok());
  EXPECT_EQ(parseCancel(R"({"pluginId":"a","generation":"g","callId":"c"})").value().call_id, "c");
}

TEST(MessagesTest, ACallIsOneLine) {
  EXPECT_EQ(callMessage("1", "a\"b", "{\n\r\"x\": \"\\n\"}"),
            R"({"type":"call","callId":"1","method":"a\"b","input":{  "x": "\n"}})");
  EXPECT_EQ(callMessage("1", "m", ""), R"({"type":"call","callId":"1","method":"m"})");
}

TEST(MessagesTest, ForTheServer) {
  EXPECT_EQ(signalMessage("p", "g", "s", ""),
            R"({"type":"plugin-host.signal","pluginId":"p","generation":"g","signal":"s"})");
  EXPECT_EQ(logMessage("p", "g", {{false, "a"}, {true, "\xff"}}),
            "{\"type\":\"plugin-host.log\",\"pluginId\":\"p\",\"generation\":\"g\",\"lines\":[{"
            "\"stream\":"
            "\"stdout\",\"text\":\"a\"},{\"stream\":\"stderr\",\"text\":\"\uFFFD\"}]}");
  EXPECT_EQ(logMessage("p", "g", {{true, "c", true}}),
            "{\"type\":\"plugin-host.log\",\"pluginId\":\"p\",\"generation\":\"g\",\"lines\":[{"
            "\"stream\":\"stderr\",\"level\":\"error\",\"text\":\"c\"}]}");
}

}  // namespace
}  // namespace svc::hostworkers
