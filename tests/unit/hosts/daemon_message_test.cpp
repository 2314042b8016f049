#include "daemon_message.h"

#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

namespace svc::hosts {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& validMessages() {
  static const std::vector<std::string> kMessages{
      R"({"type":"heartbeat"})",
      R"({"type":"host-rpc.response","requestId":"a.1","commandType":"plugin.host.call","ok":true,"result":{"output":[1,{"a":"\u00e9"}]}})",
      R"({"type":"host-rpc.response","requestId":"a.2","commandType":"plugin.host.call","ok":false,"errorCode":"timeout","errorMessage":"late","errorDetails":{"ms":1}})",
      R"({"type":"plugin-host.signal","pluginId":"p","generation":"g","signal":"tick","payload":{"n":1.5e3}})",
      R"({"type":"plugin-host.worker-exited","pluginId":"p","generation":"g"})",
      R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":[{"stream":"stdout","text":"a"},{"stream":"stderr","text":"b"},{"stream":"stderr","level":"error","text":"c"}]})",
      R"({"type":"terminal.output","terminalId":"t","seq":12,"dataBase64":"YQ=="})",
      R"({"type":"terminal.taken","terminalId":"t","bytes":3})",
      R"({"type":"terminal.exit","terminalId":"t","exitCode":137})",
      R"({"type":"agent.events","sessionId":"s","threadId":"thr","events":[{"seq":1,"data":{}}]})"};
  return kMessages;
}

TEST(DaemonMessageTest, ReadsEveryType) {
  const auto& valid = validMessages();
  const auto read = [&valid](std::size_t index) {
    auto message = parseDaemonMessage(valid.at(index));
    EXPECT_TRUE(message.ok()) << valid.at(index);
    return std::move(message).value();
  };
  EXPECT_TRUE(std::holds_alternative<Heartbeat>(read(0)));
  const auto result = std::get<CommandAnswer>(read(1));
  EXPECT_EQ(result.request_id, "a.1");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.result, R"({"output":[1,{"a":"\u00e9"}]})");
  const auto failure = std::get<CommandAnswer>(read(2));
  EXPECT_FALSE(failure.ok);
  EXPECT_EQ(failure.error_code, "timeout");
  EXPECT_EQ(failure.error_message, "late");
  EXPECT_EQ(failure.error_details, R"({"ms":1})");
  const auto signal = std::get<HostSignal>(read(3));
  EXPECT_EQ(signal.plugin_id + signal.generation + signal.name, "pgtick");
  EXPECT_EQ(signal.payload, R"({"n":1.5e3})");
  EXPECT_EQ(std::get<WorkerExit>(read(4)).generation, "g");
  const auto log = std::get<WorkerLog>(read(5));
  ASSERT_EQ(log.lines.size(), 3U);
  EXPECT_FALSE(log.lines[0].is_error_stream);
  EXPECT_TRUE(log.lines[1].is_error_stream);
  EXPECT_FALSE(log.lines[1].is_error);
  EXPECT_EQ(log.lines[1].text, "b");
  EXPECT_TRUE(log.lines[2].is_error);
}

TEST(DaemonMessageTest, WhatIsForOtherModulesIsPassedOnWhole) {
  for (const auto& [index, type] : {std::pair(6, "terminal.output"), std::pair(7, "terminal.taken"),
                                    std::pair(8, "terminal.exit"), std::pair(9, "agent.events")}) {
    const auto& text = validMessages().at(static_cast<std::size_t>(index));
    const auto message = parseDaemonMessage(text);
    ASSERT_TRUE(message.ok()) << text;
    const auto& forwarded = std::get<ForwardedMessage>(message.value());
    EXPECT_EQ(forwarded.type, type);
    EXPECT_EQ(forwarded.text, text);
  }
}

TEST(DaemonMessageTest, ACountIsAWholeNumberFromZero) {
  for (const auto* count : {"-1", "1.5", "1e3", "\"1\"", "null", "9999999999999999999"}) {
    EXPECT_FALSE(
        parseDaemonMessage(
            fmt::format(R"({{"type":"terminal.exit","terminalId":"t","exitCode":{}}})", count))
            .ok())
        << count;
  }
}

TEST(DaemonMessageTest, APayloadMayBeUndefined) {
  const auto message = parseDaemonMessage(
      R"({"type":"plugin-host.signal","pluginId":"p","generation":"g","signal":"s"})");
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(std::get<HostSignal>(message.value()).payload, "");
}

TEST(DaemonMessageTest, AValueMayBeAsDeepAsOneThatCrosses) {
  const auto answer = [](std::size_t levels) {
    return R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":true,"result":{"output":)" +
           std::string(levels, '[') + std::string(levels, ']') + "}}";
  };
  EXPECT_TRUE(parseDaemonMessage(answer(128)).ok());
  EXPECT_FALSE(parseDaemonMessage(answer(200)).ok());
}

TEST(DaemonMessageTest, WhatIsPassedOnIsOnlyMeasured) {
  const auto message = parseDaemonMessage(
      R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":true,"result":{"output":[1,,"}]"]}})");
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(std::get<CommandAnswer>(message.value()).result, R"({"output":[1,,"}]"]})");
}

