// Every example does what its README says, on a real server.
#include <array>
#include <string>

#include <Poco/DigestEngine.h>
#include <Poco/HMACEngine.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/WebSocket.h>
#include <Poco/SHA2Engine.h>

#include "harness/server.h"

namespace svc::test {
namespace {

/// Poco's SHA2Engine has the block size of HMAC only as a template argument.
class Sha256 : public Poco::SHA2Engine {
 public:
  static constexpr std::size_t BLOCK_SIZE = 64;   // NOLINT(readability-identifier-naming)
  static constexpr std::size_t DIGEST_SIZE = 32;  // NOLINT(readability-identifier-naming)
  Sha256() : Poco::SHA2Engine(Poco::SHA2Engine::SHA_256) {}
};

std::string signature(const std::string& secret, const std::string& body) {
  Poco::HMACEngine<Sha256> engine(secret);
  engine.update(body);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

class ExamplesTest : public ServerTest {
 protected:
  common::Json installed(const std::string& name) {
    auto record = server.install(example(name));
    EXPECT_EQ(record["problems"].dump(), "[]");
    return record;
  }
  void running(const std::string& name) {
    const auto record = installed(name);
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  common::Json result(const std::string& plugin, const std::string& method,
                      const std::string& input = "null") {
    const auto answer = server.rpc(plugin, method, input);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json["result"];
  }
};

TEST_P(ExamplesTest, SurveyCountsAFolderForAgents) {
  running("survey");
  const auto folder = example("survey");
  const auto body = common::Json::object()
                        .set("folder", folder.string())
                        .set("endings", common::Json(common::Json::Array{".md"}));
  auto http = server.http();
  const auto answer = http.post("/api/v1/plugins/survey/tools/survey_folder", body.dump());
  EXPECT_FALSE(answer.json["isError"].asBool()) << answer.body;
  const auto taken =
      common::Json::parse(answer.json["content"].items().at(0)["text"].asString()).value();
  EXPECT_EQ(taken["files"].asInteger(), 2) << taken.dump();
  EXPECT_GT(taken["byEnding"][".md"]["lines"].asInteger(), 10);
  const auto listed = http.post("/api/v1/plugins/survey/tools/survey_list", "");
  EXPECT_NE(listed.body.find("takenAt"), std::string::npos) << listed.body;
  const auto alone = http.post("/api/v1/plugins/survey/tools/survey_forget", "");
  EXPECT_TRUE(alone.json["isError"].asBool()) << alone.body;
}

TEST_P(ExamplesTest, WebhookTakesOnlySignedDeliveriesOnce) {
  running("webhook");
  const std::string target = "/api/v1/plugins/webhook/http/deliveries";
  const std::string body = "{\"n\": 1}\r\n\xC3\xA9";
  const auto deliver = [&](const std::string& signed_with) {
    return server.http().send({.method = "POST",
                               .target = target,
                               .body = body,
                               .headers = {{"X-Signature", "sha256=" + signed_with},
                                           {"X-Delivery", "d1"},
                                           {"X-Event", "push"},
                                           {"Origin", "https://sender.example"},
                                           {"Content-Type", "text/plain"}}});
  };
  EXPECT_EQ(deliver(signature("topsecret", body)).status, 503);
  ASSERT_EQ(server.cli({"plugin", "config", "webhook", "set", "signingSecret", "-"}, "topsecret\n")
                .exit_code,
            0);
  EXPECT_EQ(deliver(signature("wrong", body)).status, 401);
  const auto first = deliver(signature("topsecret", body));
  EXPECT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(first.json["outcome"].asString(), "stored");
  EXPECT_EQ(first.json["bytes"].asInteger(), static_cast<std::int64_t>(body.size()));
  EXPECT_EQ(deliver(signature("topsecret", body)).json["outcome"].asString(), "repeated");
  EXPECT_EQ(result("webhook", "deliveries")["deliveries"].items().size(), 1U);
}

class EchoClient {
 public:
  EchoClient(std::uint16_t port, const std::string& target) : session_("127.0.0.1", port) {
    Poco::Net::HTTPRequest request("GET", target, "HTTP/1.1");
    Poco::Net::HTTPResponse response;
    socket_ = std::make_unique<Poco::Net::WebSocket>(session_, request, response);
    socket_->setReceiveTimeout(Poco::Timespan(kDeadline.count(), 0));
  }
  void send(const std::string& data, bool binary = false) {
    socket_->sendFrame(
        data.data(), static_cast<int>(data.size()),
        binary ? Poco::Net::WebSocket::FRAME_BINARY : Poco::Net::WebSocket::FRAME_TEXT);
  }
  /// Opcode and payload; a close frame's payload starts with its code.
  std::pair<int, std::string> receive() {
    std::array<char, 4096> buffer{};
    int flags = 0;
    const int size = socket_->receiveFrame(buffer.data(), static_cast<int>(buffer.size()), flags);
    return {flags & Poco::Net::WebSocket::FRAME_OP_BITMASK,
            std::string(buffer.data(), static_cast<std::size_t>(size))};
  }
  int closeCode() {
    const auto [opcode, payload] = receive();
    if (opcode != Poco::Net::WebSocket::FRAME_OP_CLOSE || payload.size() < 2) {
      return -1;
    }
    return static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]);
  }

 private:
  Poco::Net::HTTPClientSession session_;
  std::unique_ptr<Poco::Net::WebSocket> socket_;
};

TEST_P(ExamplesTest, EchoSocketEchoesTextAndBytesAndSaysWhyItCloses) {
  running("echo-socket");
  const std::string target = "/api/v1/plugins/echo-socket/http/echo";
  EchoClient client(server.port(), target + "?prefix=%3E%20");
  EXPECT_EQ(client.receive().second, "hello, 1 connected");
  client.send("tea");
  EXPECT_EQ(client.receive().second, "> tea");
  const std::string bytes("\x00\xFF\x01", 3);
  client.send(bytes, true);
  const auto echoed = client.receive();
  EXPECT_EQ(echoed.first, Poco::Net::WebSocket::FRAME_OP_BINARY);
  EXPECT_EQ(echoed.second, bytes);
  EXPECT_EQ(server.http().get(target).json["connected"].asInteger(), 1);
  client.send("bye");
  EXPECT_EQ(client.closeCode(), 4000);

  EchoClient other(server.port(), target);
  EXPECT_TRUE(other.receive().second.starts_with("hello"));
  EXPECT_EQ(server.reload("echo-socket").status, 200);
  EXPECT_EQ(other.closeCode(), 1012);
}

TEST_P(ExamplesTest, HeartbeatCountsItsRunsAndShowsTheFailingOne) {
  running("heartbeat");
  const auto run = [&](const std::string& name) {
    return server.http().post("/api/v1/plugins/heartbeat/schedules/" + name + "/run", "{}");
  };
  const auto beaten = run("beat");
  EXPECT_EQ(beaten.status, 200) << beaten.body;
  EXPECT_GE(result("heartbeat", "beats")["count"].asInteger(), 1);
  const auto failed = run("weekly-report");
  EXPECT_EQ(failed.code(), "handler_error") << failed.body;
  const auto record = server.record("heartbeat");
  EXPECT_EQ(record["status"].asString(), "running");
  const auto& report = record["schedules"].items().at(1);
  EXPECT_EQ(report["name"].asString(), "weekly-report");
  EXPECT_EQ(report["lastStatus"].asString(), "error");
  EXPECT_EQ(report["lastError"].asString(), "there is nobody to report to");
  EXPECT_NE(server.cli({"plugin", "list"}).out.find("there is nobody to report to"),
            std::string::npos);
}

TEST_P(ExamplesTest, PollerWaitsForItsAddressThenRetriesWithPauses) {
  EXPECT_EQ(installed("poller")["status"].asString(), "needs-configuration");
  ASSERT_EQ(
      server.cli({"plugin", "config", "poller", "set", "url", server.url() + "/healthz"}).exit_code,
      0);
  server.awaitRecord("poller", [](const common::Json& record) {
    return record["status"].asString() == "running";
  });
  auto socket = server.socket();
  ASSERT_EQ(server.reload("poller").status, 200);
  // The first signals may still be those of the load before.
  while (result("poller", "latest").isNull()) {
    ASSERT_TRUE(socket.awaitSignal("poller", "answered").has_value());
  }
  EXPECT_EQ(result("poller", "latest")["body"].asString(), "ok");

  ASSERT_EQ(server.cli({"plugin", "config", "poller", "set", "url", server.url() + "/api/v1/none"})
                .exit_code,
            0);
  EXPECT_EQ(server.reload("poller").status, 200);
  const auto record = server.awaitRecord("poller", [](const common::Json& now) {
    return !now["services"].items().empty() && now["services"].items()[0]["nextStartAt"].isNumber();
  });
  const auto& service = record["services"].items().at(0);
  EXPECT_EQ(service["state"].asString(), "backoff");
  EXPECT_NE(service["lastError"]["message"].asString().find("answered 404"), std::string::npos);
}

TEST_P(ExamplesTest, GreeterUsesEveryTypeOfSettingAndHidesItsSecret) {
  running("greeter");
  EXPECT_EQ(result("greeter", "greet", R"({"name":"Ada"})").dump(),
            R"({"text":"Hello, Ada!","signedWith":"nothing"})");
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"greeting", "Hi"}, {"shout", "true"}, {"repeat", "2"}, {"language", "de"}}) {
    const auto set = server.cli({"plugin", "config", "greeter", "set", key, value});
    EXPECT_EQ(set.exit_code, 0) << set.err;
  }
  ASSERT_EQ(
      server.cli({"plugin", "config", "greeter", "set", "apiKey", "-"}, "k-1234567\n").exit_code,
      0);
  EXPECT_EQ(result("greeter", "greet", R"({"name":"Ada"})").dump(),
            R"({"text":"HI, ADA! HI, ADA!","signedWith":"a key"})");
  EXPECT_EQ(result("greeter", "changes").items().size(), 5U);
  EXPECT_NE(server.cli({"plugin", "config", "greeter", "set", "repeat", "9"}).exit_code, 0);
  EXPECT_NE(server.cli({"plugin", "config", "greeter", "set", "language", "fr"}).exit_code, 0);
  const auto shown = server.http().get("/api/v1/plugins/greeter/settings");
  EXPECT_EQ(shown.body.find("k-1234567"), std::string::npos);
  EXPECT_EQ(shown.json["values"]["apiKey"].dump(), R"({"set":true})");
}

