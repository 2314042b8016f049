// Machines, their daemons and host entries: a real svcd, real svc-hostd, real workers.
#include "harness/hosts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace svc::test {
namespace {

using common::Json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace fs = std::filesystem;

class HostsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host = ownHost(server);
    ASSERT_TRUE(awaitConnected(server, host)) << server.process().errorText();
  }
  // Nobody reads what it writes meanwhile, and a flood would fill the pipe.
  Server server{kDefaultModules, {"--hosts.local=true", "--log.level=warn"}};
  std::string host;
};

TEST_F(HostsTest, TheServersOwnMachineEnrollsByItself) {
  const auto hosts = server.http().get("/api/v1/hosts").json["hosts"];
  ASSERT_EQ(hosts.items().size(), 1U);
  const auto& own = hosts.items().front();
  EXPECT_EQ(own["role"].asString(), "server");
  EXPECT_EQ(own["status"].asString(), "connected");
  EXPECT_EQ(own["state"].asString(), "available");
  EXPECT_EQ(own["type"].asString(), "persistent");
  EXPECT_EQ(own["lifecycle"]["phase"].asString(), "active");
  EXPECT_TRUE(own["lastRejectedProtocolVersion"].isNull());
  EXPECT_FALSE(own["name"].asString().empty());
  EXPECT_EQ(server.http().get("/api/v1/system/config").json["primaryHostId"].asString(), host);

  const auto credential = server.dataDir() / "hostd/auth.json";
  EXPECT_EQ(fs::status(credential).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(server.dataDir() / "hostd").permissions(), fs::perms::owner_all);
  const auto refused = server.http().send({.method = "DELETE", .target = "/api/v1/hosts/" + host});
  EXPECT_EQ(refused.status, 409) << refused.body;
}

TEST_F(HostsTest, TheMachineIsTheSameAfterARestart) {
  server.restart();
  EXPECT_EQ(ownHost(server), host);
  EXPECT_TRUE(awaitConnected(server, host));
}

TEST_F(HostsTest, TheServersMachineAndADaemonThatHasJoinedKeepApart) {
  const auto usual = server.dataDir() / "hostd";
  ASSERT_EQ(server.stop().exit_code, 0);
  const auto refused = runHostd(
      {"join", "--server", "http://127.0.0.1:1", "--code", "svce_x", "--data-dir", usual.string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("svc-hostd join --server http://127.0.0.1:1 --code svce_x "
                                     "--data-dir " +
                                     server.dataDir().string() + "-hostd"));
  EXPECT_EQ(runHostd({"--data-dir", usual.string()}).exit_code, 1);

  const std::string joined =
      R"({"serverUrl":"http://127.0.0.1:1","hostId":"host_there","hostKey":"svch_there",)"
      R"("hostType":"persistent","ofServer":false})";
  std::ofstream(usual / "auth.json") << joined;
  server.start();
  EXPECT_TRUE(awaitConnected(server, host));
  EXPECT_TRUE(fs::exists(server.dataDir() / "machine/auth.json"));
  std::ifstream kept(usual / "auth.json");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), joined);
}

TEST_F(HostsTest, ACallReachesTheHostEntryAndItsAnswerComesBack) {
  const Probe probe(server);
  const auto answer =
      probe.call(host, "echo", R"({"text":"Grüße \"\u0000\" 😀","list":[1,2.5,null]})");
  ASSERT_TRUE(answer["ok"].asBool()) << answer.dump();
  EXPECT_EQ(answer["output"]["list"].dump(), "[1,2.5,null]");
  EXPECT_THAT(answer["output"]["text"].asString(), StartsWith("Grüße \""));
  EXPECT_EQ(probe.call(host, "no_input")["output"].asString(), "none");
  EXPECT_EQ(probe.call(host, "typed", R"({"n":21})", R"("strict":true)")["output"]["n"].asInteger(),
            42);
}

