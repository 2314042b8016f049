// What breaks between a server, its machines and their workers: processes that are killed, files that are damaged, peers that
// lie. Every call ends with a result or a code, and nothing stays behind.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <Poco/Exception.h>
#include <fmt/format.h>

#include "harness/hosts.h"
#include "harness/relay.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class HostFaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host = ownHost(server);
    ASSERT_TRUE(awaitConnected(server, host)) << server.process().errorText();
    probe.emplace(server);
    worker = static_cast<int>(probe->report(host)["pid"].asInteger());
    daemon = static_cast<int>(probe->report(host)["ppid"].asInteger());
  }
  /// A hundred calls that would take long, and what becomes of them after `fault`.
  template <class Fault>
  Json hundredCallsDuring(Fault fault) {
    auto calls = std::async(std::launch::async, [this] {
      return probe->many(host, "sleep", 100, R"({"ms":25000,"id":"hundred"})");
    });
    // One that is still on its way would go to the next worker.
    EXPECT_TRUE(probe->awaitState("hundred", "started", 100));
    fault();
    return calls.get();
  }
  static bool eventuallyGone(const std::vector<int>& processes) {
    const auto gone = [&] { return std::none_of(processes.begin(), processes.end(), isAlive); };
    return eventually(gone);
  }
  static int total(const Json& counts) {
    int sum = 0;
    for (const auto& [code, count] : counts.members()) {
      sum += static_cast<int>(count.asInteger());
    }
    return sum;
  }

  Server server{kDefaultModules, {"--hosts.local=true"}};
  std::string host;
  std::optional<Probe> probe;
  int worker = 0;
  int daemon = 0;
};

