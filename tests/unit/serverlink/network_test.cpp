#include "network.h"

#include <fcntl.h>

#include <atomic>

#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>

#include "svc/common/codes.h"

#include "network_fixture.h"
#include "owners.h"
#include "test_server.h"
#include "tls.h"

namespace svc::serverlink {
namespace {

using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;
using testing::AllOf;
using testing::HasSubstr;

class NetworkTest : public NetworkFixture {};

TEST_F(NetworkTest, PostsJsonBelowTheBasePath) {
  TestServer server([](HTTPServerRequest& request, HTTPServerResponse& response) {
    std::string body;
    Poco::StreamCopier::copyToString(request.stream(), body);
    response.setStatus(HTTPServerResponse::HTTP_CREATED);
    response.send() << request.getMethod() << ' ' << request.getURI() << ' '
                    << request.get("Authorization") << ' ' << request.getContentType() << ' '
                    << request.getHost() << ' ' << body;
  });
  const auto answer = post({server.address("/base")}, "/internal/x", R"({"a":1})");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().status, 201U);
  EXPECT_EQ(answer.value().body, "POST /base/internal/x Bearer key application/json " +
                                     server.address().authority() + R"( {"a":1})");
}

TEST_F(NetworkTest, AnyAnswerIsAnAnswer) {
  TestServer server([](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setStatus(HTTPServerResponse::HTTP_SERVICE_UNAVAILABLE);
    response.send() << "busy";
  });
  const auto answer = post({server.address()});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().status, 503U);
  EXPECT_EQ(answer.value().body, "busy");
}

TEST_F(NetworkTest, WithoutAServerItSaysSo) {
  ServerAddress address;
  {
    const Poco::Net::ServerSocket unused(Poco::Net::SocketAddress("127.0.0.1", 0));
    address = {false, "127.0.0.1", unused.address().port(), ""};
  }
  const auto answer = post({address});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
  EXPECT_THAT(answer.error().message,
              AllOf(HasSubstr("cannot connect to " + address.text()), HasSubstr("refused")));
}

TEST_F(NetworkTest, AConnectionThatEndsEarlyIsAFailure) {
  Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0));
  std::thread server([&] { listener.acceptConnection().close(); });
  const auto answer = post({{false, "127.0.0.1", listener.address().port(), ""}});
  server.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
}

TEST_F(NetworkTest, AnAnswerWithoutEndIsCut) {
  TestServer server([](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setChunkedTransferEncoding(true);
    auto& out = response.send();
    const std::string piece(64UL * 1024, 'x');
    for (int count = 0; out.good() && count < 1000; ++count) {
      out << piece;
    }
  });
  const auto answer = post({server.address()});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
}

TEST_F(NetworkTest, ASelfSignedCertificateIsReported) {
  const TestCertificate certificate(root_);
  std::atomic<int> requests{0};
  TestServer server([&](HTTPServerRequest&, HTTPServerResponse&) { ++requests; }, certificate);
  const auto answer = post({server.address()});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, kUntrustedCertificate);
  EXPECT_THAT(answer.error().message, HasSubstr("self"));
  EXPECT_EQ(answer.error().details,
            R"({"fingerprint":")" + certificate.fingerprint + R"(","selfSigned":true})");
  EXPECT_EQ(requests, 0);
}

TEST_F(NetworkTest, OnlyThePinnedCertificateIsAccepted) {
  const TestCertificate certificate(root_);
  TestServer server(
      [](HTTPServerRequest&, HTTPServerResponse& response) { response.send() << "secret"; },
      certificate);
  const auto answer = post({server.address(), certificate.fingerprint});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().body, "secret");
  const auto refused = post({server.address(), std::string(64, '0')});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, kUntrustedCertificate);
  EXPECT_THAT(refused.error().message, HasSubstr("another one than expected"));
}

TEST_F(NetworkTest, AServerWithoutTlsIsNoHttpsServer) {
  Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0));
  std::thread server([&] {
    auto peer = listener.acceptConnection();
    char hello[4096];
    peer.receiveBytes(hello, sizeof hello);
    const std::string text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    peer.sendBytes(text.data(), static_cast<int>(text.size()));
    peer.shutdownSend();
    peer.receiveBytes(hello, sizeof hello);
  });
  const auto answer = post({{true, "127.0.0.1", listener.address().port(), ""}});
  server.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("is that an https server?"));
}

