#include "proxy.h"

#include <map>
#include <thread>

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include "svc/common/codes.h"

#include "network_fixture.h"

namespace svc::serverlink {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Variables = std::map<std::string, std::string>;

ProxySettings settings(Variables variables) {
  return ProxySettings([variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

std::optional<Proxy> proxyFor(const Variables& variables, const std::string& server) {
  return settings(variables).forServer(ServerAddress::parse(server).value());
}

TEST(ProxySettingsTest, EachSchemeHasItsVariableAndTheLowerCaseWins) {
  const Variables both{{"HTTP_PROXY", "http://plain:1"}, {"HTTPS_PROXY", "http://tls:2"}};
  EXPECT_EQ(proxyFor(both, "http://svc.example"), (Proxy{"plain", 1}));
  EXPECT_EQ(proxyFor(both, "https://svc.example"), (Proxy{"tls", 2}));
  EXPECT_EQ(proxyFor({{"https_proxy", "lower:3"}, {"HTTPS_PROXY", "upper:4"}}, "https://x.example"),
            (Proxy{"lower", 3}));
  EXPECT_EQ(proxyFor({{"ALL_PROXY", "http://all:5/"}}, "http://x.example"), (Proxy{"all", 5}));
  EXPECT_EQ(proxyFor({}, "https://svc.example"), std::nullopt);
}

TEST(ProxySettingsTest, TheUsersPasswordBecomesAHeader) {
  EXPECT_EQ(proxyFor({{"HTTPS_PROXY", "http://me:s%40cret@p:3128"}}, "https://x.example"),
            (Proxy{"p", 3128, "Basic bWU6c0BjcmV0"}));
}

TEST(ProxySettingsTest, NoProxyAndThisMachineAreReachedDirectly) {
  const auto direct = [](const std::string& no_proxy, const std::string& server) {
    return proxyFor({{"HTTP_PROXY", "p:1"}, {"NO_PROXY", no_proxy}}, server) == std::nullopt;
  };
  EXPECT_TRUE(direct("", "http://127.0.0.1:4700"));
  EXPECT_TRUE(direct("", "http://localhost:4700"));
  EXPECT_FALSE(direct("", "http://10.0.0.1"));
  EXPECT_TRUE(direct("*", "http://svc.example"));
  EXPECT_TRUE(direct("other.example, SVC.example", "http://svc.example"));
  EXPECT_TRUE(direct(".example", "http://svc.example"));
  EXPECT_TRUE(direct("*.example", "http://svc.example"));
  EXPECT_TRUE(direct("example", "http://a.svc.example"));
  EXPECT_FALSE(direct("vc.example", "http://svc.example"));
  EXPECT_TRUE(direct("10.0.0.1", "http://10.0.0.1:4700"));
  EXPECT_TRUE(direct("svc.example:4700", "http://svc.example:4700"));
  EXPECT_FALSE(direct("svc.example:4701", "http://svc.example:4700"));
}

TEST(ProxySettingsTest, WhatIsNoHttpProxyIsIgnoredWithoutShowingPasswords) {
  const auto made = settings({{"HTTPS_PROXY", "socks5://me:secret@p:1080"}});
  EXPECT_EQ(made.forServer(ServerAddress::parse("https://x.example").value()), std::nullopt);
  EXPECT_THAT(made.problems(),
              ElementsAre(AllOf(HasSubstr("HTTPS_PROXY"), Not(HasSubstr("secret")))));
  EXPECT_THAT(settings({{"HTTPS_PROXY", "p:1"}}).problems(), IsEmpty());
}

/// Answers one CONNECT with `answer`, and then, when it is a good one, the request behind it itself.
class OneProxy {
 public:
  explicit OneProxy(std::string answer)
      : thread_([this, answer = std::move(answer)] {
          auto peer = listener_.acceptConnection();
          asked = readHead(peer);
          peer.sendBytes(answer.data(), static_cast<int>(answer.size()));
          if (answer.find(" 200 ") != std::string::npos) {
            readHead(peer);
            const std::string reply = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok";
            peer.sendBytes(reply.data(), static_cast<int>(reply.size()));
          }
          peer.shutdownSend();
        }) {}
  OneProxy(const OneProxy&) = delete;
  OneProxy& operator=(const OneProxy&) = delete;
  ~OneProxy() { thread_.join(); }

  [[nodiscard]] std::string address() const {
    return "http://me:pw@127.0.0.1:" + std::to_string(listener_.address().port());
  }
  std::string asked;

 private:
  static std::string readHead(Poco::Net::StreamSocket& peer) {
    std::string text;
    char each = 0;
    while (text.find("\r\n\r\n") == std::string::npos && peer.receiveBytes(&each, 1) == 1) {
      text += each;
    }
    return text;
  }

  Poco::Net::ServerSocket listener_{Poco::Net::SocketAddress("127.0.0.1", 0)};
  std::thread thread_;
};

class ProxiedNetworkTest : public NetworkFixture {
 protected:
  /// POST to a server that only the proxy knows.
  Result<HttpAnswer> postThrough(const std::string& proxy) {
    Network proxied(main_, main_.context(), settings({{"HTTP_PROXY", proxy}}));
    std::optional<Result<HttpAnswer>> result;
    proxied.post({{ServerAddress::parse("http://svc.invalid:4700").value()}, "/x", "key"}, "{}",
                 [&](auto answer) { result = std::move(answer); });
    EXPECT_TRUE(runUntil([&] { return result.has_value(); }));
    proxied.stop();
    return *std::move(result);
  }
};

TEST_F(ProxiedNetworkTest, RequestsGoThroughTheProxy) {
  Result<HttpAnswer> answer = Error{errc::kAborted, ""};
  std::string asked;
  {
    OneProxy proxy("HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n");
    answer = postThrough(proxy.address());
    asked = proxy.asked;
  }
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().body, "ok");
  EXPECT_EQ(asked,
            "CONNECT svc.invalid:4700 HTTP/1.1\r\nHost: svc.invalid:4700\r\n"
            "Proxy-Authorization: Basic bWU6cHc=\r\n\r\n");
}

TEST_F(ProxiedNetworkTest, ARefusalOfTheProxyIsSaid) {
  for (const auto* refusal :
       {"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "SSH-2.0-x\r\n\r\n"}) {
    OneProxy proxy(refusal);
    const auto answer = postThrough(proxy.address());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
    EXPECT_THAT(
        answer.error().message,
        AllOf(HasSubstr("opens no way to http://svc.invalid:4700"),
              HasSubstr(std::string(refusal).substr(0, std::string(refusal).find("\r\n")))));
  }
}

}  // namespace
}  // namespace svc::serverlink
