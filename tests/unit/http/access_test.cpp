// Whose connection it is: the user of the other end, and what shows the right where the system does not say.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <boost/asio/io_context.hpp>

#include "access_proof.h"
#include "access_routes.h"
#include "server_fixture.h"
#include "socket_owners.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using OwnerKind = http::SocketOwner::Kind;

constexpr uid_t kStranger = 65534;

http::SocketOwner user(uid_t uid) { return {OwnerKind::kUser, uid}; }

class FakeOwners final : public http::ISocketOwners {
 public:
  http::SocketOwner ownerOf(const Endpoint&, const Endpoint&) override {
    ++asked;
    return owner;
  }
  http::SocketOwner owner;
  int asked = 0;
};

class AccessTest : public ServerFixture {
 protected:
  explicit AccessTest(http::SocketOwner owner,
                      http::GuardSettings guard = {.listen_host = "127.0.0.1"})
      : AccessTest(std::make_shared<FakeOwners>(), std::move(guard)) {
    owners->owner = owner;
    routeEcho();
    route(
        "GET", "/open", [](const ExchangePtr& exchange) { exchange->respond({.body = "open"}); },
        http::Guard::kNone);
    SVC_ASSERT(routes.attach(server_).ok());
  }

  RawResponse echo(std::string_view headers = "") {
    return ask(post("/api/v1/echo", "1", headers));
  }

  std::shared_ptr<FakeOwners> owners;
  std::shared_ptr<http::AccessProof> proof;
  http::AccessRoutes routes{proof, clock_, [] { return std::string("http://svc.test/"); }};

 private:
  using ExchangePtr = http::ExchangePtr;
  AccessTest(std::shared_ptr<FakeOwners> fake, http::GuardSettings guard)
      : AccessTest(fake, std::make_shared<http::AccessProof>("token", "5e77e700cookie"),
                   std::move(guard)) {}
  AccessTest(std::shared_ptr<FakeOwners> fake, std::shared_ptr<http::AccessProof> made,
             http::GuardSettings guard)
      : ServerFixture({.owners = fake, .proof = made, .tick = 1ms}, std::move(guard)),
        owners(std::move(fake)),
        proof(std::move(made)) {}
};

class OwnUserTest : public AccessTest {
 protected:
  OwnUserTest() : AccessTest(user(::geteuid())) {}
};
class ForeignUserTest : public AccessTest {
 protected:
  ForeignUserTest() : AccessTest(user(kStranger)) {}
};
class UnknownUserTest : public AccessTest {
 protected:
  UnknownUserTest() : AccessTest(http::SocketOwner{}) {}
};
class GoneUserTest : public AccessTest {
 protected:
  GoneUserTest() : AccessTest(http::SocketOwner{.kind = OwnerKind::kNobody}) {}
};
class NamedUserTest : public AccessTest {
 protected:
  NamedUserTest()
      : AccessTest(user(kStranger),
                   {.listen_host = "127.0.0.1", .local_users = {"daemon", "65534"}}) {}
};
class AnyUserTest : public AccessTest {
 protected:
  AnyUserTest()
      : AccessTest(http::SocketOwner{}, {.listen_host = "127.0.0.1", .local_users = {"any"}}) {}
};
class LocalProxyTest : public AccessTest {
 protected:
  LocalProxyTest()
      : AccessTest(user(kStranger),
                   {.listen_host = "127.0.0.1", .trusted_proxies = {"127.0.0.1"}}) {}
};

TEST_F(OwnUserTest, IsAskedOnceForEachConnection) {
  RawClient client(server_.port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/api/v1/echo", "1"));
    EXPECT_EQ(client.read().status, 200);
  }
  EXPECT_EQ(owners->asked, 1);
}

TEST_F(ForeignUserTest, IsRefusedWithTheRemedy) {
  const auto refused = echo();
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("\"forbidden_user\""));
  EXPECT_THAT(refused.body, HasSubstr("uid 65534"));
  EXPECT_THAT(refused.body, HasSubstr("listen.localUsers"));
  EXPECT_THAT(refused.body, HasSubstr("listen.trustedProxies"));
}

TEST_F(ForeignUserTest, GetsNoWindowAndNoProofHelps) {
  const auto page = ask(get("/"));
  EXPECT_EQ(page.status, 403);
  EXPECT_THAT(page.headers.at("content-type"), StartsWith("text/plain"));
  EXPECT_EQ(echo("x-svc-access-token: token\r\n").status, 403);
  EXPECT_EQ(echo("Cookie: svc_access_5e77e700=cookie\r\n").status, 403);
}

TEST_F(ForeignUserTest, MayCallWhatNeedsNoUser) { EXPECT_EQ(ask(get("/open")).body, "open"); }

