// Terminals of machines, through a real svcd and a real svc-hostd.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "svc/hostprotocol/base64.h"

#include "harness/hosts.h"
#include "harness/relay.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

/// One terminal as a client sees it.
class Terminal {
 public:
  Terminal(const Server& server, std::string id) : server_(&server), id_(std::move(id)) {}

  [[nodiscard]] Answer post(const std::string& action, const Json& body) const {
    return server_->http().post(path() + "/" + action, body.dump());
  }
  [[nodiscard]] Json record() const { return server_->http().get(path()).json["terminal"]; }
  [[nodiscard]] std::string status() const { return record()["status"].asString(); }
  [[nodiscard]] Answer type(const std::string& keys) const {
    return post("input", Json::object().set("dataBase64", hostprotocol::encodeBase64(keys)));
  }
  /// Reads on from where it was, once.
  bool read() {
    const auto answer =
        server_->http().get(fmt::format("{}/output?sinceSeq={}&waitMs=1000", path(), next_));
    if (answer.status != 200) {
      return false;
    }
    for (const auto& chunk : answer.json["chunks"].items()) {
      shown += hostprotocol::decodeBase64(chunk["dataBase64"].asString()).value();
    }
    truncated = truncated || answer.json["truncated"].asBool();
    next_ = answer.json["nextSeq"].asInteger();
    return true;
  }
  bool shows(const std::string& text) {
    return eventually([&] { return read() && shown.find(text) != std::string::npos; });
  }
  bool ends() {
    return eventually([&] { return status() == "exited"; });
  }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::string path() const { return "/api/v1/terminals/" + id_; }

  std::string shown;
  bool truncated = false;

 private:
  const Server* server_;
  std::string id_;
  std::int64_t next_ = 0;
};

std::vector<int> processesWith(const std::string& word) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(word) != std::string::npos) {
      found.push_back(std::stoi(entry.path().filename().string()));
    }
  }
  return found;
}

class MachineTerminalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host = ownHost(server);
    ASSERT_TRUE(awaitConnected(server, host)) << server.process().errorText();
  }
  Json wanted(const std::string& command, const std::string& on = {}) const {
    auto scope = Json::object().set("kind", "host_path").set("cwd", "/tmp");
    if (!on.empty()) {
      scope.set("hostId", on);
    }
    auto body = Json::object().set("scope", std::move(scope)).set("cols", 80).set("rows", 24);
    if (!command.empty()) {
      body.set("start", Json::object().set("mode", "command").set("command", command));
    }
    return body;
  }
  Terminal open(const std::string& command = {}, const std::string& on = {}) const {
    const auto answer = server.http().post("/api/v1/terminals", wanted(command, on).dump());
    EXPECT_EQ(answer.status, 201) << answer.body;
    return {server, answer.json["terminal"]["id"].asString()};
  }

  Server server{kDefaultModules, {"--hosts.local=true", "--log.level=warn"}};
  std::string host;
};

TEST_F(MachineTerminalsTest, AShellRunsUntilItEnds) {
  auto terminal = open();
  const auto record = terminal.record();
  EXPECT_EQ(record["hostId"].asString(), host);
  EXPECT_EQ(record["initialCwd"].asString(), "/tmp");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_TRUE(record["lastUserInputAt"].isNull());
  ASSERT_EQ(terminal.type("echo $((6*7)) $SVC_SERVER_URL $SVC_DATA_DIR; $SVC_CLI version\n").status,
            200);
  EXPECT_TRUE(terminal.shows("42 " + server.url() + " " + server.dataDir().string()))
      << terminal.shown;
  EXPECT_EQ(terminal.post("resize", Json::object().set("cols", 132).set("rows", 50)).status, 200);
  ASSERT_EQ(terminal.type("stty size; exit 3\n").status, 200);
  EXPECT_TRUE(terminal.shows("50 132")) << terminal.shown;
  EXPECT_TRUE(terminal.ends());
  const auto ended = terminal.record();
  EXPECT_EQ(ended["exitCode"].asInteger(), 3);
  EXPECT_EQ(ended["closeReason"].asString(), "process-exit");
  EXPECT_FALSE(ended["lastUserInputAt"].isNull());
  const auto late = terminal.type("x");
  EXPECT_EQ(late.status, 409) << late.body;
  EXPECT_EQ(terminal.post("resize", Json::object().set("cols", 1).set("rows", 1)).status, 409);
  EXPECT_TRUE(terminal.shows("42")) << "its output stays";
}

