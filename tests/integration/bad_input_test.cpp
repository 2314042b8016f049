// What comes from outside is refused with the right code, an envelope and a request id, and has no effect.
#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
constexpr auto kAdd = "/api/v1/plugins/todo/rpc/todos_add";
constexpr auto kJson = "application/json";

class BadInputTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(example("todo"))["status"].asString(), "running");
  }
  void TearDown() override {
    EXPECT_EQ(server.rpc("todo", "todos_list").body, R"({"ok":true,"result":{"todos":[]}})");
  }

  Answer add(const std::string& body, std::map<std::string, std::string> headers) {
    return server.http().send(
        {.method = "POST", .target = kAdd, .body = body, .headers = std::move(headers)});
  }
  static void expectFailure(const Answer& answer, int status, const std::string& code) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.code(), code);
    EXPECT_FALSE(answer.json["ok"].asBool(true));
    EXPECT_FALSE(answer.message().empty());
    EXPECT_FALSE(answer.request_id.empty());
    EXPECT_EQ(answer.content_type, "application/json; charset=utf-8");
  }
};

TEST_P(BadInputTest, UnknownNames) {
  expectFailure(server.rpc("todo", "no_such"), 404, "unknown_method");
  expectFailure(server.rpc("nobody", "todos_list"), 404, "unknown_plugin");
  expectFailure(server.http().get("/api/v1/no/such/route"), 404, "unknown_route");
  expectFailure(server.http().post("/api/v1/plugins/nobody/cli", R"({"argv":[]})"), 404,
                "unknown_plugin");
}

TEST_P(BadInputTest, InputThatDoesNotMatchTheSchema) {
  const auto answer = server.rpc("todo", "todos_add", R"({"title":"   "})");
  expectFailure(answer, 400, "invalid_input");
  const auto& issues = answer.json["error"]["issues"].items();
  ASSERT_EQ(issues.size(), 1U) << answer.body;
  EXPECT_EQ(issues[0]["path"].dump(), R"(["title"])");
  EXPECT_EQ(issues[0]["message"].asString(), "A todo needs a title.");
}

TEST_P(BadInputTest, BrokenJson) {
  expectFailure(server.rpc("todo", "todos_add", R"({"title":)"), 400, "invalid_json");
  expectFailure(server.rpc("todo", "todos_add", "{'title':1}"), 400, "invalid_json");
}

TEST_P(BadInputTest, ABodyOverTheLimit) {
  // Only the head is sent: the server refuses on the announced size and need not read nine megabytes.
  const auto text = exchangeRaw(
      server.port(), "POST " + std::string(kAdd) + " HTTP/1.1\r\nHost: 127.0.0.1:" +
                         std::to_string(server.port()) + "\r\nContent-Type: application/json\r\n" +
                         "Content-Length: 9437184\r\n\r\n");
  EXPECT_THAT(text, ::testing::StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(text, HasSubstr(R"("code":"too_large")"));
  EXPECT_THAT(text, HasSubstr("8388608"));
  EXPECT_THAT(text, HasSubstr("9437184"));
}

TEST_P(BadInputTest, ABodyJustBelowTheLimitIsRead) {
  const std::string body = R"({"title":")" + std::string(7 * 1024 * 1024, 'x') + R"("})";
  expectFailure(server.rpc("todo", "todos_add", body), 400, "invalid_input");
}

TEST_P(BadInputTest, AForeignOriginOrHost) {
  const std::string body = R"({"title":"x"})";
  for (const std::string origin :
       {"http://evil.example", "null", "http://127.0.0.1:1", "garbage"}) {
    expectFailure(add(body, {{"Content-Type", kJson}, {"Origin", origin}}), 403,
                  "forbidden_origin");
  }
  expectFailure(add(body, {{"Content-Type", kJson}, {"Host", "evil.example"}}), 403,
                "forbidden_origin");
  expectFailure(
      server.http().send({.target = "/api/v1/plugins", .headers = {{"Host", "evil.example"}}}), 403,
      "forbidden_origin");
}

TEST_P(BadInputTest, TheServersOwnOriginIsAllowed) {
  const auto answer =
      server.http().send({.target = "/api/v1/plugins", .headers = {{"Origin", server.url()}}});
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST_P(BadInputTest, AWrongContentType) {
  expectFailure(add(R"({"title":"x"})", {{"Content-Type", "text/plain"}}), 415,
                "unsupported_media_type");
  expectFailure(add(R"({"title":"x"})", {}), 415, "unsupported_media_type");
}

TEST_P(BadInputTest, AnUpgradeFromAForeignOrigin) {
  const auto text = exchangeRaw(
      server.port(),
      "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
          "\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(text, ::testing::StartsWith("HTTP/1.1 403"));
}

TEST_P(BadInputTest, MessagesTheSocketDoesNotKnow) {
  auto bad = server.socket();
  bad.send("not json");
  EXPECT_EQ(bad.awaitClose(), 1008);
  auto large = server.socket();
  large.send(std::string(70'000, 'x'));
  EXPECT_EQ(large.awaitClose(), 1009);
}

TEST_P(BadInputTest, KeepsAValidRequestId) {
  const auto answer =
      server.http().send({.target = "/api/v1/plugins", .headers = {{"x-request-id", "abc-123"}}});
  EXPECT_EQ(answer.request_id, "abc-123");
}

TEST_P(BadInputTest, ACommandBodyOfTheWrongShape) {
  expectFailure(server.http().post("/api/v1/plugins/todo/cli", R"({"argv":"add x"})"), 400,
                "invalid_input");
  expectFailure(server.http().post("/api/v1/plugins/install", R"({"source":""})"), 400,
                "invalid_input");
}

SVC_WITH_STORAGE_ON_DISK(BadInputTest);

}  // namespace
}  // namespace svc::test