TEST_F(HostsTest, PluginsSeeTheMachines) {
  const Probe probe(server);
  const auto listed = server.rpc("host-probe", "hosts").json["result"];
  ASSERT_EQ(listed.items().size(), 1U);
  EXPECT_EQ(listed.items().front()["id"].asString(), host);
}

TEST_F(HostsTest, EveryFailureHasItsCode) {
  const Probe probe(server);
  EXPECT_EQ(probe.codeOf("host_nobody", "echo"), "unknown_host");
  EXPECT_EQ(probe.codeOf(host, "missing"), "unknown_method");
  EXPECT_EQ(probe.codeOf(host, "typed", R"({"n":"seven"})"), "invalid_input") << "in the worker";
  EXPECT_EQ(probe.codeOf(host, "typed", R"({"n":"seven"})", R"("strict":true)"), "invalid_input")
      << "before it is sent";
  EXPECT_EQ(probe.codeOf(host, "typed", R"({"n":1,"answer":"none"})"), "invalid_output");
  EXPECT_EQ(probe.codeOf(host, "not_json", R"({"kind":"date"})"), "non_json_result");
  EXPECT_EQ(probe.codeOf(host, "not_json", R"({"kind":"map"})"), "non_json_result");
  EXPECT_EQ(probe.codeOf(host, "sleep", R"({"ms":60000})", R"("timeoutMs":50)"), "timeout");
  EXPECT_EQ(probe.codeOf(host, "sleep", R"({"ms":60000})", R"("abort":"before")"), "AbortError");
  EXPECT_EQ(probe.codeOf(host, "sleep", R"({"ms":60000,"id":"a"})", R"("abort":"started")"),
            "AbortError");
  EXPECT_TRUE(probe.awaitState("a", "aborted")) << "the handler hears of it";

  const auto failed = probe.call(host, "fail", R"({"message":"the disk is full","code":"ENOSPC"})");
  EXPECT_EQ(failed["error"]["name"].asString(), "HostCallError");
  EXPECT_EQ(failed["error"]["code"].asString(), "handler_error");
  EXPECT_EQ(failed["error"]["message"].asString(), "the disk is full");
  EXPECT_EQ(failed["error"]["hostId"].asString(), host);
  EXPECT_EQ(failed["error"]["details"]["code"].asString(), "ENOSPC");
}

TEST_F(HostsTest, NothingIsCalledFromTheFactory) {
  const Probe probe(server);
  const auto outcome = server.rpc("host-probe", "in_factory").json["result"];
  EXPECT_EQ(outcome["error"]["code"].asString(), "plugin_not_running") << outcome.dump();
}

TEST_F(HostsTest, InputsAndResultsHaveLimits) {
  const Probe probe(server);
  constexpr int kMiB = 1024 * 1024;
  const auto bytes = [](int count) { return R"({"bytes":)" + std::to_string(count) + "}"; };
  EXPECT_EQ(probe.call(host, "big", bytes(8 * kMiB))["outputBytes"].asInteger(), 8 * kMiB);
  EXPECT_EQ(probe.codeOf(host, "big", bytes(8 * kMiB + 1)), "too_large");
  EXPECT_EQ(probe.codeOf(host, "big", bytes(9 * kMiB)), "too_large");
  const auto input = [](int count) { return R"("inputBytes":)" + std::to_string(count); };
  EXPECT_EQ(probe.call(host, "length", "null", input(32 * kMiB - 16))["output"].asInteger(),
            32 * kMiB - 16);
  EXPECT_EQ(probe.codeOf(host, "length", "null", input(33 * kMiB)), "too_large");
  EXPECT_TRUE(probe.call(host, "echo")["ok"].asBool()) << "the worker goes on";
}

TEST_F(HostsTest, CallsRunBesideEachOtherUpToALimit) {
  const Probe probe(server);
  const auto fine = probe.many(host, "echo", 1000, "{}", R"("numbered":true,"inFlight":64)");
  EXPECT_EQ(fine["counts"].dump(), R"({"ok":1000})");
  const auto full = probe.many(host, "sleep", 300, R"({"ms":300})");
  EXPECT_EQ(full["counts"]["ok"].asInteger(), 256) << full["counts"].dump();
  EXPECT_EQ(full["counts"]["too_many_calls"].asInteger(), 44);
}