TEST_F(ForeignUserTest, FollowsTheConfiguration) {
  RawClient client(server_.port());
  client.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(client.read().status, 403);
  auto next = policy({.listen_host = "127.0.0.1", .local_users = {"65534"}});
  server_.setGuard(std::move(next));
  client.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(NamedUserTest, MayCall) { EXPECT_EQ(echo().status, 200); }
TEST_F(AnyUserTest, MayCall) { EXPECT_EQ(echo().status, 200); }
TEST_F(LocalProxyTest, IsNotAsked) { EXPECT_EQ(echo().status, 200); }

TEST_F(UnknownUserTest, NeedsTheTokenOrTheCookie) {
  const auto refused = echo();
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("svc open"));
  EXPECT_EQ(echo("x-svc-access-token: wrong\r\n").status, 403);
  EXPECT_EQ(echo("Cookie: svc_access_5e77e700=wrong\r\n").status, 403);
  EXPECT_EQ(echo("Cookie: a=b; xsvc_access_5e77e700=cookie\r\n").status, 403);
  EXPECT_EQ(echo("X-Svc-Access-Token: token\r\n").status, 200);
  EXPECT_EQ(echo("Cookie: a=b; svc_access_5e77e700=cookie\r\n").status, 200);
  EXPECT_EQ(echo("Cookie: svc_access_5e77e700=x; svc_access_5e77e700=cookie\r\n").status, 200);
}

TEST_F(GoneUserTest, NoProofHelps) {
  const auto refused = echo("x-svc-access-token: token\r\nCookie: svc_access_5e77e700=cookie\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("\"forbidden_user\""));
  EXPECT_THAT(refused.body, HasSubstr("keeps it open"));
  EXPECT_EQ(ask(get("/open")).body, "open");
}

