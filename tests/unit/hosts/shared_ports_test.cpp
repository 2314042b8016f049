#include "shared_ports.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

class SharedPortsTest : public HostsFixture {};

TEST_F(SharedPortsTest, ADeclarationCountsFromItsCommit) {
  const auto daemon = connect();
  ports_.declare("todo", 1, "host_1", {80, 81});
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":0,"ports":[]})");
  EXPECT_EQ(daemon.socket->unread(), 0U);
  ports_.commit("todo", 1);
  EXPECT_EQ(daemon.socket->next().dump(),
            R"({"generation":1,"ports":[80,81],"type":"connect-shares.replace"})");
  ports_.declare("todo", 1, "host_1", {9});
  EXPECT_EQ(daemon.socket->next()["ports"].dump(), "[9]");
}

TEST_F(SharedPortsTest, PluginsShareTogether) {
  ports_.commit("a", 1);
  ports_.commit("b", 2);
  ports_.declare("a", 1, "host_1", {90, 80});
  ports_.declare("b", 2, "host_1", {80, 70});
  ports_.declare("b", 2, "host_2", {1});
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":2,"ports":[70,80,90]})");
  ports_.withdraw(2);
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":3,"ports":[80,90]})");
  EXPECT_EQ(ports_.describe("host_2"), R"({"generation":2,"ports":[]})");
}

TEST_F(SharedPortsTest, AFailedLoadSharesNothing) {
  ports_.declare("todo", 1, "host_1", {80});
  ports_.declare("todo", 2, "host_2", {81});
  ports_.commit("todo", 2);
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":0,"ports":[]})");
  EXPECT_EQ(ports_.describe("host_2"), R"({"generation":1,"ports":[81]})");
}

TEST_F(SharedPortsTest, ALoadThatHasEndedChangesNothing) {
  ports_.commit("todo", 1);
  ports_.declare("todo", 2, "host_1", {80});
  ports_.withdraw(1);
  ports_.declare("todo", 1, "host_1", {81});
  ports_.commit("todo", 2);
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":1,"ports":[80]})");
}

TEST_F(SharedPortsTest, ADeclarationForAnOfflineHostIsKept) {
  ports_.commit("todo", 1);
  ports_.declare("todo", 1, "host_1", {80});
  EXPECT_EQ(ports_.describe("host_1"), R"({"generation":1,"ports":[80]})");
}

}  // namespace
}  // namespace svc::hosts
