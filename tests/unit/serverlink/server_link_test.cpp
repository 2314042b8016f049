#include "server_link.h"

#include <unistd.h>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "fake_transport.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "log_lines.h"

namespace svc::serverlink {
namespace {

using svc::test::FakeClock;
using svc::test::FakeMainExecutor;
using svc::test::InlineWorkers;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ServerLinkTest : public ::testing::Test {
 protected:
  void connect() {
    link_.connect({.endpoint = {ServerAddress::parse("http://127.0.0.1:4700").value()},
                   .host_id = "host_1",
                   .host_key = "svch_key",
                   .host_type = "persistent",
                   .host_name = "mac",
                   .instance_id = "i1",
                   .platform = "linux-x64",
                   .data_directory = "/data"},
                  [this](SessionEnd end, const std::string&) { ends_.push_back(end); });
    transport_.answer(201, R"({"sessionId":"s1","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,
        "pluginHostGenerations":[{"pluginId":"todo","generation":"g1"}]})");
    transport_.sockets.back()->opened();
  }
  void command(const std::string& text) {
    transport_.sockets.back()->message(R"({"type":"host-rpc.request","requestId":"r1","command":)" +
                                       text + "}");
  }
  const std::string& answer() const { return transport_.sockets.back()->sent.back(); }

  LogLines log_;
  FakeTransport transport_;
  FakeMainExecutor main_;
  FakeClock clock_;
  InlineWorkers workers_;
  ServerLink link_{transport_,        main_, clock_, workers_, base::PathBounds("/"), log_.logger,
                   [] { return 0.5; }};
  std::vector<SessionEnd> ends_;
};

TEST_F(ServerLinkTest, CommandsReachTheirHandler) {
  const auto handler = link_.onCommand(
      "x.y", [](const std::string& text, auto done) { done("{\"got\":" + text + "}"); });
  connect();
  command(R"({"type":"x.y","n":1})");
  EXPECT_THAT(answer(), HasSubstr(R"("ok":true,"result":{"got":{"type":"x.y","n":1}}})"));
}

TEST_F(ServerLinkTest, OtherCommandsAreInvalid) {
  connect();
  command(R"({"type":"x.y"})");
  EXPECT_THAT(answer(), HasSubstr(R"("ok":false,"errorCode":"invalid_command")"));
  {
    const auto handler =
        link_.onCommand("x.y", [](const std::string&, auto done) { done(std::string("1")); });
  }
  command(R"({"type":"x.y"})");
  EXPECT_THAT(answer(), HasSubstr("invalid_command"));
}

TEST_F(ServerLinkTest, MessagesReachWhoTakesThemAndNobodyElse) {
  std::vector<std::string> taken;
  auto handle =
      link_.onMessage("terminal.ack", [&](const std::string& text) { taken.push_back(text); });
  connect();
  const std::string ack = R"({"type":"terminal.ack","terminalId":"t","seq":0,"ended":true})";
  transport_.sockets.back()->message(ack);
  transport_.sockets.back()->message(
      R"({"type":"terminal.input","terminalId":"t","dataBase64":""})");
  handle.reset();
  transport_.sockets.back()->message(ack);
  EXPECT_THAT(taken, ElementsAre(ack));
}

TEST_F(ServerLinkTest, ADroppedAnswerIsAnAnswer) {
  const auto handler = link_.onCommand("x.y", [](const std::string&, const auto&) {});
  connect();
  command(R"({"type":"x.y"})");
  EXPECT_THAT(answer(), HasSubstr(R"("errorCode":"aborted")"));
}

TEST_F(ServerLinkTest, AnswersDirectoryCommandsItself) {
  connect();
  command(R"({"type":"host.directory"})");
  EXPECT_THAT(answer(), HasSubstr(R"("ok":true,"result":{"directory":"/","parent":null)"));
  command(R"({"type":"host.paths-exist","paths":["/proc"]})");
  EXPECT_THAT(answer(), HasSubstr(R"("result":{"existence":{"/proc":true}})"));
  workers_.full = true;
  command(R"({"type":"host.directory"})");
  EXPECT_THAT(answer(), HasSubstr(R"("errorCode":"overloaded")"));
}

TEST_F(ServerLinkTest, ListenersHearOfEverySession) {
  std::vector<std::string> heard;
  auto first = link_.onSession([&](const std::vector<PluginGeneration>& current) {
    heard.push_back("first " + current.at(0).generation);
  });
  auto second = link_.onSession([&](const auto&) {
    heard.emplace_back("second");
    first.reset();
  });
  connect();
  EXPECT_THAT(heard, ElementsAre("first g1", "second"));
  connect();
  EXPECT_THAT(heard, ElementsAre("first g1", "second", "second"));
}

TEST_F(ServerLinkTest, TheLossOfASessionIsToldOncePerSession) {
  int lost = 0;
  auto listener = link_.onSessionLost([&] { ++lost; });
  connect();
  EXPECT_EQ(lost, 0);
  transport_.sockets.back()->closed({.code = 0, .reason = "gone"});
  EXPECT_EQ(lost, 1);
  connect();
  connect();  // takes the place of a session that is open
  EXPECT_EQ(lost, 2);
  listener.reset();
  transport_.sockets.back()->closed({.code = 0, .reason = "gone"});
  EXPECT_EQ(lost, 2);
}

TEST_F(ServerLinkTest, ARefusalIsToldToWhoWorksHere) {
  int refused = 0;
  auto listener = link_.onRefused([&] { ++refused; });
  connect();
  transport_.sockets.back()->closed(
      {0, "status 403", HttpAnswer{403, R"({"ok":false,"error":{"code":"forbidden"}})"}});
  EXPECT_EQ(refused, 1);
}

TEST_F(ServerLinkTest, PostsWithTheKeyOfTheHostAndWithoutAnOpenSession) {
  Result<HttpAnswer> result = HttpAnswer{};
  const auto keep = [&](Result<HttpAnswer> answer) { result = std::move(answer); };
  link_.post("/internal/x", "{}", keep);
  main_.runAll();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kHostUnavailable);
  connect();
  transport_.sockets.back()->closed({.code = 0, .reason = "gone"});
  link_.post("/internal/x", R"({"a":1})", keep);
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/x");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_key");
  EXPECT_EQ(transport_.posts[0].body, R"({"a":1})");
  transport_.answer(409, "{}");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, 409U);
}

