// HTTP routes of plugins, through a real server and real sockets.
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include <Poco/SHA2Engine.h>

#include "harness/server.h"
#include "unit/http/raw_client.h"

namespace svc::test {
namespace {

using svc::test::RawClient;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMount = "/api/v1/plugins/http-routes/http";

Poco::DigestEngine::Digest sha256(const std::string& text) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(text);
  return engine.digest();
}

std::string hmacSha256(std::string key, const std::string& text) {
  key.resize(64, '\0');
  std::string inner;
  std::string outer;
  for (const char c : key) {
    inner.push_back(static_cast<char>(c ^ 0x36));
    outer.push_back(static_cast<char>(c ^ 0x5c));
  }
  const auto first = sha256(inner + text);
  return Poco::DigestEngine::digestToHex(sha256(outer + std::string(first.begin(), first.end())));
}

// What a sanitizer's own bookkeeping (freed blocks kept for a while, shadow memory) may add to the resident memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kSanitizerKib = 512L * 1024;
#else
constexpr long kSanitizerKib = 0;
#endif

class HttpRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("http_routes"))["status"].asString(), "running");
  }
  [[nodiscard]] Answer send(const std::string& method, const std::string& path,
                            std::map<std::string, std::string> headers = {},
                            std::string body = {}) const {
    return server.http().send({.method = method,
                               .target = kMount + path,
                               .body = std::move(body),
                               .headers = std::move(headers)});
  }
  [[nodiscard]] Answer get(const std::string& path,
                           std::map<std::string, std::string> headers = {}) const {
    return send("GET", path, std::move(headers));
  }
  [[nodiscard]] std::string head(const std::string& method, const std::string& path,
                                 const std::string& headers = "") const {
    return method + " " + kMount + path +
           " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n" + headers +
           "\r\n";
  }
  [[nodiscard]] std::filesystem::path tokenFile() const {
    return server.dataDir() / "plugins" / "http-routes" / "secrets" / ".http-token";
  }
  std::string token(const std::string& body = "") {
    const auto answer =
        body.empty()
            ? server.http().send({.method = "POST", .target = "/api/v1/plugins/http-routes/token"})
            : server.http().post("/api/v1/plugins/http-routes/token", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.cache_control, "no-store");
    return answer.json["token"].asString();
  }
  [[nodiscard]] long residentKib() const {
    std::ifstream file("/proc/" + std::to_string(server.pid()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmRSS:")) {
        return std::stol(line.substr(6));
      }
    }
    return 0;
  }

  Server server;
};

TEST_F(HttpRoutesTest, AWebhookVerifiesItsSignatureOverTheRawBody) {
  const std::string body = "{\"a\": \"\xff\xfe\x00 raw\"}";
  const auto signature = hmacSha256("secret", body);
  const auto headers = [](const std::string& value) {
    return std::map<std::string, std::string>{{"X-Signature", value},
                                              {"Host", "hooks.example.org"},
                                              {"Origin", "https://sender.example"},
                                              {"Content-Type", "application/octet-stream"}};
  };
  const auto good = send("POST", "/hook", headers(signature), body);
  EXPECT_EQ(good.status, 202) << good.body;
  EXPECT_EQ(good.json["bytes"].asInteger(), static_cast<std::int64_t>(body.size()));
  EXPECT_EQ(send("POST", "/hook", headers("0"), body).status, 401);
}

TEST_F(HttpRoutesTest, ALocalRouteChecksWhoCalls) {
  EXPECT_EQ(get("/local?a=1&b=%20").json["query"].dump(), R"({"a":"1","b":" "})");
  EXPECT_EQ(get("/local", {{"Origin", "https://evil.example"}}).code(), "forbidden_origin");
  EXPECT_EQ(get("/local", {{"Origin", "null"}}).code(), "forbidden_origin");
  EXPECT_EQ(get("/local", {{"Host", "evil.example"}}).code(), "forbidden_origin");
  const auto json = send("POST", "/local", {{"Content-Type", "application/json"}}, "[1]");
  EXPECT_EQ(json.json["got"].dump(), "[1]");
  const auto form = send("POST", "/local", {{"Content-Type", "text/plain"}}, "[1]");
  EXPECT_EQ(form.status, 415);
  EXPECT_EQ(form.code(), "unsupported_media_type");
}

