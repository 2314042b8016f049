#include "host_rpc.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HostRpcTest : public HostsFixture {
 protected:
  ~HostRpcTest() override { sessions_->shutDown(); }

  void send(const std::string& host, std::string command = R"({"type":"host.directory"})") {
    rpc_->send(host, std::move(command), 10s, [this](Result<std::string> result) {
      answers_.push_back(result ? result.value() : std::string(result.error().code.name()));
      if (!result) {
        error_ = result.error();
      }
    });
    reactor_.runAll();
  }

  std::vector<std::string> answers_;
  Error error_{errc::kInternal, ""};
};

TEST_F(HostRpcTest, ACommandIsAnsweredByItsRequest) {
  const auto daemon = connect();
  send("host_1", R"({"type":"a"})");
  send("host_1", R"({"type":"b"})");
  const auto first = daemon.socket->next();
  const auto second = daemon.socket->next();
  EXPECT_EQ(first["type"], Json("host-rpc.request"));
  EXPECT_EQ(first["command"].dump(), R"({"type":"a"})");
  EXPECT_NE(first["requestId"].asString(), second["requestId"].asString());
  daemon.answers(second, R"({"b": 2})");
  daemon.answers(first, R"({"a":1})");
  EXPECT_THAT(answers_, ElementsAre(R"({"b": 2})", R"({"a":1})"));
}

TEST_F(HostRpcTest, NamesHostsThatAreUnknownOrNotConnected) {
  send("nobody");
  EXPECT_THAT(error_.message, HasSubstr("svc machine list"));
  send("host_1");
  EXPECT_THAT(error_.message, HasSubstr(R"(host "Name of host_1" (host_1) is not connected)"));
  EXPECT_THAT(answers_, ElementsAre("unknown_host", "host_unavailable"));
}

TEST_F(HostRpcTest, WhatTheDaemonSaysPasses) {
  const auto daemon = connect();
  send("host_1");
  daemon.fails(daemon.socket->next(), "not_found", "no such directory", R"({"path":"/x"})");
  EXPECT_EQ(error_.code, errc::kNotFound);
  EXPECT_EQ(error_.message, "no such directory");
  EXPECT_EQ(error_.details, R"({"path":"/x"})");
  send("host_1");
  daemon.fails(daemon.socket->next(), "never_heard_of", "odd");
  EXPECT_EQ(error_.code, errc::kHostError);
  EXPECT_EQ(error_.message, "odd");
  EXPECT_EQ(error_.details, R"({"code":"never_heard_of"})");
}

TEST_F(HostRpcTest, AnswersNobodyWaitsForAreIgnored) {
  const auto daemon = connect();
  send("host_1", R"({"type":"a"})");
  const auto request = daemon.socket->next();
  for (const auto* id : {"", "1", "00000000ffffffff.1", "x.1"}) {
    daemon.answers(Json::object().set("requestId", id), "1");
  }
  auto other = request;
  other.set("requestId", request["requestId"].asString() + "9");
  daemon.answers(other, "1");
  other.set("requestId", request["requestId"].asString() + "x");
  daemon.answers(other, "1");
  // The same number from another host.
  connect("host_2").answers(request, "1");
  EXPECT_THAT(answers_, IsEmpty());
  EXPECT_EQ(daemon.socket->closed, "");
  daemon.answers(request, R"({"n":2})");
  daemon.answers(request, R"({"n":3})");
  EXPECT_THAT(answers_, ElementsAre(R"({"n":2})"));
}

TEST_F(HostRpcTest, AnAnswerThatIsNoneToTheCommandNamesMachineAndCommand) {
  const auto daemon = connect();
  for (const auto* answer : {"5", "[]", R"({"files":5,"truncated":false})", R"({"ok":true})"}) {
    send("host_1", R"({"type":"host.list-files","path":"/"})");
    daemon.answers(daemon.socket->next(), answer);
    EXPECT_EQ(error_.code, errc::kHostError) << answer;
    EXPECT_THAT(error_.message, HasSubstr(R"(machine "Name of host_1" (host_1))")) << answer;
    EXPECT_THAT(error_.message, HasSubstr("host.list-files")) << answer;
    EXPECT_THAT(error_.message, HasSubstr("update svc-hostd")) << answer;
  }
  EXPECT_EQ(answers_.size(), 4U);
}

