// Clients that a server has to stand: those that read nothing, and those of other users.
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <map>

#include <Poco/URI.h>
#include <gmock/gmock.h>

#include "harness/server.h"
#include "unit/http/raw_client.h"

namespace svc::test {
namespace {

using svc::test::RawClient;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPluginSource = R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default (svc) => {
  svc.rpc.register({ get: { input: any, output: any } }, { get: () => "good" });
  svc.http.route("GET", "/stream", () => new Response(new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
  })));
  svc.http.route("GET", "/page", (c) => c.html("<p>"), { auth: "none" });
  svc.http.route("GET", "/own", (c) => c.html("<p>"));
};
)";

class OtherClientsTest : public ::testing::Test {
 protected:
  OtherClientsTest()
      : server("storage-memory,http,jsruntime,plugins,rpc,routes,installs,inspector",
               {"--plugins.heapMiB", "96"}),
        plugin("stream", kPluginSource) {
    EXPECT_EQ(server.install(plugin.path())["status"].asString(), "running");
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    return "GET /api/v1/plugins/stream/http" + path +
           " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n";
  }
  Server server;
  PluginDir plugin;
};

TEST_F(OtherClientsTest, SlowReadersOfAStreamDoNotEndThePlugin) {
  // Pieces of 1 MiB: a plugin of this size may have 192 of them in its memory.
  constexpr int kClients = 250;
  std::deque<RawClient> clients;
  for (int at = 0; at < kClients; ++at) {
    clients.emplace_back(server.port(), 4096).send(get("/stream"));
  }
  std::map<int, int> statuses;
  for (auto& client : clients) {
    ++statuses[client.read(RawClient::Body::kNone).status];
  }
  EXPECT_GT(statuses[200], 0);
  EXPECT_GT(statuses[503], 0);
  EXPECT_EQ(statuses[200] + statuses[503], kClients);
  EXPECT_EQ(server.rpc("stream", "get").body, R"({"ok":true,"result":"good"})");
  const auto record = server.record("stream");
  EXPECT_EQ(record["counters"]["terminations"].asInteger(), 0) << record.dump();
  // When they leave there is room again.
  clients.clear();
  EXPECT_TRUE(eventually([this] {
    RawClient next(server.port());
    next.send(get("/stream"));
    return next.read(RawClient::Body::kNone).status == 200;
  }));
}

TEST_F(OtherClientsTest, PagesThatOutsidersReachAreSandboxed) {
  const auto page = server.http().get("/api/v1/plugins/stream/http/page");
  EXPECT_EQ(page.headers.at("content-security-policy"), "sandbox allow-scripts allow-forms");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  const auto own = server.http().get("/api/v1/plugins/stream/http/own");
  EXPECT_FALSE(own.headers.contains("content-security-policy"));
  EXPECT_EQ(own.headers.at("cross-origin-resource-policy"), "same-origin");
}

TEST_F(OtherClientsTest, PagesOfOtherSitesReachOnlyWhatIsOpenToThem) {
  const auto from = [this](const std::string& path) {
    return server.http()
        .send({.target = path, .headers = {{"Sec-Fetch-Site", "cross-site"}}})
        .status;
  };
  EXPECT_EQ(from("/api/v1/plugins"), 403);
  EXPECT_EQ(from("/api/v1/plugins/stream/http/own"), 403);
  EXPECT_EQ(from("/api/v1/plugins/stream/http/page"), 200);
}

/// What a process of this user gets; 0 when it cannot be that user.
int statusFor(uid_t user, std::uint16_t port, const std::string& request) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0) {
      ::_exit(0);
    }
    RawClient client(port);
    client.send(request);
    ::_exit(client.read(RawClient::Body::kNone).status / 10);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status) * 10;
}

TEST_F(OtherClientsTest, OtherUsersOfTheMachineAreRefused) {
  constexpr uid_t kStranger = 65534;
  EXPECT_EQ(statusFor(::geteuid(), server.port(), get("/own")), 200);
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  EXPECT_EQ(statusFor(kStranger, server.port(), get("/own")), 400);
  EXPECT_EQ(statusFor(kStranger, server.port(), get("/page")), 200);
}

TEST_F(OtherClientsTest, AnInspectorTakesNobodyElseWhoKnowsItsAddress) {
  constexpr uid_t kStranger = 65534;
  const auto opened = server.http().post("/api/v1/plugins/stream/inspector", "");
  const auto json = Json::parse(opened.body);
  ASSERT_TRUE(json) << opened.body;
  const Poco::URI address(json.value()["url"].asString());
  const auto upgrade = "GET " + address.getPath() +
                       " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
                       "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  EXPECT_EQ(statusFor(::geteuid(), address.getPort(), upgrade), 100);
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  EXPECT_EQ(statusFor(kStranger, address.getPort(), upgrade), 0);
  // It goes on for its own user.
  EXPECT_EQ(statusFor(::geteuid(), address.getPort(), upgrade), 100);
}

TEST_F(OtherClientsTest, SvcPrintsALinkForTheBrowser) {
  const auto opened = server.cli({"open"});
  ASSERT_EQ(opened.exit_code, 0) << opened.err;
  ASSERT_THAT(opened.out, StartsWith(server.url() + "/api/v1/access/enter?code="));
  auto path = opened.out.substr(server.url().size());
  path.pop_back();
  const auto entered = server.http().get(path);
  EXPECT_EQ(entered.status, 303);
  EXPECT_THAT(entered.headers.at("set-cookie"), HasSubstr("HttpOnly; SameSite=Strict"));
  EXPECT_EQ(server.http().get(path).status, 403);
}

}  // namespace
}  // namespace svc::test