TEST_F(HttpRoutesTest, APathIsComparedAsItIs) {
  EXPECT_EQ(get("/a%20b/:id/*").body, "literal");
  EXPECT_EQ(get("/a%20b/%3Aid/%2A?x=1").body, "literal") << "after one percent-decoding";
  EXPECT_EQ(get("/a%2520b/:id/*").code(), "unknown_route") << "decoded once only";
  EXPECT_EQ(get("/a%20b/7/x").code(), "unknown_route");
  EXPECT_EQ(get("/local/").code(), "unknown_route");
  EXPECT_EQ(get("/Local").code(), "unknown_route");
  EXPECT_EQ(get("/").body, "root");
}

TEST_F(HttpRoutesTest, AnotherMethodIsUnknownAndNamesThoseOfThePath) {
  RawClient client(server.port());
  client.send(head("DELETE", "/local"));
  auto answer = client.read();
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr(R"("code":"unknown_route")"));
  EXPECT_EQ(answer.headers["allow"], "GET, HEAD, POST");
}

TEST_F(HttpRoutesTest, HeadFallsBackToGetWithoutTheBody) {
  RawClient client(server.port());
  client.send(head("HEAD", "/local"));
  auto answer = client.read(RawClient::Body::kNone);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.headers["content-length"], "0");
  client.send(head("GET", "/"));
  EXPECT_EQ(client.read().body, "root") << "nothing of the HEAD's body came";
}

TEST_F(HttpRoutesTest, APluginThatDoesNotRunIsUnavailable) {
  ASSERT_EQ(server.http().post("/api/v1/plugins/http-routes/disable", "{}").status, 200);
  for (const std::string path : {"/local", "/token", "/nothing-there"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_EQ(answer.code(), "plugin_not_running");
    EXPECT_EQ(answer.json["error"]["details"]["status"].asString(), "disabled");
  }
  EXPECT_TRUE(get("/local", {{"Host", "evil.example"}}).json["error"]["details"]["status"].isNull())
      << "a stranger learns no details";
  EXPECT_EQ(server.http().get("/api/v1/plugins/nobody/http/x").code(), "unknown_plugin");
  EXPECT_EQ(token().size(), 64U) << "the token does not need a running plugin";
}

TEST_F(HttpRoutesTest, TheTokenOpensItsRoutesOnly) {
  EXPECT_EQ(get("/token").code(), "unauthorized");
  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", std::string(64, '0')}}).status, 401);
  EXPECT_FALSE(std::filesystem::exists(tokenFile())) << "a failed check creates nothing";
  const auto first = token();
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(token("{}"), first);
  struct stat facts {};
  ASSERT_EQ(::stat(tokenFile().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);

  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", first}}).body, "allowed");
  EXPECT_EQ(get("/token", {{"Authorization", "Bearer " + first}}).body, "allowed");
  EXPECT_EQ(get("/token?token=" + first).body, "allowed");
  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", first},
                           {"Host", "public.example"},
                           {"Origin", "https://anybody.example"}})
                .body,
            "allowed");
  EXPECT_EQ(
      get("/token", {{"X-Svc-Plugin-Token", "wrong"}, {"Authorization", "Bearer " + first}}).status,
      401)
      << "the first place that has one counts";
  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", first.substr(1)}}).status, 401);

  const auto second = token(R"({"rotate":true})");
  EXPECT_NE(second, first);
  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", first}}).status, 401);
  EXPECT_EQ(get("/token", {{"X-Svc-Plugin-Token", second}}).body, "allowed");
  EXPECT_EQ(server.cli({"plugin", "token", "http-routes"}).out, second + "\n");
  const auto rotated = server.cli({"plugin", "token", "http-routes", "--rotate"});
  EXPECT_EQ(rotated.exit_code, 0) << rotated.err;
  EXPECT_NE(rotated.out, second + "\n");
  EXPECT_EQ(server.cli({"plugin", "token", "nobody"}).exit_code, 3);
  EXPECT_EQ(server.http().post("/api/v1/plugins/http-routes/token", R"({"rotate":1})").code(),
            "invalid_input");
}