TEST_F(HostsTest, AWorkerIsAProcessOfItsOwnWithACleanEnvironment) {
  const Probe probe(server);
  const auto report = probe.report(host);
  const auto pid = report["pid"].asInteger();
  EXPECT_EQ(report["pgid"].asInteger(), pid);
  EXPECT_NE(pid, server.pid());
  EXPECT_NE(report["ppid"].asInteger(), server.pid()) << "it is the daemon's";
  const std::set<std::string> allowed{"HOME",
                                      "USER",
                                      "LOGNAME",
                                      "SHELL",
                                      "LANG",
                                      "TZ",
                                      "TERM",
                                      "TMPDIR",
                                      "PATH",
                                      "SSH_AUTH_SOCK",
                                      "DISPLAY",
                                      "WAYLAND_DISPLAY",
                                      "DBUS_SESSION_BUS_ADDRESS",
                                      "HTTP_PROXY",
                                      "HTTPS_PROXY",
                                      "NO_PROXY"};
  for (const auto& [name, value] : report["env"].members()) {
    EXPECT_TRUE(allowed.contains(name) || name.starts_with("LC_") || name.starts_with("XDG_"))
        << name << "=" << value.dump();
  }
  EXPECT_FALSE(report["env"]["PATH"].asString().empty());
  const fs::path data = report["paths"]["dataDir"].asString();
  EXPECT_EQ(data, server.dataDir() / "hostd/plugin-data/host-probe");
  EXPECT_TRUE(fs::is_directory(data));
  EXPECT_TRUE(fs::is_directory(report["paths"]["tempDir"].asString()));
}

TEST_F(HostsTest, SignalsArriveWhenTheyFit) {
  const Probe probe(server);
  ASSERT_TRUE(
      probe.call(host, "emit", R"({"name":"tick","payload":{"n":1},"times":100})")["ok"].asBool());
  ASSERT_TRUE(
      probe.call(host, "emit", R"({"name":"loose","payload":{"n":"x"},"times":3})")["ok"].asBool())
      << "what does not fit the server's schema leaves and is dropped there";
  ASSERT_TRUE(probe.call(host, "emit", R"({"name":"unheard","payload":1})")["ok"].asBool());
  EXPECT_THAT(probe.call(host, "emit", R"({"name":"undeclared","payload":1})")["error"]["message"]
                  .asString(),
              HasSubstr("undeclared"));
  EXPECT_EQ(probe.codeOf(host, "emit", R"({"name":"tick","payload":{"n":"x"}})"), "handler_error");
  EXPECT_EQ(probe.codeOf(host, "emit", R"({"name":"big","bytes":9000000})"), "handler_error");
  ASSERT_TRUE(probe.call(host, "emit", R"({"name":"loose","payload":{"n":7}})")["ok"].asBool());
  EXPECT_TRUE(eventually([&] { return probe.events()["counts"]["loose"].asInteger() == 1; }))
      << probe.events()["counts"].dump();
  EXPECT_EQ(probe.events()["counts"]["tick"].asInteger(), 100);
  const auto events = probe.events();
  for (const auto& signal : events["signals"].items()) {
    ASSERT_EQ(signal["hostId"].asString(), host);
  }
}