TEST_F(UnknownUserTest, ALinkBringsTheCookieOnce) {
  const auto link = ask(post("/api/v1/access/links", "{}", "x-svc-access-token: token\r\n"));
  ASSERT_EQ(link.status, 200);
  const std::string start = R"({"ok":true,"url":"http://svc.test)";
  ASSERT_THAT(link.body, StartsWith(start));
  const auto path = link.body.substr(start.size(), link.body.size() - start.size() - 2);
  const auto entered = ask(get(path));
  EXPECT_EQ(entered.status, 303);
  EXPECT_EQ(entered.headers.at("location"), "/");
  EXPECT_EQ(entered.headers.at("set-cookie"),
            "svc_access_5e77e700=cookie; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
  EXPECT_EQ(ask(get(path)).status, 403);
  EXPECT_EQ(ask(post("/api/v1/access/links", "{}")).status, 403);
}

TEST(AccessProofTest, LinksEndWithTimeAndTheOldestWhenThereAreTooMany) {
  http::AccessProof proof("token", "5e77e700cookie");
  const http::AccessProof::TimePoint start{};
  const auto first = proof.newLink(start);
  EXPECT_FALSE(proof.redeem(first, start + http::AccessProof::kLinkLife));
  const auto oldest = proof.newLink(start);
  std::string newest;
  for (std::size_t i = 0; i < http::AccessProof::kLinks; ++i) {
    newest = proof.newLink(start);
  }
  EXPECT_FALSE(proof.redeem(oldest, start));
  EXPECT_TRUE(proof.redeem(newest, start));
  EXPECT_FALSE(proof.redeem("", start));
}

class AccessFileTest : public ::testing::Test {
 protected:
  AccessFileTest() { directory = ::mkdtemp(pattern.data()); }
  ~AccessFileTest() override { std::filesystem::remove_all(directory); }
  [[nodiscard]] std::shared_ptr<http::AccessProof> open() const {
    auto proof = http::AccessProof::open(directory);
    SVC_ASSERT(proof.ok());
    return std::move(proof).value();
  }

  std::string pattern = ::testing::TempDir() + "svc-access-XXXXXX";
  std::filesystem::path directory;
};

TEST_F(AccessFileTest, TheCookieStaysInAPrivateFile) {
  const auto first = open();
  struct stat facts {};
  ASSERT_EQ(::stat((directory / "access-cookie").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(open()->setCookie(), first->setCookie());
  EXPECT_EQ(open()->setCookie(/*secure=*/true), first->setCookie() + "; Secure");
  std::filesystem::resize_file(directory / "access-cookie", 20);
  EXPECT_NE(open()->setCookie(), first->setCookie());
}

TEST_F(AccessFileTest, AFileThatCountsNoLongerIsRemoved) {
  std::ofstream(directory / "access-token") << "stale\n";
  static_cast<void>(open());
  EXPECT_FALSE(std::filesystem::exists(directory / "access-token"));
  EXPECT_TRUE(std::filesystem::exists(directory / "access-cookie"));
}

TEST_F(AccessFileTest, TheTokenIsOfOneRun) { EXPECT_NE(open()->token(), open()->token()); }

TEST_F(AccessFileTest, TwoServersOfOneHostNameHaveTheirOwnCookies) {
  const auto name = [](const std::string& cookie) { return cookie.substr(0, cookie.find('=')); };
  const auto first = name(open()->setCookie());
  std::filesystem::remove(directory / "access-cookie");
  const auto second = name(open()->setCookie());
  EXPECT_THAT(first, StartsWith("svc_access_"));
  EXPECT_NE(first, second);
}

/// What the system itself says: a real server whose clients may be of another user.
class SocketOwnersTest : public ServerFixture {
 protected:
  SocketOwnersTest()
      : ServerFixture({.owners = http::makeSocketOwners(),
                       .proof = std::make_shared<http::AccessProof>("token", "5e77e700cookie"),
                       .tick = 1ms}) {
    routeEcho();
  }

  /// The status that a process of this user gets; 0 when it cannot be that user.
  int statusFor(uid_t user) {
    const auto request = post("/api/v1/echo", "1");
    const auto port = server_.port();
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setresuid(user, user, user) != 0) {
        ::_exit(0);
      }
      RawClient client(port);
      client.send(request);
      ::_exit(client.read().status / 100);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
};

TEST_F(SocketOwnersTest, TheOwnUserMayCall) {
  EXPECT_EQ(ask(post("/api/v1/echo", "1")).status, 200);
  EXPECT_EQ(statusFor(::geteuid()), 2);
}

TEST_F(SocketOwnersTest, AnotherUserMayNot) {
  EXPECT_EQ(ask(post("/api/v1/echo", "1")).status, 200);
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  EXPECT_EQ(statusFor(kStranger), 4);
}

/// A request with the right proof whose sender leaves before the server has accepted the connection.
class LeavingClientTest : public SocketOwnersTest {
 protected:
  /// How often the route was called when `leave` was done with the client's socket.
  int callsAfter(const std::function<void(int socket)>& leave) {
    auto calls = std::make_shared<std::atomic<int>>(0);
    route("POST", "/api/v1/counted", [calls](const ExchangePtr& exchange) {
      exchange->respond({.body = std::to_string(++*calls)});
    });
    std::promise<void> left;
    reactor_.post([gone = left.get_future().share()] { gone.wait(); });
    const int client = connectTo(server_.port());
    const auto request = post("/api/v1/counted", "1", "x-svc-access-token: token\r\n");
    EXPECT_EQ(::send(client, request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    leave(client);
    left.set_value();
    // It waited behind the other.
    EXPECT_EQ(ask(post("/api/v1/counted", "1")).status, 200);
    return calls->load() - 1;
  }

  static int connectTo(std::uint16_t port) {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SVC_ASSERT(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    return client;
  }

  using ExchangePtr = http::ExchangePtr;
};

TEST_F(LeavingClientTest, OneThatClosesIsNotServed) {
  EXPECT_EQ(callsAfter([](int client) { ::close(client); }), 0);
}

TEST_F(LeavingClientTest, OneThatResetsIsNotServed) {
  EXPECT_EQ(callsAfter([](int client) {
              const linger at_once{.l_onoff = 1, .l_linger = 0};
              ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
              ::close(client);
            }),
            0);
}

TEST_F(LeavingClientTest, OneThatOnlyEndsWhatItSendsIsServed) {
  int kept = -1;
  EXPECT_EQ(callsAfter([&kept](int client) {
              ::shutdown(client, SHUT_WR);
              kept = client;
            }),
            1);
  ::close(kept);
}

using boost::asio::ip::make_address;

TEST(SocketOwnersDirectTest, ASocketThatIsNotThereHasNoOwner) {
  const auto owners = http::makeSocketOwners();
  for (const auto* address : {"127.0.0.1", "::1"}) {
    EXPECT_EQ(owners->ownerOf({make_address(address), 1}, {make_address(address), 1}).kind,
              OwnerKind::kUnknown);
  }
}

TEST(SocketOwnersDirectTest, AListenerOnTheAddressOfAPeerIsNotThePeer) {
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor listener(context, {make_address("127.0.0.1"), 0});
  EXPECT_EQ(http::makeSocketOwners()
                ->ownerOf(listener.local_endpoint(), {make_address("127.0.0.1"), 1})
                .kind,
            OwnerKind::kUnknown);
}

}  // namespace
}  // namespace svc::test