TEST_F(HttpRoutesTest, FailuresOfTheHandlerAreHandlerErrors) {
  const auto thrown = get("/throws");
  EXPECT_EQ(thrown.status, 500);
  EXPECT_EQ(thrown.code(), "handler_error");
  EXPECT_EQ(thrown.message(), "failed as asked");
  EXPECT_EQ(thrown.json["error"]["details"]["pluginId"].asString(), "http-routes");
  const auto nothing = get("/nothing");
  EXPECT_EQ(nothing.code(), "handler_error");
  EXPECT_THAT(nothing.message(), HasSubstr("must return a Response"));
  const auto record = server.record("http-routes");
  EXPECT_EQ(record["lastError"]["source"].asString(), "http:GET /nothing");
}

TEST_F(HttpRoutesTest, HeadersThatFrameTheMessageAreTheServers) {
  RawClient client(server.port());
  client.send(head("GET", "/headers") + head("GET", "/inject"));
  const auto head_end = std::string("\r\n\r\n");
  auto answer = client.read();
  EXPECT_EQ(answer.body, "x");
  EXPECT_EQ(answer.headers["content-length"], "1");
  EXPECT_FALSE(answer.headers.contains("transfer-encoding"));
  EXPECT_FALSE(answer.headers.contains("connection"));
  EXPECT_NE(answer.headers["x-request-id"], "forged");
  EXPECT_EQ(answer.headers["x-own"], "1");
  answer = client.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.headers.contains("x-evil"));
  EXPECT_FALSE(answer.headers.contains("x-bad"));
  const auto raw = exchangeRaw(server.port(), head("GET", "/headers"));
  EXPECT_THAT(raw, HasSubstr("set-cookie: a=1\r\n"));
  EXPECT_THAT(raw, HasSubstr("set-cookie: b=2\r\n"));
  const auto cookies = exchangeRaw(server.port(), head("GET", "/cookies"));
  EXPECT_THAT(cookies, HasSubstr("set-cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\n"));
  EXPECT_THAT(cookies, HasSubstr("set-cookie: b=2\r\n"));
}

TEST_F(HttpRoutesTest, ADownloadIsStreamedWithFlatMemory) {
  constexpr std::size_t kMib = 1024 * 1024;
  constexpr std::size_t kSize = 200 * kMib;
  RawClient client(server.port());
  client.send(head("GET", "/download?mib=8"));
  EXPECT_EQ(client.read().body.size(), 8 * kMib);
  const auto before = residentKib();
  client.send(head("GET", "/download?mib=200"));
  EXPECT_EQ(client.read(RawClient::Body::kNone).status, 200);
  std::size_t received = 0;
  long most = 0;
  while (received < kSize) {
    const auto got = client.take(kMib).size();
    ASSERT_GT(got, 0U);
    received += got;
    most = std::max(most, residentKib());
  }
  EXPECT_LT(most - before, 100 * 1024 + kSanitizerKib)
      << "KiB more than before a download of 200 MiB";
}

TEST_F(HttpRoutesTest, ASlowReaderSlowsThePluginDown) {
  RawClient client(server.port(), 4096);
  client.send(head("GET", "/download?mib=64"));
  EXPECT_EQ(client.read(RawClient::Body::kNone).status, 200);
  std::string last;
  // What is produced stops growing although nobody reads.
  EXPECT_TRUE(eventually([&] {
    const auto now = get("/produced").body;
    return std::exchange(last, now) == now && now != "0";
  }));
  EXPECT_LT(std::stoul(last), 32UL * 1024 * 1024);
}

