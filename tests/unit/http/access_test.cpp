// Whose connection it is: the user of the other end, and what shows the right where the system does not say.
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "access_proof.h"
#include "access_routes.h"
#include "server_fixture.h"
#include "socket_owners.h"

namespace svc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uid_t kStranger = 65534;

class FakeOwners final : public http::ISocketOwners {
 public:
  std::optional<uid_t> ownerOf(const Endpoint&, const Endpoint&) override {
    ++asked;
    return owner;
  }
  std::optional<uid_t> owner;
  int asked = 0;
};

class AccessTest : public ServerFixture {
 protected:
  explicit AccessTest(std::optional<uid_t> owner,
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
      : AccessTest(fake, std::make_shared<http::AccessProof>("token", "cookie"), std::move(guard)) {
  }
  AccessTest(std::shared_ptr<FakeOwners> fake, std::shared_ptr<http::AccessProof> made,
             http::GuardSettings guard)
      : ServerFixture({.owners = fake, .proof = made, .tick = 1ms}, std::move(guard)),
        owners(std::move(fake)),
        proof(std::move(made)) {}
};

class OwnUserTest : public AccessTest {
 protected:
  OwnUserTest() : AccessTest(::geteuid()) {}
};
class ForeignUserTest : public AccessTest {
 protected:
  ForeignUserTest() : AccessTest(kStranger) {}
};
class UnknownUserTest : public AccessTest {
 protected:
  UnknownUserTest() : AccessTest(std::nullopt) {}
};
class NamedUserTest : public AccessTest {
 protected:
  NamedUserTest()
      : AccessTest(kStranger, {.listen_host = "127.0.0.1", .local_users = {"daemon", "65534"}}) {}
};
class AnyUserTest : public AccessTest {
 protected:
  AnyUserTest() : AccessTest(std::nullopt, {.listen_host = "127.0.0.1", .local_users = {"any"}}) {}
};
class LocalProxyTest : public AccessTest {
 protected:
  LocalProxyTest()
      : AccessTest(kStranger, {.listen_host = "127.0.0.1", .trusted_proxies = {"127.0.0.1"}}) {}
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
  EXPECT_EQ(echo("Cookie: svc_access=cookie\r\n").status, 403);
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
  EXPECT_EQ(echo("Cookie: svc_access=wrong\r\n").status, 403);
  EXPECT_EQ(echo("Cookie: a=b; xsvc_access=cookie\r\n").status, 403);
  EXPECT_EQ(echo("X-Svc-Access-Token: token\r\n").status, 200);
  EXPECT_EQ(echo("Cookie: a=b; svc_access=cookie\r\n").status, 200);
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
            "svc_access=cookie; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
  EXPECT_EQ(ask(get(path)).status, 403);
  EXPECT_EQ(ask(post("/api/v1/access/links", "{}")).status, 403);
}

TEST(AccessProofTest, LinksEndWithTimeAndTheOldestWhenThereAreTooMany) {
  http::AccessProof proof("token", "cookie");
  const http::AccessProof::TimePoint start{};
  const auto first = proof.newLink(start).value();
  EXPECT_FALSE(proof.redeem(first, start + http::AccessProof::kLinkLife));
  const auto oldest = proof.newLink(start).value();
  std::string newest;
  for (std::size_t i = 0; i < http::AccessProof::kLinks; ++i) {
    newest = proof.newLink(start).value();
  }
  EXPECT_FALSE(proof.redeem(oldest, start));
  EXPECT_TRUE(proof.redeem(newest, start));
  EXPECT_FALSE(proof.redeem("", start));
}

TEST(AccessProofTest, TheFileIsPrivateAndStays) {
  std::string pattern = ::testing::TempDir() + "svc-access-XXXXXX";
  const std::filesystem::path directory = ::mkdtemp(pattern.data());
  const auto first = http::AccessProof::open(directory);
  ASSERT_TRUE(first.ok());
  struct stat facts {};
  ASSERT_EQ(::stat((directory / "access-token").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  const auto again = http::AccessProof::open(directory);
  EXPECT_EQ(again.value()->token(), first.value()->token());
  EXPECT_EQ(again.value()->setCookie(), first.value()->setCookie());
  EXPECT_EQ(first.value()->setCookie().find(first.value()->token()), std::string::npos);
  std::filesystem::resize_file(directory / "access-token", 20);
  EXPECT_NE(http::AccessProof::open(directory).value()->token(), first.value()->token());
  std::filesystem::remove_all(directory);
}

/// What the system itself says: a real server whose clients may be of another user.
class SocketOwnersTest : public ServerFixture {
 protected:
  SocketOwnersTest()
      : ServerFixture({.owners = http::makeSocketOwners(),
                       .proof = std::make_shared<http::AccessProof>("token", "cookie"),
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
  if (::geteuid() == 0) {
    EXPECT_EQ(statusFor(kStranger), 4);
  }
  EXPECT_EQ(ask(post("/api/v1/echo", "1")).status, 200);
}

TEST(SocketOwnersDirectTest, ASocketThatIsNotThereHasNoOwner) {
  using boost::asio::ip::make_address;
  const auto owners = http::makeSocketOwners();
  EXPECT_EQ(owners->ownerOf({make_address("127.0.0.1"), 1}, {make_address("127.0.0.1"), 1}),
            std::nullopt);
  EXPECT_EQ(owners->ownerOf({make_address("::1"), 1}, {make_address("::1"), 1}), std::nullopt);
}

}  // namespace
}  // namespace svc::testing
