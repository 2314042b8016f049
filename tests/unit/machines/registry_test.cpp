#include "registry.h"

#include <atomic>
#include <thread>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::machines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace std::chrono_literals;

class RegistryTest : public MachinesFixture {};

TEST_F(RegistryTest, TheServersOwnMachineIsThereFromTheFirstStart) {
  const auto hosts = registry_->list();
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_TRUE(hosts[0].is_server);
  EXPECT_EQ(hosts[0].name, "home");
  EXPECT_EQ(hosts[0].id, registry_->serverHostId());
  EXPECT_TRUE(store_.host_rows.at(hosts[0].id).is_server);
}

TEST_F(RegistryTest, TheServersOwnMachineStaysTheSame) {
  const auto id = registry_->serverHostId();
  restart();
  EXPECT_EQ(registry_->serverHostId(), id);
  EXPECT_EQ(registry_->list().size(), 1U);
}

TEST_F(RegistryTest, DoesNotOpenWithoutItsStore) {
  RowsInMaps broken;
  broken.broken = Error{errc::kUnavailable, "disk full"};
  Registry registry(
      broken, workers_, clock_, [](const std::string&, const char*) {},
      [](std::string_view) { return true; }, log_);
  EXPECT_EQ(registry.open("home").error().message, "disk full");
}

TEST_F(RegistryTest, TheRecordIsThatOfTheContract) {
  const auto host = enrolled();
  const auto id = host.host_id;
  EXPECT_EQ(
      record(id).dump(),
      R"({"id":")" + id +
          R"(","name":"mac","type":"persistent","status":"disconnected","role":"machine",)"
          R"("state":"setup-required","stateMessage":"enrolled, but its host daemon has never connected: )"
          R"(run `systemctl --user start svc-hostd` or `svc-hostd` on the machine",)"
          R"("machineProviderId":null,"lifecycle":{"phase":"active","message":null,"teardown":null},)"
          R"("maxPermissionMode":"full","lastSeenAt":null,"lastRejectedProtocolVersion":null,)"
          R"("createdAt":1700000000000,"updatedAt":1700000000000})");
}

TEST_F(RegistryTest, ListsTheServerFirstAndTheOthersByName) {
  enrolled("zeta");
  enrolled("alpha");
  EXPECT_THAT(names(), ElementsAre("home", "alpha", "zeta"));
  EXPECT_EQ(registry_->records().items().at(1)["name"].asString(), "alpha");
}

TEST_F(RegistryTest, ConnectedIsAvailable) {
  const auto id = enrolled().host_id;
  announced_.clear();
  clock_.advance(5s);
  registry_->connected(id, {});
  EXPECT_TRUE(registry_->find(id)->connected);
  EXPECT_EQ(record(id)["status"].asString(), "connected");
  EXPECT_EQ(record(id)["state"].asString(), "available");
  EXPECT_TRUE(record(id)["stateMessage"].isNull());
  EXPECT_EQ(record(id)["lastSeenAt"].asInteger(), clock_.nowMs());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-connected")));
}

TEST_F(RegistryTest, AMissingAgentIsAWarningOnly) {
  const auto id = enrolled().host_id;
  SessionFacts facts;
  facts.agents = {{.id = "a", .display_name = "Agent A", .available = false},
                  {.id = "b", .display_name = "B", .available = true},
                  {.id = "c", .display_name = "", .available = false}};
  registry_->connected(id, facts);
  EXPECT_EQ(record(id)["state"].asString(), "available");
  EXPECT_EQ(record(id)["stateMessage"].asString(),
            "agents that are not installed on it: Agent A, c");
}

TEST_F(RegistryTest, DisconnectedIsUnavailable) {
  const auto id = enrolled().host_id;
  registry_->connected(id, {});
  announced_.clear();
  registry_->disconnected(id);
  registry_->disconnected(id);
  EXPECT_EQ(record(id)["status"].asString(), "disconnected");
  EXPECT_EQ(record(id)["state"].asString(), "unavailable");
  EXPECT_THAT(record(id)["stateMessage"].asString(), HasSubstr("is not connected"));
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-disconnected")));
}

TEST_F(RegistryTest, AnotherSessionOfAConnectedHostIsAnUpdate) {
  const auto id = enrolled().host_id;
  registry_->connected(id, {});
  announced_.clear();
  registry_->connected(id, {});
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-updated")));
}

