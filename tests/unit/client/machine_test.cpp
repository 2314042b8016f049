#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kHosts =
    R"({"ok":true,"hosts":[{"id":"host_1","name":"home"},{"id":"host_2","name":"mac"},{"id":"mac","name":"tricky"}]})";
constexpr std::int64_t kMachineNow = 1'767'225'600'000;

class MachineTest : public ClientTest {
 protected:
  Context machineContext() {
    auto made = context();
    made.now = [] { return kMachineNow; };
    return made;
  }
  int remove(const std::string& host, bool yes, bool terminal) {
    auto made = machineContext();
    made.console.in_terminal = terminal;
    return machineRemove(made, host, yes);
  }
  int enroll(const EnrollOptions& options, const std::string& server_url) {
    expectPost(
        "/api/v1/hosts/join-codes",
        R"({"ok":true,"joinCode":"svce_a","hostId":"h","expiresAt":1767226500000,"serverUrl":)" +
            server_url + "}",
        201);
    auto made = machineContext();
    return machineEnroll(made, options);
  }
};

TEST_F(MachineTest, AnIdWinsOverAName) {
  expectGet("/api/v1/hosts", kHosts);
  expect("DELETE", "/api/v1/hosts/mac", HttpResponse{200, R"({"ok":true,"removed":"mac"})"});
  EXPECT_EQ(remove("mac", true, false), 0);
  EXPECT_EQ(out.str(), "Removed tricky.\n");
}

TEST_F(MachineTest, AnUnknownMachineIsNotFound) {
  expectGet("/api/v1/hosts", kHosts);
  EXPECT_EQ(remove("hom", true, false), 3);
  EXPECT_THAT(err.str(), HasSubstr("did you mean \"home\"?"));
}

TEST_F(MachineTest, RemovesNothingWithoutConsent) {
  EXPECT_EQ(remove("home", false, false), 4);
  EXPECT_THAT(err.str(), HasSubstr("--yes"));
  expectGet("/api/v1/hosts", kHosts);
  expectGet("/api/v1/environments", R"({"ok":false,"error":{"code":"not_found"}})", 404);
  expectGet("/api/v1/threads?archived=false&includeHidden=true", R"({"ok":true,"threads":[]})");
  in.str("n\n");
  EXPECT_EQ(remove("home", false, true), 4);
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(err.str(), Not(HasSubstr("cannot go on"))) << "nothing is there";
}

TEST_F(MachineTest, EnrollsWithTheAddressOthersCanUse) {
  EXPECT_EQ(enroll({.name = "my mac"}, R"("https://svc.example/x")"), 0);
  EXPECT_EQ(requests.back().body, R"({"name":"my mac"})");
  EXPECT_EQ(out.str(), "svc-hostd join --server https://svc.example/x --code svce_a\n");
  EXPECT_THAT(err.str(), HasSubstr("for 15 minutes"));
  EXPECT_THAT(err.str(), Not(HasSubstr("cannot reach")));
}

TEST_F(MachineTest, EnrollsWithTheAddressThatWasGivenFromElsewhere) {
  variables["SVC_SERVER_URL"] = "http://10.0.0.5:4700";
  EXPECT_EQ(enroll({}, R"("https://svc.example")"), 0);
  EXPECT_EQ(requests.back().body, "{}");
  EXPECT_EQ(out.str(), "svc-hostd join --server http://10.0.0.5:4700 --code svce_a\n");
}

TEST_F(MachineTest, SaysHowOtherMachinesReachAServerOnLoopback) {
  EXPECT_EQ(enroll({}, "null"), 0);
  EXPECT_EQ(out.str(), "svc-hostd join --server http://127.0.0.1:4700 --code svce_a\n");
  for (const char* word : {"listen.host", "listen.allowedHosts", "TLS", "appUrl"}) {
    EXPECT_THAT(err.str(), HasSubstr(word));
  }
}

TEST_F(MachineTest, EnrollsAMachineAgainByItsName) {
  expectGet("/api/v1/hosts", kHosts);
  EXPECT_EQ(enroll({.host = "home"}, "null"), 0);
  EXPECT_EQ(requests.back().body, R"({"hostId":"host_1"})");
}

TEST_F(MachineTest, WhatTheServerSaysCannotRunCommands) {
  EXPECT_EQ(enroll({}, R"("https://svc.example/$(reboot)'\u001b")"), 0);
  EXPECT_EQ(out.str(),
            "svc-hostd join --server 'https://svc.example/$(reboot)'\\''' --code svce_a\n");
}

TEST_F(MachineTest, ANumberBehindTheNameIsExplained) {
  expectGet("/api/v1/hosts", kHosts);
  expect("PATCH", "/api/v1/hosts/host_1",
         HttpResponse{200, R"({"ok":true,"host":{"name":"tricky-2"}})"});
  auto made = machineContext();
  EXPECT_EQ(machineRename(made, "home", "tricky"), 0);
  EXPECT_EQ(requests.back().body, R"({"name":"tricky"})");
  EXPECT_EQ(out.str(), "Renamed home to tricky-2.\n");
  EXPECT_THAT(err.str(), HasSubstr("Another machine is called tricky"));
}

TEST_F(MachineTest, AFailedUpdateIsTriedAgainByTheNameOfTheMachine) {
  expectGet("/api/v1/hosts", kHosts);
  expect("POST", "/api/v1/hosts/host_1/retry-update",
         HttpResponse{200, R"({"ok":true,"host":{}})"});
  auto made = machineContext();
  EXPECT_EQ(machineRetryUpdate(made, "home"), 0);
  EXPECT_THAT(out.str(), HasSubstr("may be tried again"));
  EXPECT_THAT(err.str(), HasSubstr("--auto-update"));
}

TEST_F(MachineTest, WhatOnlyMachinesOfProvidersHaveIsTheServersToRefuse) {
  expectGet("/api/v1/hosts", kHosts);
  expect(
      "POST", "/api/v1/hosts/host_1/resume",
      HttpResponse{501, R"({"ok":false,"error":{"code":"not_supported","message":"enrolled"}})"});
  auto made = machineContext();
  EXPECT_EQ(machineChange(made, "home", "resume"), 1);
  EXPECT_THAT(err.str(), HasSubstr("enrolled"));
}

TEST_F(MachineTest, PassesFailuresOn) {
  expectGet("/api/v1/hosts",
            R"({"ok":false,"error":{"code":"unknown_route","message":"unknown route"}})", 404);
  auto made = machineContext();
  EXPECT_EQ(machineShow(made, "mac"), 3);
  EXPECT_THAT(err.str(), HasSubstr("unknown route"));
}

}  // namespace
}  // namespace svc::client
