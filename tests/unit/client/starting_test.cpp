#include "starting.h"

#include <fmt/format.h>

#include "client_fixture.h"

namespace svc::client {
namespace {

using ::testing::SizeIs;

std::string hostsWith(const std::string& status, const std::string& message) {
  return fmt::format(
      R"({{"ok":true,"hosts":[{{"role":"machine","status":"disconnected","stateMessage":"off"}},)"
      R"({{"role":"server","status":"{}","stateMessage":"{}"}}]}})",
      status, message);
}

class AwaitOwnMachineTest : public ClientTest {
 protected:
  void wait() {
    auto with = context();
    auto api = Api::open(with.choice, with.environment, with.connector);
    ASSERT_TRUE(api.ok());
    awaitOwnMachine(with, api.value());
  }
};

TEST_F(AwaitOwnMachineTest, LooksUntilItIsConnected) {
  expectGet("/api/v1/hosts", hostsWith("disconnected", "its host daemon has not connected yet"));
  expectGet("/api/v1/hosts", hostsWith("disconnected", "its host daemon has not connected yet"));
  expectGet("/api/v1/hosts", hostsWith("connected", ""));
  wait();
  EXPECT_THAT(pauses, SizeIs(2));
}

TEST_F(AwaitOwnMachineTest, IsNotWaitedForWhereTheServerSaysWhyThereIsNone) {
  expectGet(
      "/api/v1/hosts",
      hostsWith("disconnected", "the server starts no host daemon here: hosts.local is false"));
  wait();
  EXPECT_THAT(pauses, SizeIs(0));
}

TEST_F(AwaitOwnMachineTest, EndsInTheEnd) {
  EXPECT_CALL(*http, send(::testing::_))
      .WillRepeatedly([](const HttpRequest&) -> Result<HttpResponse> {
        return HttpResponse{200,
                            hostsWith("disconnected", "its host daemon has not connected yet")};
      });
  wait();
  EXPECT_THAT(pauses, SizeIs(20));
}

TEST_F(AwaitOwnMachineTest, AServerWithoutMachinesHasNone) {
  expectGet("/api/v1/hosts", R"({"ok":false,"error":{"code":"not_found","message":"no"}})", 404);
  wait();
  EXPECT_THAT(pauses, SizeIs(0));
}

}  // namespace
}  // namespace svc::client
