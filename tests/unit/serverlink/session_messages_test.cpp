#include <random>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"

#include "server_messages.h"
#include "session_fixture.h"

namespace svc::serverlink {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using SessionMessagesTest = SessionTest;

TEST_F(SessionMessagesTest, RequestsAreAnsweredWhereTheyCameFrom) {
  session_->start();
  openSession();
  socket().message(
      R"({"type":"host-rpc.request","requestId":"r\"1","command":{"type":"x.y","a":[1, 2]}})");
  ASSERT_THAT(requests_, SizeIs(1));
  EXPECT_EQ(requests_[0].type, "x.y");
  EXPECT_EQ(requests_[0].command, R"({"type":"x.y","a":[1, 2]})");
  answers_[0](std::string(R"({"b":3})"));
  EXPECT_EQ(
      socket().sent.back(),
      R"({"type":"host-rpc.response","requestId":"r\"1","commandType":"x.y","ok":true,"result":{"b":3}})");
}

TEST_F(SessionMessagesTest, AnAnswerWithoutRoomFailsByItself) {
  session_->start();
  openSession();
  socket().has_room = false;
  socket().message(R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"x.y"}})");
  answers_[0](std::string(R"({"b":3})"));
  EXPECT_THAT(socket().sent.back(), HasSubstr(R"("ok":false)"));
  EXPECT_THAT(socket().sent.back(), HasSubstr(R"("errorCode":"overloaded")"));
  EXPECT_EQ(socket().close_code, 0);
}

TEST_F(SessionMessagesTest, TheTypeOfACommandMayStandAnywhere) {
  session_->start();
  openSession();
  for (const auto* command :
       {R"({"type":"x.y","input":{"type":"z"}})", R"({"input":{"type":"z"},"type":"x.y"})",
        R"({ "type" : "x.y" })", R"({"type":"x\u002ey"})"}) {
    socket().message(
        fmt::format(R"({{"type":"host-rpc.request","requestId":"r","command":{}}})", command));
    ASSERT_FALSE(requests_.empty()) << command;
    EXPECT_EQ(requests_.back().type, "x.y") << command;
    EXPECT_EQ(requests_.back().command, command);
  }
  EXPECT_THAT(requests_, SizeIs(4));
}

TEST_F(SessionMessagesTest, MessagesForOtherModulesArePassedOnAsTheyAre) {
  session_->start();
  openSession();
  const std::string input = R"({"type":"terminal.input","terminalId":"t","dataBase64":"YQ=="})";
  const std::string resize = R"({"type":"terminal.resize","terminalId":"t","cols":80,"rows":24})";
  const std::string ack = R"({"type":"terminal.ack","terminalId":"t","seq":3,"ended":false})";
  const std::string agent = R"({"type":"agent.ack","sessionId":"s","seq":3})";
  for (const auto& text : {input, resize, ack, agent}) {
    socket().message(text);
  }
  EXPECT_THAT(forwarded_,
              ElementsAre(std::pair<std::string, std::string>("terminal.input", input),
                          std::pair<std::string, std::string>("terminal.resize", resize),
                          std::pair<std::string, std::string>("terminal.ack", ack),
                          std::pair<std::string, std::string>("agent.ack", agent)));
  socket().message(R"({"type":"terminal.ack","terminalId":"t","seq":3,"more":false})");
  EXPECT_EQ(socket().close_code, 1008);
}

TEST_F(SessionMessagesTest, FailuresKeepCodeMessageAndDetails) {
  session_->start();
  openSession();
  socket().message(R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"x"}})");
  answers_[0](Error{errc::kWorkerExited, "it died", R"({"code":3})"});
  EXPECT_EQ(socket().sent.back(),
            R"({"type":"host-rpc.response","requestId":"r1","commandType":"x","ok":false,)"
            R"("errorCode":"worker_exited","errorMessage":"it died","errorDetails":{"code":3}})");
}

