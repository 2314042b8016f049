// A caller that goes away aborts the signal of its call, and only that.
#include <signal.h>

#include <Poco/Net/StreamSocket.h>

#include "harness/server.h"

namespace svc::test {
namespace {

class DisconnectTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("probe"))["status"].asString(), "running");
  }

  Poco::Net::StreamSocket beginCall() {
    Poco::Net::StreamSocket caller(Poco::Net::SocketAddress("127.0.0.1", server.port()));
    const std::string request =
        "POST /api/v1/plugins/probe/rpc/until_aborted HTTP/1.1\r\nHost: 127.0.0.1:" +
        std::to_string(server.port()) +
        "\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull";
    caller.sendBytes(request.data(), static_cast<int>(request.size()));
    return caller;
  }
};

TEST_P(DisconnectTest, AbortsTheSignalOfAnRpcCall) {
  auto socket = server.socket();
  auto caller = beginCall();
  ASSERT_TRUE(socket.awaitSignal("probe", "state", R"("waiting")"));
  caller.close();
  EXPECT_TRUE(socket.awaitSignal("probe", "state", R"("aborted")"));
  EXPECT_EQ(server.rpc("probe", "echo", "1").status, 200);
}

TEST_P(DisconnectTest, AbortsTheSignalOfACommand) {
  auto socket = server.socket();
  Child command({.argv = {SVC_TEST_SVC, "--server", server.url(), "probe", "wait"}});
  ASSERT_TRUE(socket.awaitSignal("probe", "state", R"("command waiting")"));
  command.signal(SIGINT);
  EXPECT_TRUE(socket.awaitSignal("probe", "state", R"("command aborted")"));
  const auto outcome = command.wait();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->exit_code, 130);
}

SVC_WITH_STORAGE_ON_DISK(DisconnectTest);

}  // namespace
}  // namespace svc::test
