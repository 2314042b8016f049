#include "http_part.h"

#include "svc/common/limits/http.h"

#include "channel_fixture.h"
#include "http_call.h"
#include "plugin_socket.h"

namespace svc::routes {
namespace {

using svc::test::MockWebSocket;
using svc::test::RecordedExchange;

class HttpPartTest : public ChannelTest {
 protected:
  HttpPartTest() {
    part = httpPart(loads, [this](const std::string& plugin) { token_users.push_back(plugin); });
    functions = part.functions(generation);
    load = loads->find(1);
  }
  script::HostFunction& function(const std::string& name) {
    const auto found =
        std::find_if(functions.begin(), functions.end(),
                     [&](const script::HostFunction& entry) { return entry.name == name; });
    SVC_ASSERT(found != functions.end());
    return *found;
  }
  Result<std::string> sync(const std::string& name, const std::string& argument) {
    return function(name).sync(argument);
  }
  /// "ok", or the code of the failure.
  std::string transfer(const std::string& name, const std::string& argument,
                       const std::string& bytes = "") {
    std::string answer = "nothing yet";
    function(name).transfer(argument, bytes, [&answer](const Result<std::string>& result) {
      answer = result ? "ok" : std::string(result.error().code.name());
    });
    return answer;
  }

  plugins::ApiPart part;
  std::vector<script::HostFunction> functions;
  std::vector<std::string> token_users;
};

TEST_F(HttpPartTest, RegistersRoutesOfItsLoad) {
  EXPECT_TRUE(sync("http.addRoute", R"({"method":"GET","path":"/a","auth":"none"})").ok());
  EXPECT_TRUE(sync("http.addSocket", R"({"path":"/b","auth":"local"})").ok());
  EXPECT_EQ(load->routes.findRoute("GET", "/a").auth, Auth::kNone);
  EXPECT_EQ(load->routes.findSocket("/b").key, "/b");
  EXPECT_TRUE(token_users.empty());
  EXPECT_FALSE(sync("http.addRoute", R"({"method":"GET","path":"/a","auth":"x"})").ok());
}

TEST_F(HttpPartTest, SaysWhenAPluginUsesItsToken) {
  EXPECT_TRUE(sync("http.addRoute", R"({"method":"GET","path":"/a","auth":"token"})").ok());
  EXPECT_EQ(token_users, std::vector<std::string>{"todo"});
}

TEST_F(HttpPartTest, ALoadIsKnownAsLongAsItsEnvironment) {
  load.reset();
  functions.clear();
  EXPECT_EQ(loads->find(1), nullptr);
}

TEST_F(HttpPartTest, SendsTheAnswerOfACall) {
  const auto exchange = std::make_shared<RecordedExchange>(request("GET", "a"));
  HttpCall::run(exchange, generation, load, "GET /a", Auth::kLocal);
  EXPECT_EQ(transfer("http.respond", R"(1 {"status":201,"headers":[["x-a","b"]]})", "body"), "ok");
  EXPECT_EQ(exchange->status(), 201U);
  EXPECT_EQ(exchange->answer->body, "body");
  EXPECT_EQ(exchange->answer->headers.at(0).name, "x-a");
}

TEST_F(HttpPartTest, SendsAnAnswerInPieces) {
  const auto exchange = std::make_shared<RecordedExchange>(request("GET", "a"));
  HttpCall::run(exchange, generation, load, "GET /a", Auth::kLocal);
  EXPECT_EQ(transfer("http.begin", R"(1 {"status":200,"headers":[]})"), "ok");
  EXPECT_EQ(transfer("http.write", "1", "piece"), "ok");
  EXPECT_EQ(transfer("http.finish", "1"), "ok");
  EXPECT_EQ(exchange->written, "piece");
  EXPECT_TRUE(exchange->ended);
}

TEST_F(HttpPartTest, ACallThatHasBeenAnsweredIsAborted) {
  for (const auto* name : {"http.read", "http.respond", "http.begin", "http.write"}) {
    EXPECT_EQ(transfer(name, "9 {}"), "aborted") << name;
  }
}

TEST_F(HttpPartTest, SendsAndClosesThroughTheSocket) {
  const auto socket = std::make_shared<PluginSocket>(PluginSocket::Target{load, "5", "s"},
                                                     PluginSocket::Handlers::kReady);
  const auto wire = std::make_shared<::testing::StrictMock<MockWebSocket>>();
  socket->onOpen(wire);
  EXPECT_CALL(*wire, sendText(::testing::Pointee(std::string("a b "))));
  EXPECT_CALL(*wire, sendBinary(::testing::Pointee(std::string("\0\1", 2))));
  EXPECT_CALL(*wire, close(4000, "why"));
  EXPECT_TRUE(sync("http.sendText", "5 a b ").ok());
  EXPECT_EQ(transfer("http.sendBinary", "5", std::string("\0\1", 2)), "ok");
  EXPECT_TRUE(sync("http.closeSocket", R"({"id":"5","code":4000,"reason":"why"})").ok());
  EXPECT_TRUE(sync("http.sendText", "6 nobody").ok()) << "a socket that has gone drops it";
  socket->onClose(4000, "why");
}

TEST_F(HttpPartTest, TellsTheLimitOfAMessage) {
  EXPECT_EQ(sync("http.messageLimit", "").value(), std::to_string(limits::kPluginWsMessage));
}

}  // namespace
}  // namespace svc::routes