TEST_F(MachineTerminalsTest, RequestsThatMakeNoSenseAreRefused) {
  const auto terminal = open();
  for (const auto& size :
       {std::pair(0, 1), std::pair(1, -1), std::pair(1001, 5), std::pair(1 << 30, 5)}) {
    EXPECT_EQ(
        terminal.post("resize", Json::object().set("cols", size.first).set("rows", size.second))
            .status,
        400);
  }
  EXPECT_EQ(terminal.post("input", Json::object().set("dataBase64", "*")).status, 400);
  EXPECT_EQ(terminal.type(std::string(64 * 1024 + 1, 'x')).status, 413);
  EXPECT_EQ(terminal.post("rename", Json::object().set("title", "")).status, 400);
  EXPECT_EQ(terminal.post("rename", Json::object().set("title", "build"))
                .json["terminal"]["title"]
                .asString(),
            "build");
  auto http = server.http();
  EXPECT_EQ(http.get(terminal.path() + "/output?sinceSeq=-1").status, 400);
  EXPECT_EQ(http.get("/api/v1/terminals/none").code(), "not_found");
  for (const auto* kind : {"thread", "environment"}) {
    const auto refused = http.post(
        "/api/v1/terminals",
        fmt::format(R"({{"scope":{{"kind":"{}","{}Id":"x"}},"cols":80,"rows":24}})", kind, kind));
    EXPECT_EQ(refused.status, 404) << refused.body;
  }
  EXPECT_EQ(http.post("/api/v1/terminals", wanted("", "nobody").dump()).code(), "unknown_host");
  auto body = wanted("");
  body.set("scope", Json::object().set("kind", "host_path").set("cwd", "/nonexistent"));
  EXPECT_EQ(http.post("/api/v1/terminals", body.dump()).status, 404);
  EXPECT_EQ(http.get("/api/v1/terminals").json["sessions"].items().size(), 1U);
}

TEST_F(MachineTerminalsTest, ClosingEndsAllOfIt) {
  auto terminal = open();
  ASSERT_EQ(terminal.type("sleep 98765 & echo re''ady\n").status, 200);
  ASSERT_TRUE(terminal.shows("ready"));
  EXPECT_EQ(terminal.post("close", Json::object()).status, 409);
  const auto closed = terminal.post("close", Json::object().set("mode", "force"));
  EXPECT_EQ(closed.json["terminal"]["status"].asString(), "exited") << closed.body;
  EXPECT_EQ(closed.json["terminal"]["closeReason"].asString(), "user");
  EXPECT_TRUE(eventually([] { return processesWith("98765").empty(); }));
}

TEST_F(MachineTerminalsTest, RestartOpensAShellOfTheSameKindAndClosesTheOldOne) {
  const auto old = open("echo once; exec sleep 87654");
  const auto made = old.post("restart", Json::object());
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_NE(made.json["terminal"]["id"].asString(), old.id());
  EXPECT_EQ(made.json["terminal"]["cols"].asInteger(), 80);
  EXPECT_TRUE(eventually([&] { return old.status() == "exited"; }));
  EXPECT_TRUE(eventually([] { return processesWith("87654").empty(); }));
}

TEST_F(MachineTerminalsTest, AFloodHurtsNobody) {
  auto terminal = open("yes");
  ASSERT_TRUE(terminal.shows("y\r\ny\r\n"));
  auto http = server.http();
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(http.get("/healthz").status, 200);
    ASSERT_TRUE(terminal.read());
    terminal.shown.clear();
  }
  EXPECT_EQ(hostRecord(server, host)["status"].asString(), "connected");
  EXPECT_EQ(terminal.post("close", Json::object().set("mode", "force")).status, 200);
  EXPECT_TRUE(terminal.ends());
}

TEST_F(MachineTerminalsTest, ALostConnectionLosesNoOutput) {
  auto relay = std::make_unique<Relay>(server.port());
  const auto address = relay->url();
  Machine machine(server, "far", address);
  auto terminal =
      open("i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; sleep 0.01; done; read x",
           machine.id());
  ASSERT_TRUE(terminal.shows("line 20\r\n"));
  relay->cut();
  EXPECT_TRUE(terminal.shows("line 400\r\n")) << terminal.shown.size();
  std::size_t at = 0;
  for (int line = 1; line <= 400; ++line) {
    at = terminal.shown.find(fmt::format("line {}\r\n", line), at);
    ASSERT_NE(at, std::string::npos) << line;
  }
  EXPECT_FALSE(terminal.truncated);
  EXPECT_EQ(terminal.shown.find("line 1\r\n"), terminal.shown.rfind("line 1\r\n"))
      << "nothing twice";
  EXPECT_TRUE(eventually([&] { return terminal.type("\n").status == 200; }));
  EXPECT_TRUE(terminal.ends());
}