TEST_F(NetworkTest, TheEndOfAPipeIsSeen) {
  int pipe[2] = {-1, -1};
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  bool closed = false;
  network_.watchPipe(pipe[0], [&] { closed = true; });
  EXPECT_EQ(::write(pipe[1], "x", 1), 1);
  // An answered request is later than what the byte could have done.
  TestServer server([](HTTPServerRequest&, HTTPServerResponse& response) { response.send(); });
  EXPECT_TRUE(post({server.address()}).ok());
  EXPECT_FALSE(closed);
  ::close(pipe[1]);
  EXPECT_TRUE(runUntil([&] { return closed; }));
}

TEST_F(NetworkTest, RequestsThatRunAtTheStopAreAborted) {
  Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0));
  std::optional<Result<HttpAnswer>> result;
  {
    Network network(main_, main_.context());
    network.post({{{false, "127.0.0.1", silent.address().port(), ""}}, "/x", "key"}, "{}",
                 [&](auto answer) { result = std::move(answer); });
    EXPECT_TRUE(runUntil([&] { return silent.poll({}, Poco::Net::Socket::SELECT_READ); }));
  }
  runUntil([&] { return result.has_value(); });
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->ok());
}

TEST(FingerprintTest, ReadsWhatOpensslPrints) {
  const std::string hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const auto shown = shownFingerprint(hex);
  EXPECT_THAT(shown, testing::StartsWith("sha256:01:23:45:67:89:AB:CD:EF:"));
  EXPECT_EQ(parseFingerprint(shown).value(), hex);
  EXPECT_EQ(parseFingerprint(hex).value(), hex);
  EXPECT_EQ(parseFingerprint("SHA256:" + hex).value(), hex);
  EXPECT_EQ(parseFingerprint("sha256 Fingerprint=" + shown.substr(7)).value(), hex);
  for (const auto& wrong : {std::string{}, std::string("sha256:"), hex.substr(1), hex + "0",
                            std::string(64, 'g'), "sha1:" + hex}) {
    EXPECT_FALSE(parseFingerprint(wrong).ok()) << wrong;
  }
}

using SaidOwner = ServerOwner::Owner;
constexpr SaidOwner kNoOwner{.kind = SaidOwner::Kind::kNobody};

/// The server is carol's, and the system says these, one after the other.
std::shared_ptr<ServerOwner> carols(std::vector<SaidOwner> answers) {
  return std::make_shared<ServerOwner>(
      ServerOwner::Server::kJoined, kCarol,
      [answers = std::move(answers), next = std::size_t{0}](int) mutable {
        return answers.at(std::min(next++, answers.size() - 1));
      });
}

TEST_F(NetworkTest, NothingIsSentToAnotherUsersServer) {
  std::atomic<int> requests = 0;
  TestServer server([&](HTTPServerRequest&, HTTPServerResponse& response) {
    ++requests;
    response.send();
  });
  const Endpoint endpoint{.server = server.address(), .owner = carols({kBob})};
  const auto posted = post(endpoint);
  ASSERT_FALSE(posted.ok());
  EXPECT_EQ(posted.error().code, kForeignServer);
  EXPECT_FALSE(download(endpoint, root_ / "file").ok());
  const auto story = std::make_shared<SocketStory>();
  const auto socket = network_.open({endpoint, "/x", "key"}, story);
  EXPECT_TRUE(runUntil([&] { return story->end.has_value(); }));
  EXPECT_THAT(story->end->reason, HasSubstr("uid 4123456002"));
  server.stop();
  EXPECT_EQ(requests, 0);
}

TEST_F(NetworkTest, AConnectionThatIsNotAcceptedYetIsAskedOfAgain) {
  TestServer server(
      [](HTTPServerRequest&, HTTPServerResponse& response) { response.send() << "here"; });
  const auto answer =
      post({.server = server.address(), .owner = carols({kNoOwner, kNoOwner, kNoOwner, kCarol})});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().body, "here");
}

TEST_F(NetworkTest, AServerThatIsGoneBeforeItIsKnownIsNone) {
  Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0));
  std::thread server([&] { listener.acceptConnection().close(); });
  const auto answer = post(
      {.server = {false, "127.0.0.1", listener.address().port(), ""}, .owner = carols({kNoOwner})});
  server.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, errc::kHostUnavailable);
}

TEST_F(NetworkTest, TheSystemKnowsThatThisUsersServerIsThisUsers) {
  TestServer server([](HTTPServerRequest&, HTTPServerResponse& response) { response.send(); });
  const auto owner = std::make_shared<ServerOwner>(ServerOwner::Server::kJoined, std::nullopt);
  EXPECT_TRUE(post({.server = server.address(), .owner = owner}).ok());
  EXPECT_EQ(owner->remembered(), (SaidOwner{SaidOwner::Kind::kUser, ::geteuid()}));
}

}  // namespace
}  // namespace svc::serverlink