TEST_F(RegistryTest, ARefusedProtocolNeedsSetupUntilTheNextSession) {
  const auto id = enrolled().host_id;
  registry_->connected(id, {});
  registry_->disconnected(id);
  announced_.clear();
  EXPECT_FALSE(registry_->rejectedProtocol(id, 7, "linux-x64"));
  EXPECT_FALSE(registry_->rejectedProtocol(id, 7, "linux-x64"));
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-updated")));
  EXPECT_EQ(record(id)["state"].asString(), "setup-required");
  EXPECT_EQ(record(id)["lastRejectedProtocolVersion"].asInteger(), 7);
  EXPECT_EQ(record(id)["stateMessage"].asString(),
            "its host daemon speaks protocol version 7, this server version 1: update svc on the "
            "server and start it again");
  restart();
  EXPECT_EQ(record(id)["state"].asString(), "setup-required");
  registry_->connected(id, {});
  EXPECT_EQ(record(id)["state"].asString(), "available");
  EXPECT_TRUE(record(id)["lastRejectedProtocolVersion"].isNull());
}

TEST_F(RegistryTest, AnOlderProtocolAsksForAnUpdateOfTheMachine) {
  const auto id = enrolled().host_id;
  EXPECT_FALSE(registry_->rejectedProtocol(id, 0, "linux-arm64"));
  EXPECT_EQ(record(id)["lastRejectedProtocolVersion"].dump(), "0");
  EXPECT_THAT(record(id)["stateMessage"].asString(), HasSubstr("update svc on the machine"));
}

TEST_F(RegistryTest, TheServersMachineSaysWhatItsSupervisorKnows) {
  const auto id = registry_->serverHostId();
  EXPECT_EQ(record(id)["stateMessage"].asString(), "its host daemon has not connected yet");
  registry_->setServerNote("svc-hostd is not there");
  registry_->setServerNote("svc-hostd is not there");
  EXPECT_EQ(record(id)["stateMessage"].asString(), "svc-hostd is not there");
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-updated")));
  registry_->connected(id, {});
  EXPECT_TRUE(record(id)["stateMessage"].isNull());
}

TEST_F(RegistryTest, WhenItWasSeenIsStoredOnceAMinute) {
  const auto id = enrolled().host_id;
  registry_->connected(id, {});
  const auto stored = store_.changes;
  for (int beat = 0; beat < 11; ++beat) {
    clock_.advance(5s);
    registry_->seen(id);
  }
  EXPECT_EQ(store_.changes, stored);
  EXPECT_EQ(record(id)["lastSeenAt"].asInteger(), clock_.nowMs());
  clock_.advance(5s);
  registry_->seen(id);
  registry_->seen(id);
  EXPECT_EQ(store_.changes, stored + 1);
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, clock_.nowMs());
}

TEST_F(RegistryTest, WhatWasSeenLastIsStoredAtTheEnd) {
  const auto id = enrolled().host_id;
  registry_->connected(id, {});
  clock_.advance(7s);
  registry_->seen(id);
  registry_->disconnected(id);
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, clock_.nowMs());
  registry_->connected(id, {});
  clock_.advance(7s);
  registry_->seen(id);
  registry_->flush();
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, clock_.nowMs());
}

TEST_F(RegistryTest, WhatCouldNotBeStoredIsStoredWithTheNextChange) {
  const auto id = enrolled().host_id;
  store_.broken = Error{errc::kUnavailable, "disk full"};
  registry_->connected(id, {});
  EXPECT_THAT(logged(), HasSubstr("disk full"));
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, 0);
  store_.broken.reset();
  registry_->flush();
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, clock_.nowMs());
}

TEST_F(RegistryTest, AFullQueueOfWorkersLosesNothing) {
  const auto id = enrolled().host_id;
  workers_.full = true;
  registry_->connected(id, {});
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, 0);
  workers_.full = false;
  registry_->disconnected(id);
  EXPECT_EQ(store_.host_rows.at(id).last_seen_at, clock_.nowMs());
}

TEST_F(RegistryTest, NobodyKnowsAHostThatIsNotThere) {
  registry_->connected("host_x", {});
  registry_->seen("host_x");
  EXPECT_FALSE(registry_->rejectedProtocol("host_x", 2, "linux-x64"));
  registry_->disconnected("host_x");
  EXPECT_EQ(registry_->find("host_x"), std::nullopt);
  const auto missing = registry_->record("host_x");
  EXPECT_EQ(missing.error().code, errc::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("svc machine list"));
  EXPECT_THAT(announced_, IsEmpty());
}