TEST_P(ExamplesTest, NotesKeepsARollbackAndItsDataAcrossReloads) {
  running("notes");
  EXPECT_EQ(result("notes", "add", R"({"title":"buy milk","body":"two litres"})")["id"].asInteger(),
            1);
  EXPECT_EQ(server.rpc("notes", "import_all", R"({"titles":["one"," "]})").code(), "handler_error");
  EXPECT_EQ(result("notes", "search", R"({"query":"one"})").dump(), "[]");
  EXPECT_EQ(server.reload("notes").status, 200);
  EXPECT_EQ(result("notes", "search", R"({"query":"litres \" OR"})").dump(), "[]");
  const auto found = result("notes", "search", R"({"query":"litres"})");
  ASSERT_EQ(found.items().size(), 1U) << found.dump();
  EXPECT_EQ(found.items()[0]["title"].asString(), "buy milk");
}

TEST_P(ExamplesTest, ExportStreamsItsRowsToWhoeverHasTheToken) {
  running("export");
  const std::string target = "/api/v1/plugins/export/http/rows.csv?rows=2500";
  EXPECT_EQ(server.http().get(target).status, 401);
  auto token = server.cli({"plugin", "token", "export"}).out;
  ASSERT_EQ(token.size(), 65U);
  token.pop_back();
  const auto rows =
      server.http().send({.target = target, .headers = {{"X-Svc-Plugin-Token", token}}});
  EXPECT_EQ(rows.status, 200) << rows.body;
  EXPECT_EQ(rows.content_type, "text/csv; charset=utf-8");
  EXPECT_TRUE(rows.body.starts_with("row,square\n0,0\n1,1\n"));
  EXPECT_TRUE(rows.body.ends_with("2499,6245001\n"));
}