TEST_F(MachineTerminalsTest, ARestartedServerFindsTheTerminalsThatAreThere) {
  Relay relay(server.port());
  Machine machine(server, "far", relay.url());
  auto terminal = open("echo first; read x; echo second $x; read y", machine.id());
  ASSERT_TRUE(terminal.shows("first\r\n"));
  server.kill();
  server.start();
  relay.leadTo(server.port());
  EXPECT_TRUE(eventually([&] { return terminal.status() == "running"; }))
      << terminal.record().dump();
  Terminal again(server, terminal.id());
  EXPECT_TRUE(again.shows("first\r\n")) << "what it has shown is fetched again";
  EXPECT_EQ(again.type("time\n").status, 200);
  EXPECT_TRUE(again.shows("second time\r\n")) << again.shown;
  EXPECT_EQ(again.post("close", Json::object().set("mode", "force")).status, 200);
}

TEST_F(MachineTerminalsTest, AKilledDaemonEndsItsTerminals) {
  Machine machine(server, "far");
  const auto terminal = open("exec sleep 76543", machine.id());
  machine.kill();
  EXPECT_TRUE(eventually([&] { return terminal.status() == "disconnected"; }));
  EXPECT_EQ(terminal.type("x").status, 502);
  EXPECT_TRUE(eventually([] { return processesWith("76543").empty(); }))
      << "the hang-up reaches it";
  machine.start();
  EXPECT_TRUE(eventually([&] { return terminal.status() == "exited"; }));
  EXPECT_EQ(terminal.record()["closeReason"].asString(), "daemon-disconnect");
}

TEST_F(MachineTerminalsTest, WhatDoesNotHearTheEndOfAKilledDaemonEndsWithTheNext) {
  Machine machine(server, "far");
  (void)open("trap '' HUP; n=87; setsid sleep ${n}654 & exec sleep ${n}654", machine.id());
  ASSERT_TRUE(eventually([] { return processesWith("87654").size() == 2; }));
  machine.kill();
  EXPECT_EQ(processesWith("87654").size(), 2U);
  machine.start();
  EXPECT_TRUE(eventually([] { return processesWith("87654").empty(); }));
}

TEST_F(MachineTerminalsTest, ADaemonThatStopsLeavesNothingBehind) {
  Machine machine(server, "far");
  (void)open("trap '' HUP; sleep 65432", machine.id());
  ASSERT_TRUE(eventually([] { return !processesWith("65432").empty(); }));
  EXPECT_EQ(machine.stop().exit_code, 0);
  EXPECT_TRUE(processesWith("65432").empty());
}

TEST_F(MachineTerminalsTest, AMachineThatAllowsNoneSaysSo) {
  Machine machine(server, "closed");
  EXPECT_EQ(machine.stop().exit_code, 0);
  machine.start({"--terminals.enabled=false"});
  ASSERT_TRUE(eventually([&] {
    return server.http().post("/api/v1/terminals", wanted("", machine.id()).dump()).code() ==
           "host_error";
  }));
  const auto refused = server.http().post("/api/v1/terminals", wanted("", machine.id()).dump());
  EXPECT_THAT(refused.message(), HasSubstr("switched off"));
}

TEST_F(MachineTerminalsTest, AnOlderDaemonIsToBeUpdated) {
  Machine machine(server, "old");
  EXPECT_EQ(machine.stop().exit_code, 0);
  machine.start({"--modules=serverlink,hostworkers"});
  const auto asked = [&] {
    return server.http().post("/api/v1/terminals", wanted("", machine.id()).dump());
  };
  ASSERT_TRUE(eventually([&] { return asked().code() == "host_error"; })) << asked().body;
  EXPECT_THAT(asked().message(), HasSubstr("update svc-hostd"));
  const auto read = server.http().post(
      "/api/v1/files/read",
      Json::object().set("path", "/etc/hostname").set("hostId", machine.id()).dump());
  EXPECT_EQ(read.json["error"]["details"]["code"].asString(), "invalid_command") << read.body;
}

}  // namespace
}  // namespace svc::test