struct Refused {
  const char* text;
  const char* why;
};

class RefusedMessageTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedMessageTest, SaysWhatIsWrong) {
  const auto message = parseDaemonMessage(GetParam().text);
  ASSERT_FALSE(message.ok());
  EXPECT_THAT(message.error().message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Messages, RefusedMessageTest,
    ::testing::Values(
        Refused{"", "empty"}, Refused{"[]", "JSON object"}, Refused{"{}", "type is unknown"},
        Refused{R"({"type":1})", "type is unknown"},
        Refused{R"({"type":"terminal.output"})", "terminalId is missing"},
        Refused{R"({"type":"terminal.sideways"})", "type is unknown"},
        Refused{R"({"type":"heartbeat","at":1})", "heartbeat: it has an unknown member"},
        Refused{R"({"type":"heartbeat"} x)", "byte"},
        Refused{R"({"type":"plugin-host.worker-exited","pluginId":"p","generation":"\x"})",
                "generation is of another type"},
        Refused{R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":[,]})",
                "lines is of another type"},
        Refused{R"({"type":"host-rpc.response","commandType":"c","ok":true,"result":1})",
                "requestId is missing"},
        Refused{
            R"({"type":"host-rpc.response","requestId":1,"commandType":"c","ok":true,"result":1})",
            "requestId is of another type"},
        Refused{R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":true})",
                "result is missing"},
        Refused{
            R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":"true","result":1})",
            "ok is of another type"},
        Refused{
            R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":true,"result":1,"errorCode":"x"})",
            "unknown member"},
        Refused{
            R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":false,"errorCode":"x"})",
            "errorMessage is missing"},
        Refused{
            R"({"type":"host-rpc.response","requestId":"r","commandType":"c","ok":false,"errorCode":"x","errorMessage":"m","errorDetails":[]})",
            "errorDetails is of another type"},
        Refused{R"({"type":"plugin-host.signal","pluginId":"p","generation":"g"})",
                "signal is missing"},
        Refused{R"({"type":"plugin-host.worker-exited","pluginId":"p"})", "generation is missing"},
        Refused{R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":{}})",
                "lines is of another type"},
        Refused{R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":["x"]})",
                "a line is not { stream, level?, text }"},
        Refused{
            R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":[{"stream":"stdin","text":""}]})",
            "a line is not { stream, level?, text }"},
        Refused{
            R"({"type":"plugin-host.log","pluginId":"p","generation":"g","lines":[{"stream":"stdout","text":"","at":1}]})",
            "a line is not { stream, level?, text }"}));

/// One random change of the text.
std::string mutate(std::string text, std::mt19937& random) {
  const auto pick = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  if (text.empty()) {
    return "{";
  }
  static constexpr std::string_view kBytes = "{}[]\",:\\ntf0123456789e-+. \x80\xff";
  const auto at = pick(text.size());
  switch (pick(6)) {
    case 0:
      text[at] = kBytes[pick(kBytes.size())];
      break;
    case 1:
      text.erase(at, 1 + pick(8));
      break;
    case 2:
      text.insert(at, 1, kBytes[pick(kBytes.size())]);
      break;
    case 3:
      text.insert(at, text.substr(pick(text.size()), pick(24)));
      break;
    case 4:
      text.resize(at);
      break;
    default:
      text[at] = static_cast<char>(random());
      break;
  }
  return text;
}

bool repeats(std::string_view text) {
  const auto twice = [text](std::string_view key) {
    const auto first = text.find(key);
    return first != std::string_view::npos &&
           text.find(key, first + key.size()) != std::string_view::npos;
  };
  return twice(R"("result":)") || twice(R"("payload":)");
}

// What is accepted is a message in all parts that are not just passed on; everything else is refused with words.
TEST(DaemonMessageTest, MutatedMessagesAreReadOrRefused) {
  std::mt19937 random(20'231'105);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
  int accepted = 0;
  for (int round = 0; round < 40'000; ++round) {
    auto text = validMessages().at(static_cast<std::size_t>(round) % validMessages().size());
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      text = mutate(std::move(text), random);
    }
    const auto message = parseDaemonMessage(text);
    if (!message) {
      ASSERT_FALSE(message.error().message.empty()) << text;
      continue;
    }
    ++accepted;
    std::string_view passed_on;
    if (const auto* answer = std::get_if<CommandAnswer>(&message.value()); answer && answer->ok) {
      passed_on = answer->result;
    }
    if (const auto* signal = std::get_if<HostSignal>(&message.value())) {
      passed_on = signal->payload;
    }
    auto rest = text;
    if (!passed_on.empty()) {
      rest.replace(static_cast<std::size_t>(passed_on.data() - text.data()), passed_on.size(),
                   "null");
    }
    // Of equal members the last one counts, and the others are looked at as little as that one.
    ASSERT_TRUE(common::isValidJson(rest) || repeats(text)) << text;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace svc::hosts