TEST_P(ExamplesTest, StockHasTypedCommandsWithHelp) {
  running("stock");
  EXPECT_EQ(server.cli({"stock", "put", "bolts", "-n", "12"}).out, "bolts: 12\n");
  EXPECT_EQ(server.cli({"stock", "add", "nuts"}).out, "nuts: 1\n");
  EXPECT_EQ(server.cli({"stock", "list", "--at-most", "5"}).out, "nuts\t1\n");
  EXPECT_EQ(server.cli({"stock", "take", "nuts"}).out, "nuts: 0\n");
  const auto gone = server.cli({"stock", "take", "nuts"});
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_NE(gone.err.find("there is no nuts in stock"), std::string::npos) << gone.err;
  EXPECT_NE(gone.err.find("svc stock list"), std::string::npos);
  const auto wrong = server.cli({"stock", "put", "bolts", "--count", "many"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("--count"), std::string::npos) << wrong.err;
  EXPECT_EQ(server.cli({"stock", "put", "--help"}).exit_code, 0);
}

TEST_P(ExamplesTest, DigestCallsAnotherPluginAndIsKnownAsItself) {
  running("todo");
  running("digest");
  result("todo", "todos_add", R"({"title":"tea"})");
  EXPECT_EQ(result("digest", "summary").dump(), R"({"open":1,"done":0,"next":"tea"})");
  EXPECT_EQ(result("digest", "whoami").dump(), R"({"kind":"client","pluginId":null})");
  EXPECT_EQ(result("digest", "ask_myself").dump(), R"({"kind":"plugin","pluginId":"digest"})");
}

SVC_WITH_STORAGE_ON_DISK(ExamplesTest);

}  // namespace
}  // namespace svc::test