TEST_F(SessionMessagesTest, AnswersOfAnEarlierSessionGoNowhere) {
  session_->start();
  openSession();
  socket().message(R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"x"}})");
  const auto first = transport_.sockets.back();
  first->closed({1006, "reset"});
  waits();
  openSession();
  answers_[0](std::string("{}"));
  EXPECT_THAT(first->sent, ElementsAre(kHeartbeat));
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat));
}

TEST_F(SessionMessagesTest, MessagesAreDroppedWhileThereIsNoSession) {
  session_->send("early");
  session_->start();
  transport_.answer(201, kOpened);
  session_->send("before it is open");
  socket().opened();
  session_->send("now");
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat, "now"));
  socket().closed({1006, "reset"});
  session_->send("after");
  EXPECT_THAT(socket().sent, SizeIs(2));
}

TEST_F(SessionMessagesTest, MessagesThatAreTooLargeAreDroppedWithALine) {
  session_->start();
  openSession();
  session_->send(std::string(limits::kIpcMessage + 1, 'x'));
  EXPECT_THAT(socket().sent, SizeIs(1));
  EXPECT_THAT(log_.lines().back(), HasSubstr("a message of 41943041 bytes is dropped"));
}

TEST_F(SessionMessagesTest, WhatItDoesNotUnderstandEndsTheSession) {
  session_->start();
  for (const auto* text :
       {"", "null", "[]", "{", R"({"type":"dance"})", R"({"type":3})",
        R"({"type":"heartbeat-ack","x":1})", R"({"type":"session-close","reason":"bored"})",
        R"({"type":"session-close"})", R"({"type":"host-rpc.request","requestId":"r"})",
        R"({"type":"host-rpc.request","requestId":"","command":{"type":"x"}})",
        R"({"type":"host-rpc.request","requestId":1,"command":{"type":"x"}})",
        R"({"type":"host-rpc.request","requestId":"r","command":{}})",
        R"({"type":"host-rpc.request","requestId":"r","command":[]})",
        R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x","a":y}})",
        R"({"type":"terminal.resize","terminalId":"t","cols":80,"rows":[y]})",
        R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x"},"more":1})"}) {
    openSession();
    socket().message(kAck);
    socket().message(text);
    EXPECT_EQ(socket().close_code, 1008) << text;
    EXPECT_EQ(socket().close_reason, "invalid-message");
    EXPECT_EQ(waits(), 1s) << text;
  }
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(SessionMessagesTest, NothingIsReadBehindTheEnd) {
  session_->start();
  openSession();
  const auto listener = socket().listener.lock();
  listener->onMessage(R"({"type":"session-close","reason":"shutdown"})");
  listener->onMessage(R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x"}})");
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(SessionMessagesTest, AnySequenceOfBytesIsAnAnswerOrAnEnd) {
  const std::vector<std::string> seeds{
      kAck, R"({"type":"session-close","reason":"shutdown"})",
      R"({"type":"watch-set.replace","generation":3,"watches":[{"path":"/x"}]})",
      R"({"type":"connect-shares.replace","generation":3,"ports":[80]})",
      R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"plugin.host.call","input":{"a":[1,"é"]}}})"};
  std::mt19937 random(20251122);  // NOLINT(cert-msc51-cpp): the same every time
  session_->start();
  openSession();
  for (int round = 0; round < 3000; ++round) {
    auto text = seeds[random() % seeds.size()];
    for (auto changes = random() % 4; changes > 0; --changes) {
      const auto at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.insert(at, 1, "{}[]\",:\\0"[random() % 9]);
          break;
        default:
          text.erase(at, 1 + random() % 5);
          text.push_back('}');
      }
    }
    socket().message(text);
    if (!ends_.empty()) {
      FAIL() << "only \"replaced\" and \"removed\" end it: " << text;
    }
    if (socket().let_go) {
      EXPECT_THAT(socket().close_code, ::testing::AnyOf(1008, 1000)) << text;
      ASSERT_LE(waits(), 40s);
      openSession();
    }
  }
}

}  // namespace
}  // namespace svc::serverlink