TEST_F(HostsTest, AReloadRetiresTheOldWorker) {
  const Probe probe(server);
  ASSERT_TRUE(probe.call(host, "on_dispose", "{}")["ok"].asBool());
  const auto child = probe.call(host, "spawn", "{}")["output"]["pid"].asInteger();
  const auto before = probe.report(host);
  ASSERT_TRUE(isAlive(static_cast<int>(child)));
  probe.reload("2");
  EXPECT_EQ(probe.report(host)["version"].asString(), "2");
  EXPECT_FALSE(isAlive(static_cast<int>(before["pid"].asInteger())));
  EXPECT_FALSE(isAlive(static_cast<int>(child))) << "the process group goes as a whole";
  EXPECT_FALSE(fs::exists(before["paths"]["tempDir"].asString()));
  std::ifstream trace(fs::path(before["paths"]["dataDir"].asString()) / "disposed.json");
  std::string line;
  std::getline(trace, line);
  EXPECT_EQ(line, R"(["lifecycle","dispose"])");
  EXPECT_TRUE(probe.events()["exits"].items().empty())
      << "nobody hears of an exit that was asked for";
}

TEST_F(HostsTest, ADisabledPluginLeavesNoWorkerAndNoArtifact) {
  const Probe probe(server);
  const auto pid = static_cast<int>(probe.report(host)["pid"].asInteger());
  const auto artifacts = server.dataDir() / "hostd/plugin-host-artifacts/host-probe";
  EXPECT_TRUE(fs::exists(artifacts));
  ASSERT_EQ(server.http().post("/api/v1/plugins/host-probe/disable", "{}").status, 200);
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(server.http().get("/healthz"));
    return !isAlive(pid) && !fs::exists(artifacts);
  }));
  ASSERT_EQ(server.http().post("/api/v1/plugins/host-probe/enable", "{}").status, 200);
  EXPECT_TRUE(probe.call(host, "echo")["ok"].asBool());
}

TEST_F(HostsTest, WhatAWorkerWritesIsInThePluginsLog) {
  const Probe probe(server);
  ASSERT_TRUE(probe.call(host, "log", R"({"message":"from the worker"})")["ok"].asBool());
  ASSERT_TRUE(
      probe.call(host, "log", R"({"level":"error","message":"a complaint"})")["ok"].asBool());
  const auto log = [&] {
    return server.http().get("/api/v1/plugins/host-probe/logs?tail=500").body;
  };
  EXPECT_TRUE(eventually([&] { return log().find("a complaint") != std::string::npos; }));
  EXPECT_THAT(log(), HasSubstr("from the worker"));
  EXPECT_THAT(log(), HasSubstr("host:" + host));
}

TEST_F(HostsTest, AFloodOfOutputHurtsNobody) {
  const Probe probe(server);
  const auto flooded = probe.call(host, "flood", R"({"lines":20000})");
  ASSERT_TRUE(flooded["ok"].asBool()) << flooded.dump();
  EXPECT_EQ(
      probe.many(host, "echo", 200, "{}", R"("numbered":true,"inFlight":16)")["counts"].dump(),
      R"({"ok":200})");
  const auto lines = [&] {
    return server.http()
        .get("/api/v1/plugins/host-probe/logs?tail=10000")
        .json["lines"]
        .items()
        .size();
  };
  EXPECT_TRUE(eventually([&] { return lines() >= 1000; }));
  EXPECT_LT(lines(), 1010U) << "what is beyond the limit of a minute is only counted";
}

TEST_F(HostsTest, LooksIntoDirectories) {
  const TempDir directory;
  std::ofstream(directory.path() / "b.txt") << "b";
  fs::create_directory(directory.path() / "a");
  const auto answer =
      server.http().get("/api/v1/hosts/" + host + "/directory?path=" + directory.path().string());
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("\"b.txt\""));
  EXPECT_THAT(answer.body, HasSubstr("\"kind\":\"directory\""));
  const auto nowhere = server.http().get("/api/v1/hosts/" + host + "/directory?path=/nowhere-here");
  EXPECT_GE(nowhere.status, 400);
  EXPECT_THAT(nowhere.message(), HasSubstr("/nowhere-here"));
  const auto exist = server.http().post("/api/v1/hosts/" + host + "/paths-exist",
                                        R"({"paths":["/","/nowhere-here"]})");
  EXPECT_EQ(exist.status, 200) << exist.body;
  EXPECT_THAT(exist.body, HasSubstr(R"("/nowhere-here":false)"));
}

}  // namespace
}  // namespace svc::test
