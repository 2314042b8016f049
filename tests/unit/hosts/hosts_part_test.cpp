#include "hosts_part.h"

#include <algorithm>

#include "fixture.h"

namespace svc::hosts {
namespace {

using ::testing::ElementsAre;

class HostsPartTest : public HostsFixture {
 protected:
  HostsPartTest() {
    generation_ = load("todo", 7, artifact("g1"));
    functions_ =
        hostsPart({.reactor = reactor_, .registry = registry_, .calls = calls_, .ports = shared_})
            .functions(generation_);
  }

  script::HostFunction& function(const std::string& name) {
    return *std::find_if(functions_.begin(), functions_.end(),
                         [&name](const auto& entry) { return entry.name == name; });
  }
  void ask(const std::string& argument) {
    function("hosts.call").async(argument, [this](Result<std::string> result) {
      outcomes_.push_back(result ? result.value() : std::string(result.error().code.name()));
    });
    reactor_.runAll();
  }

  std::shared_ptr<SharedPorts> shared_ = std::make_shared<SharedPorts>(*sessions_);
  std::shared_ptr<plugins::FakeGeneration> generation_;
  std::vector<script::HostFunction> functions_;
};

TEST_F(HostsPartTest, ACallGoesToItsHost) {
  const auto daemon = connect();
  ask("\"host_1\"\n4\n1500\n\"a \\\"b\\\"\"\n{\"x\":\"1\\n2\"}");
  const auto request = daemon.socket->next();
  EXPECT_EQ(request["command"]["callId"], Json("4"));
  EXPECT_EQ(request["command"]["timeoutMs"], Json(1500));
  EXPECT_EQ(request["command"]["method"], Json("a \"b\""));
  EXPECT_EQ(request["command"]["input"].dump(), R"({"x":"1\n2"})");
  daemon.answers(request, R"({"output":{"y":2}})");
  EXPECT_THAT(outcomes_, ElementsAre(R"({"y":2})"));
}

TEST_F(HostsPartTest, ACallMayHaveNoInput) {
  const auto daemon = connect();
  ask("\"host_1\"\n4\n1500\n\"m\"\n");
  EXPECT_EQ(daemon.socket->next()["command"].find("input"), nullptr);
}

TEST_F(HostsPartTest, OddArgumentsFail) {
  for (const auto* argument :
       {"", "\"h\"\n1\n2\n\"m\"", "\"h\"\nx\n2\n\"m\"\n", "h\n1\n2\n\"m\"\n"}) {
    ask(argument);
  }
  EXPECT_THAT(outcomes_,
              ElementsAre("internal_error", "internal_error", "internal_error", "internal_error"));
}

TEST_F(HostsPartTest, ACallIsCancelledByItsNumber) {
  const auto daemon = connect();
  ask("\"host_1\"\n4\n1500\n\"m\"\n");
  EXPECT_TRUE(function("hosts.cancel").sync("4").ok());
  reactor_.runAll();
  EXPECT_THAT(outcomes_, ElementsAre("aborted"));
  EXPECT_FALSE(function("hosts.cancel").sync("x").ok());
}

TEST_F(HostsPartTest, AfterTheEndOfTheServiceACallFails) {
  calls_.reset();
  ask("\"host_1\"\n4\n1500\n\"m\"\n");
  EXPECT_THAT(outcomes_, ElementsAre("host_unavailable"));
}

TEST_F(HostsPartTest, PortsAreForKnownHosts) {
  const auto declare = [this](const std::string& argument) {
    return function("hosts.declarePorts").sync(argument).value();
  };
  shared_->commit("todo", 7);
  EXPECT_EQ(declare(R"({"hostId":"host_1","ports":[81,80]})"), "true");
  EXPECT_EQ(declare(R"({"hostId":"nobody","ports":[1]})"), "false");
  reactor_.runAll();
  EXPECT_EQ(shared_->describe("host_1"), R"({"generation":1,"ports":[80,81]})");
}

}  // namespace
}  // namespace svc::hosts