TEST_F(HostFaultsTest, AKilledWorkerEndsItsCallsAndTheNextOneStartsAfresh) {
  const auto outcome = hundredCallsDuring([this] { ::kill(worker, SIGKILL); });
  EXPECT_EQ(outcome["counts"].dump(), R"({"worker_exited":100})");
  EXPECT_LT(outcome["slowestMs"].asNumber(), 20'000);
  EXPECT_TRUE(eventually([&] { return probe->events()["exits"].items().size() == 1; }));
  const auto report = probe->report(host);
  EXPECT_NE(report["pid"].asInteger(), worker);
}

TEST_F(HostFaultsTest, AKilledDaemonEndsItsCallsAndComesBack) {
  const auto child = static_cast<int>(probe->call(host, "spawn")["output"]["pid"].asInteger());
  const auto outcome = hundredCallsDuring([this] { ::kill(daemon, SIGKILL); });
  EXPECT_EQ(outcome["counts"].dump(), R"({"host_unavailable":100})");
  EXPECT_LT(outcome["slowestMs"].asNumber(), 20'000);
  EXPECT_TRUE(eventually([&] {
    return probe->codeOf(host, "echo").empty() && !isAlive(worker) && !isAlive(child);
  })) << "worker "
      << isAlive(worker) << ", its child " << isAlive(child);
}

TEST_F(HostFaultsTest, AKilledServerLeavesNoProcessBehind) {
  std::ignore = probe->call(host, "spawn");
  server.kill();
  EXPECT_TRUE(eventuallyGone({worker, daemon}));
  server.start();
  EXPECT_TRUE(awaitConnected(server, host));
  EXPECT_TRUE(eventually([&] { return probe->codeOf(host, "echo").empty(); }));
}

TEST_F(HostFaultsTest, AnEnrolledMachineOutlivesItsServer) {
  Machine machine(server, "builder");
  const auto before = probe->report(machine.id());
  server.kill();
  const auto port = server.port();
  server.start();
  if (server.port() == port) {
    EXPECT_TRUE(awaitConnected(server, machine.id()));
  }
  EXPECT_TRUE(isAlive(machine.process().pid())) << "it keeps trying";
  EXPECT_EQ(machine.stop().exit_code, 0);
  EXPECT_FALSE(isAlive(static_cast<int>(before["pid"].asInteger())));
}

TEST_F(HostFaultsTest, AServerThatIsKilledDuringCallsLeavesNoProcessOfItsOwnMachine) {
  const auto child = static_cast<int>(probe->call(host, "spawn")["output"]["pid"].asInteger());
  EXPECT_THROW(std::ignore = hundredCallsDuring([this] { server.kill(); }), Poco::Exception)
      << "whoever waits for an answer sees the connection end";
  EXPECT_TRUE(eventuallyGone({worker, daemon, child}));
  server.start();
  EXPECT_TRUE(awaitConnected(server, host));
  EXPECT_EQ(total(probe->many(host, "echo", 100)["counts"]), 100);
}

TEST_F(HostFaultsTest, AServerThatIsKilledDuringCallsFindsItsMachinesAgainWithoutTheirOldWorkers) {
  Relay relay(server.port());
  Machine machine(server, "builder", relay.url());
  const auto old_worker = static_cast<int>(probe->report(machine.id())["pid"].asInteger());
  const auto child =
      static_cast<int>(probe->call(machine.id(), "spawn")["output"]["pid"].asInteger());
  host = machine.id();
  EXPECT_THROW(std::ignore = hundredCallsDuring([this] { server.kill(); }), Poco::Exception);
  EXPECT_TRUE(isAlive(machine.process().pid()));
  EXPECT_TRUE(isAlive(old_worker)) << "until the server says that it is not wanted any more";
  server.start();
  relay.leadTo(server.port());
  ASSERT_TRUE(awaitConnected(server, machine.id()));
  EXPECT_TRUE(eventuallyGone({old_worker, child}));
  EXPECT_EQ(probe->many(host, "echo", 100)["counts"].dump(), R"({"ok":100})");
  const auto next = static_cast<int>(probe->report(host)["pid"].asInteger());
  EXPECT_NE(next, old_worker);
  EXPECT_EQ(machine.stop().exit_code, 0);
  EXPECT_FALSE(isAlive(next));
}

TEST_F(HostFaultsTest, ExitsOfWorkersSayWhatTheyWere) {
  const auto exited = probe->call(host, "crash", R"({"how":"exit","code":7})");
  EXPECT_EQ(exited["error"]["code"].asString(), "worker_exited");
  EXPECT_EQ(exited["error"]["details"]["code"].asInteger(), 7) << exited.dump();
  const auto killed = probe->call(host, "crash", R"({"how":"signal","signal":"SIGKILL"})");
  EXPECT_EQ(killed["error"]["code"].asString(), "worker_exited");
  EXPECT_EQ(killed["error"]["details"]["signal"].asString(), "SIGKILL") << killed.dump();
  EXPECT_TRUE(eventually([&] { return probe->events()["exits"].items().size() == 2; }));
}

TEST_F(HostFaultsTest, AFailureInACallbackDoesNotEndTheWorker) {
  ASSERT_EQ(probe->codeOf(host, "crash", R"({"how":"throw"})"), "");
  ASSERT_EQ(probe->codeOf(host, "crash", R"({"how":"reject"})"), "");
  EXPECT_TRUE(eventually([&] {
    const auto log = server.http().get("/api/v1/plugins/host-probe/logs?tail=500").body;
    return log.find("thrown in a timer") != std::string::npos &&
           log.find("rejected and detached") != std::string::npos;
  }));
  // Where they are in the author's file, not in the built one.
  const auto source = probe->path() / "host.ts";
  EXPECT_TRUE(eventually([&] {
    const auto log = server.http().get("/api/v1/plugins/host-probe/logs?tail=500").body;
    return log.find(source.string() + ":85:") != std::string::npos &&
           log.find(source.string() + ":89:") != std::string::npos;
  }));
  EXPECT_EQ(probe->report(host)["pid"].asInteger(), worker);
}

TEST_F(HostFaultsTest, AHandlerThatIgnoresItsEndCostsTheWorker) {
  auto other = std::async(std::launch::async, [this] {
    return probe->codeOf(host, "sleep", R"({"ms":25000,"id":"other"})");
  });
  ASSERT_TRUE(probe->awaitState("other", "started"));
  const auto late =
      probe->call(host, "ignore_cancel", R"({"ms":25000,"id":"deaf"})", R"("timeoutMs":100)");
  EXPECT_EQ(late["error"]["code"].asString(), "timeout");
  EXPECT_LT(late["ms"].asNumber(), 4000) << "the caller does not wait for the grace";
  EXPECT_EQ(other.get(), "worker_exited");
  EXPECT_TRUE(eventually([&] { return !isAlive(worker) && probe->codeOf(host, "echo").empty(); }));
}

TEST_F(HostFaultsTest, ABlockedLoopIsTheSame) {
  EXPECT_EQ(probe->codeOf(host, "block", R"({"ms":25000})", R"("timeoutMs":100)"), "timeout");
  EXPECT_TRUE(eventually([&] { return probe->codeOf(host, "echo").empty(); }));
  EXPECT_FALSE(isAlive(worker));
}

TEST_F(HostFaultsTest, ADamagedArtifactInTheCacheIsFetchedAgain) {
  const auto cache = server.dataDir() / "hostd/plugin-host-artifacts/host-probe";
  std::optional<fs::path> file;
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (entry.path().filename() == "host.mjs") {
      file = entry.path();
    }
  }
  ASSERT_TRUE(file);
  const auto read = [&] {
    std::ifstream in(*file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const auto whole = read();
  fs::permissions(*file, fs::perms::owner_write, fs::perm_options::add);
  for (const auto& damaged :
       {whole.substr(0, whole.size() / 2),
        whole.substr(0, 100) + static_cast<char>(whole[100] ^ 1) + whole.substr(101)}) {
    std::ofstream(*file, std::ios::binary | std::ios::trunc) << damaged;
    ::kill(static_cast<int>(probe->report(host)["pid"].asInteger()), SIGKILL);
    EXPECT_TRUE(eventually([&] { return probe->codeOf(host, "echo").empty(); }));
    EXPECT_EQ(read(), whole);
  }
}

TEST_F(HostFaultsTest, AWrongDigestInTheMetadataRefusesTheLoad) {
  const auto meta = probe->path() / "dist/host.meta.json";
  std::ifstream in(meta);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const auto at = text.find("artifactDigest");
  ASSERT_NE(at, std::string::npos);
  const auto digit = text.find_first_of("0123456789abcdef", text.find(':', at));
  text[digit] = text[digit] == '0' ? '1' : '0';
  std::ofstream(meta) << text;
  const auto answer = server.reload("host-probe");
  // A plugin from a directory is built anew when its bundle does not fit; either way nothing wrong is delivered.
  if (answer.status != 200) {
    EXPECT_THAT(answer.message(), HasSubstr("host"));
    EXPECT_THAT(answer.message(), HasSubstr("(the previous instance is still running)"));
  }
  EXPECT_EQ(probe->codeOf(host, "echo"), "");
}

TEST_F(HostFaultsTest, KeysOpenOnlyWhatTheyAreFor) {
  const auto post = [this](const std::string& target, const std::string& key,
                           const std::string& body) {
    return server.http().send(
        {.method = "POST",
         .target = target,
         .body = body,
         .headers = {{"content-type", "application/json"}, {"authorization", "Bearer " + key}}});
  };
  const auto enroll = [&](const std::string& key, const std::string& host_id) {
    return post(
        "/internal/hosts/enroll", key,
        fmt::format(R"({{"hostId":"{}","hostName":"m","hostType":"persistent"}})", host_id));
  };
  const auto code = joinCode(server, "m");
  const auto id = code["hostId"].asString();
  EXPECT_EQ(enroll("svce_wrong", id).status, 401);
  EXPECT_EQ(enroll(code["joinCode"].asString(), host).status, 401) << "of another host";
  const auto enrolled = enroll(code["joinCode"].asString(), id);
  ASSERT_EQ(enrolled.status, 201) << enrolled.body;
  EXPECT_EQ(enroll(code["joinCode"].asString(), id).status, 401) << "used";

  const auto key = enrolled.json["hostKey"].asString();
  const auto open = [&](const std::string& presented, const std::string& host_id, int protocol) {
    return post(
        "/internal/session/open", presented,
        fmt::format(R"({{"hostId":"{}","instanceId":"i","hostName":"m","hostType":"persistent",)"
                    R"("platform":"linux","dataDir":"/d","protocolVersion":{},"agents":[],)"
                    R"("activeThreads":[],"loadedEnvironments":[]}})",
                    host_id, protocol));
  };
  EXPECT_EQ(open("svch_wrong", id, 1).status, 401);
  EXPECT_EQ(open(key, host, 1).status, 403);
  const auto mismatch = open(key, id, 99);
  EXPECT_EQ(mismatch.status, 400);
  EXPECT_EQ(mismatch.code(), "protocol_version_mismatch");
  EXPECT_EQ(mismatch.json["error"]["details"]["serverProtocolVersion"].asInteger(), 1);
  const auto record = hostRecord(server, id);
  EXPECT_EQ(record["lastRejectedProtocolVersion"].asInteger(), 99);
  EXPECT_EQ(record["state"].asString(), "setup-required");
  EXPECT_EQ(open(key, id, 1).status, 201);

  const std::string digest(64, 'a');
  const auto artifact = server.http().send({.method = "GET",
                                            .target = "/internal/plugins/host-probe/host/" + digest,
                                            .headers = {{"authorization", "Bearer " + key}}});
  EXPECT_EQ(artifact.status, 404);
  EXPECT_EQ(artifact.code(), "plugin_host_artifact_not_found");
  EXPECT_EQ(server.http().get("/internal/plugins/host-probe/host/" + digest).status, 401);
}

TEST(HostHeapTest, AWorkerHasTheHeapOfItsPluginFromItsNextStartOn) {
  const TempDir directory;
  const auto file = directory.path() / "config.json";
  std::ofstream(file) << R"({"plugins":{"overrides":{"host-probe":{"heapMiB":64}}}})";
  Server server(kDefaultModules, {"--hosts.local=true", "--config", file.string()});
  const auto host = ownHost(server);
  ASSERT_TRUE(awaitConnected(server, host));
  const Probe probe(server);
  EXPECT_EQ(probe.call(host, "hold", R"({"mib":16})")["output"].asInteger(), 16);
  const auto died = probe.call(host, "hold", R"({"mib":160})");
  EXPECT_EQ(died["error"]["code"].asString(), "worker_exited") << died.dump();
  EXPECT_THAT(died["error"]["message"].asString(), HasSubstr("heap limit of 64 MiB"));

  std::ofstream(file) << "{}";
  ASSERT_EQ(server.http().post("/api/v1/system/config/reload", "{}").status, 200);
  const auto held = probe.call(host, "hold", R"({"mib":160})");
  EXPECT_EQ(held["output"].asInteger(), 160) << held.dump();
}

class MachinesTest : public ::testing::Test {
 protected:
  Server server{kDefaultModules, {"--hosts.local=true"}};
};

TEST_F(MachinesTest, AMachineJoinsWorksAndIsRemoved) {
  const Probe probe(server);
  Machine machine(server, "builder");
  EXPECT_EQ(hostRecord(server, machine.id())["name"].asString(), "builder");
  EXPECT_EQ(probe.call(machine.id(), "echo", "7")["output"].asInteger(), 7);
  const auto worker = static_cast<int>(probe.report(machine.id())["pid"].asInteger());

  const auto list = server.cli({"machine", "list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("builder"));
  EXPECT_EQ(server.cli({"machine", "rename", "builder", "compiler"}).exit_code, 0);
  EXPECT_EQ(hostRecord(server, machine.id())["name"].asString(), "compiler");
  EXPECT_EQ(server.cli({"machine", "remove", "compiler"}).exit_code, 4) << "nobody confirmed";
  const auto removed = server.cli({"machine", "remove", "compiler", "--yes"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  const auto outcome = machine.process().wait();
  ASSERT_TRUE(outcome) << "the daemon of a removed machine stops";
  EXPECT_FALSE(fs::exists(machine.dataDir() / "auth.json")) << outcome->err;
  EXPECT_FALSE(isAlive(worker));
  EXPECT_EQ(probe.codeOf(machine.id(), "echo"), "unknown_host");
}

TEST_F(MachinesTest, AMachineThatIsRemovedWhileItIsAwayStopsWhenItIsBack) {
  Relay relay(server.port());
  Machine machine(server, "laptop", relay.url());
  relay.leadTo(1);
  relay.cut();
  ASSERT_TRUE(awaitConnected(server, machine.id(), false));
  const auto removed = server.cli({"machine", "remove", "laptop", "--yes"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_THAT(removed.err, HasSubstr("It is not connected"));
  relay.leadTo(server.port());
  const auto outcome = machine.process().wait();
  ASSERT_TRUE(outcome) << "as it does when it is there";
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_FALSE(fs::exists(machine.dataDir() / "auth.json")) << outcome->err;
}

TEST_F(MachinesTest, ASecondDaemonOfADirectoryIsRefused) {
  Machine machine(server, "builder");
  const auto second = runHostd({"--data-dir", machine.dataDir().string()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr(std::to_string(machine.process().pid())));
}

TEST_F(MachinesTest, WithoutEnrollmentTheDaemonSaysWhatToDo) {
  const TempDir directory;
  const auto outcome = runHostd({"--data-dir", (directory.path() / "d").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("svc machine enroll"));
  const auto wrong = runHostd({"join", "--server", server.url(), "--code", "svce_nonsense",
                               "--data-dir", (directory.path() / "d").string()});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_FALSE(fs::exists(directory.path() / "d/auth.json"));
}

TEST_F(MachinesTest, AMachineThatIsGoneIsUnavailable) {
  const Probe probe(server);
  Machine machine(server, "laptop");
  machine.kill();
  EXPECT_TRUE(awaitConnected(server, machine.id(), false));
  EXPECT_EQ(hostRecord(server, machine.id())["state"].asString(), "unavailable");
  EXPECT_EQ(probe.codeOf(machine.id(), "echo"), "host_unavailable");
  machine.start();
  EXPECT_TRUE(awaitConnected(server, machine.id()));
  EXPECT_EQ(probe.codeOf(machine.id(), "echo"), "");
}

}  // namespace
}  // namespace svc::test