TEST_F(RegistryTest, RenamesAndKeepsTheName) {
  const auto id = enrolled().host_id;
  announced_.clear();
  clock_.advance(1s);
  const auto renamed = registry_->rename(id, "laptop");
  ASSERT_TRUE(renamed.ok());
  EXPECT_EQ(renamed.value()["name"].asString(), "laptop");
  EXPECT_EQ(renamed.value()["updatedAt"].asInteger(), clock_.nowMs());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "host-updated")));
  restart();
  EXPECT_EQ(record(id)["name"].asString(), "laptop");
}

TEST_F(RegistryTest, ANameThatIsTakenGetsANumber) {
  enrolled("mac");
  const auto second = enrolled("mac").host_id;
  EXPECT_EQ(record(second)["name"].asString(), "mac-2");
  EXPECT_EQ(registry_->rename(second, "home").value()["name"].asString(), "home-2");
  EXPECT_EQ(registry_->rename(second, "home-2").value()["name"].asString(), "home-2");
}

TEST_F(RegistryTest, ANameThatCannotBeStoredIsNotTaken) {
  const auto id = enrolled().host_id;
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(registry_->rename(id, "laptop").error().message, "disk full");
  EXPECT_EQ(record(id)["name"].asString(), "mac");
  EXPECT_EQ(registry_->rename("host_x", "laptop").error().code, errc::kNotFound);
}

TEST_F(RegistryTest, ARemovedHostIsGoneWithItsKeys) {
  const auto host = enrolled();
  const auto code = issue(host.host_id);
  std::vector<std::string> removed;
  auto listening = registry_->onRemoved([&](const std::string& id) { removed.push_back(id); });
  announced_.clear();
  ASSERT_TRUE(registry_->remove(host.host_id).ok());
  EXPECT_THAT(removed, ElementsAre(host.host_id));
  EXPECT_THAT(announced_, ElementsAre(Pair(host.host_id, "host-updated")));
  EXPECT_EQ(registry_->authenticate(host.host_key).error().code, errc::kUnauthorized);
  EXPECT_EQ(enroll(code).error().code, errc::kUnauthorized);
  EXPECT_EQ(store_.key_rows.size(), 1U) << "that of a removed machine";
  EXPECT_EQ(registry_->remove(host.host_id).error().code, errc::kNotFound);
  listening.reset();
  ASSERT_TRUE(registry_->remove(enrolled().host_id).ok());
  EXPECT_EQ(removed.size(), 1U);
}

TEST_F(RegistryTest, AHostThatCannotBeRemovedStays) {
  const auto host = enrolled();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(registry_->remove(host.host_id).error().message, "disk full");
  EXPECT_TRUE(registry_->authenticate(host.host_key).ok());
}

TEST_F(RegistryTest, TheServersOwnMachineCannotBeRemoved) {
  const auto refused = registry_->remove(registry_->serverHostId());
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("hosts.local"));
}

TEST_F(RegistryTest, IsSharedByThreads) {
  std::atomic<int> announced{0};
  Registry registry(
      store_, workers_, clock_, [&](const std::string&, const char*) { ++announced; },
      [](std::string_view) { return true; }, log_);
  ASSERT_TRUE(registry.open("home").ok());
  const auto issued = registry.issueKey(storage::HostKeyKind::kJoin, {}, {}).value();
  const auto host =
      registry.enroll(issued.key, {.host_name = "mac", .host_type = "persistent"}).value();
  std::atomic<bool> over{false};
  std::thread io([&] {
    while (!over) {
      EXPECT_TRUE(registry.authenticate(host.host_key).ok());
      registry.connected(host.host_id, {});
      registry.seen(host.host_id);
      std::ignore = registry.rejectedProtocol(host.host_id, 2, "linux-x64");
      registry.disconnected(host.host_id);
      EXPECT_EQ(registry.list().size(), 2U);
    }
  });
  for (int count = 0; count < 200; ++count) {
    clock_.advance(1min);
    EXPECT_TRUE(registry.rename(host.host_id, "mac " + std::to_string(count)).ok());
    EXPECT_TRUE(registry.issueKey(storage::HostKeyKind::kJoin, host.host_id, {}).ok());
    EXPECT_EQ(registry.records().items().size(), 2U);
  }
  over = true;
  io.join();
  EXPECT_TRUE(registry.remove(host.host_id).ok());
  registry.flush();
  EXPECT_EQ(store_.host_rows.size(), 1U);
  EXPECT_GT(announced.load(), 200);
}

}  // namespace
}  // namespace svc::machines