TEST_F(HostRpcTest, AnAnswerToAnotherCommandIsNone) {
  const auto daemon = connect();
  const auto reply = [&](const Json& command, bool failed) {
    send("host_1", R"({"path":"/a","type":"host.mkdir"})");
    auto request = daemon.socket->next();
    request.set("command", command);
    if (failed) {
      daemon.fails(request, "not_found", "odd");
    } else {
      daemon.answers(request, "{}");
    }
  };
  for (const bool failed : {false, true}) {
    reply(Json::object().set("type", "host.remove-path"), failed);
    EXPECT_EQ(error_.code, errc::kHostError);
    EXPECT_THAT(error_.message, HasSubstr("host.mkdir is not valid: commandType"));
  }
  reply(Json::object().set("type", "host.mkdir"), false);
  EXPECT_THAT(answers_, ElementsAre("host_error", "host_error", "{}"));
  EXPECT_EQ(daemon.socket->closed, "");
}

TEST_F(HostRpcTest, ALongAnswerIsCheckedByAWorker) {
  const auto daemon = connect();
  const std::string path(300UL * 1024, 'a');
  const auto answer = R"({"files":[{"name":"a","path":")" + path + R"("}],"truncated":false})";
  send("host_1", R"({"type":"host.list-files","path":"/"})");
  daemon.answers(daemon.socket->next(), answer);
  EXPECT_THAT(answers_, IsEmpty());
  reactor_.runAll();
  EXPECT_THAT(answers_, ElementsAre(answer));
  send("host_1", R"({"type":"host.list-files","path":"/"})");
  daemon.answers(daemon.socket->next(), R"({"files":[],"truncated":")" + path + "\"}");
  reactor_.runAll();
  EXPECT_THAT(error_.message, HasSubstr("truncated: Expected true or false"));
  workers_.full = true;
  send("host_1", R"({"type":"host.list-files","path":"/"})");
  daemon.answers(daemon.socket->next(), answer);
  reactor_.runAll();
  EXPECT_EQ(error_.code, errc::kOverloaded);
}

TEST_F(HostRpcTest, WhatFollowsAnAnswerAboutSessionsDoesNotOvertakeIt) {
  const auto daemon = connect();
  const auto answer = R"({"live":[")" + std::string(300UL * 1024, 'a') + "\"]}";
  send("host_1", R"({"type":"terminal.resume","terminals":[]})");
  daemon.answers(daemon.socket->next(), answer);
  EXPECT_THAT(answers_, ElementsAre(answer)) << "before the next message is read";
}

TEST_F(HostRpcTest, EndsWithTheTimeOrWithTheSession) {
  auto daemon = connect();
  send("host_1");
  reactor_.advance(10s);
  EXPECT_THAT(answers_, ElementsAre("timeout"));
  send("host_1");
  daemon.session->onClose(1006, "");
  EXPECT_EQ(answers_.back(), "host_unavailable");
  EXPECT_EQ(error_.message,
            "the connection to the machine \"Name of host_1\" was lost during the call");
  const auto late = daemon.socket->next();
  daemon = connect();
  daemon.answers(late, "1");
  EXPECT_EQ(answers_.size(), 2U);
}

TEST_F(HostRpcTest, ANewSessionFailsWhatThePreviousOneOwes) {
  connect();
  send("host_1");
  connect();
  EXPECT_THAT(answers_, ElementsAre("host_unavailable"));
}

TEST_F(HostRpcTest, AHostThatOwesTooManyBytesGetsNoMore) {
  const auto daemon = connect();
  const auto large = '"' + std::string(HostRpc::kUnanswered / 2 - 3, ' ') + '"';
  send("host_1", large);
  send("host_1", large);
  send("host_1", large);
  EXPECT_THAT(answers_, ElementsAre("too_many_calls"));
  EXPECT_EQ(daemon.socket->texts.size(), 2U);
  daemon.answers(parsed(daemon.socket->texts[0]), "{}");
  send("host_1", large);
  EXPECT_EQ(daemon.socket->texts.size(), 3U);
}

}  // namespace
}  // namespace svc::hosts