TEST_F(HttpRoutesTest, AClientThatLeavesCancelsTheStreamAndAbortsTheSignal) {
  auto socket = server.socket();
  {
    RawClient client(server.port());
    client.send(head("GET", "/download?mib=1000"));
    EXPECT_EQ(client.take(100'000).size(), 100'000U);
  }
  EXPECT_TRUE(socket.awaitSignal("http-routes", "state", R"("cancelled")"));
  {
    RawClient client(server.port());
    client.send(head("GET", "/waits"));
    EXPECT_TRUE(socket.awaitSignal("http-routes", "state", R"("waiting")"));
  }
  EXPECT_TRUE(socket.awaitSignal("http-routes", "state", R"("aborted")"));
}

TEST_F(HttpRoutesTest, AStreamThatFailsCutsTheConnection) {
  RawClient client(server.port());
  client.send(head("GET", "/breaks"));
  const auto answer = client.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "piece piece piece <cut>");
  EXPECT_TRUE(eventually([&] {
    return server.record("http-routes")["lastError"]["message"].asString() == "broke off";
  }));
}

TEST_F(HttpRoutesTest, AnUploadIsStreamed) {
  constexpr std::size_t kPiece = 1024 * 1024;
  constexpr std::size_t kPieces = 64;
  Poco::SHA2Engine digest(Poco::SHA2Engine::SHA_256);
  const auto before = residentKib();
  RawClient client(server.port());
  client.send(head("PUT", "/digest", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(client.read().status, 100);
  for (std::size_t i = 0; i < kPieces; ++i) {
    const std::string piece(kPiece, static_cast<char>('a' + i % 26));
    digest.update(piece);
    client.send("100000\r\n" + piece + "\r\n");
  }
  const auto during = residentKib();
  client.send("0\r\n\r\n");
  const auto answer = client.read();
  EXPECT_THAT(answer.body, HasSubstr(std::to_string(kPieces * kPiece)));
  EXPECT_THAT(answer.body, HasSubstr(Poco::DigestEngine::digestToHex(digest.digest())));
  EXPECT_LT(during - before, 60 * 1024 + kSanitizerKib);
}

TEST(HttpRoutesLimitTest, ABodyAboveTheConfiguredLimitIsTooLarge) {
  Server server(kDefaultModules, {"--plugins.httpBodyMax=1000"});
  ASSERT_EQ(server.install(fixture("http_routes"))["status"].asString(), "running");
  const auto host = "\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  for (const std::string path : {"/digest", "/swallows"}) {
    const auto start = std::string("PUT ") + kMount + path + " HTTP/1.1" + host;
    RawClient known(server.port());
    known.send(start + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'));
    EXPECT_EQ(known.read().status, 413);
    RawClient chunked(server.port());
    chunked.send(start + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + std::string(1000, 'x') +
                 "\r\n1\r\nx\r\n0\r\n\r\n");
    const auto answer = chunked.read();
    EXPECT_EQ(answer.status, 413) << "whatever the handler does about it";
    EXPECT_THAT(answer.body, HasSubstr(R"("code":"too_large")"));
    EXPECT_THAT(answer.body, HasSubstr("1000 bytes"));
  }
}

TEST_F(HttpRoutesTest, HugeHeadersAndFoldedOnesAreRefused) {
  const auto answer =
      exchangeRaw(server.port(), head("GET", "/local", "X: " + std::string(70'000, 'x') + "\r\n"));
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 413"));
  EXPECT_THAT(exchangeRaw(server.port(), head("GET", "/local", "X: a\r\n b\r\n")),
              HasSubstr("HTTP/1.1 400"));
  EXPECT_THAT(exchangeRaw(server.port(), head("GET", "/%zz")), HasSubstr("HTTP/1.1 400"));
}

TEST_F(HttpRoutesTest, TheTokenNeverShowsInLogs) {
  const auto value = token();
  EXPECT_EQ(get("/token?token=" + value).body, "allowed");
  EXPECT_EQ(get("/throws?token=" + value).status, 500);
  const auto ended = server.stop();
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(value)));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.dataDir())) {
    if (entry.is_regular_file() && entry.path() != tokenFile()) {
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_THAT(text, Not(HasSubstr(value))) << entry.path();
    }
  }
}

}  // namespace
}  // namespace svc::test