TEST_F(ServerLinkTest, HasTheIdOfItsHost) {
  EXPECT_EQ(link_.hostId(), "");
  connect();
  EXPECT_EQ(link_.hostId(), "host_1");
}

TEST_F(ServerLinkTest, SendsOnlyWhileConnected) {
  link_.send("early");
  EXPECT_EQ(link_.backlog(), 0U);
  connect();
  link_.send("now");
  EXPECT_EQ(answer(), "now");
}

TEST_F(ServerLinkTest, DownloadsWithTheKeyOfTheHost) {
  Result<Download> result = Download{};
  link_.download("/internal/x", "/tmp/x", 10, [&](auto answer) { result = std::move(answer); });
  main_.runAll();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kHostUnavailable);
  connect();
  link_.download("/internal/x", "/tmp/x", 10, [&](auto answer) { result = std::move(answer); });
  ASSERT_THAT(transport_.downloads, SizeIs(1));
  EXPECT_EQ(transport_.downloads[0].request.path, "/internal/x");
  EXPECT_EQ(transport_.downloads[0].request.bearer, "svch_key");
  EXPECT_EQ(transport_.downloads[0].limit, 10U);
  transport_.downloads[0].done(Download{3, "ab"});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().bytes, 3U);
}

TEST_F(ServerLinkTest, TellsItsOwnerOfTheEnd) {
  connect();
  transport_.sockets.back()->message(R"({"type":"session-close","reason":"removed"})");
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kRemoved));
}

TEST_F(ServerLinkTest, StopsWithoutASessionToo) {
  bool stopped = false;
  link_.stop([&](const Status& status) { stopped = status.ok(); });
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace svc::serverlink
