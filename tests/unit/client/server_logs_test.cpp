#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

class ServerLogsTest : public ClientTest {
 protected:
  ServerLogsTest() { variables["SVC_DATA_DIR"] = data.path().string(); }
  TempTree data;
};

TEST_F(ServerLogsTest, AreLinesToReadOnATerminal) {
  data.write("logs/server.log",
             "{\"ts\":1767225600000,\"level\":\"info\",\"message\":\"older\"}\n"
             "{\"ts\":1767225600123,\"level\":\"info\",\"logger\":\"hosts\",\"message\":"
             "\"host \\\"vm\\\" is\\u001b[31m enrolled\"}\n"
             "not json\n");
  auto made = context();
  made.console.out_terminal = true;
  EXPECT_EQ(serverLogs(made, {.lines = 2, .follow = false, .level = {}}), 0);
  EXPECT_EQ(out.str(),
            "2026-01-01T00:00:00.123Z  info   hosts: host \"vm\" is[31m enrolled\nnot json\n");
}

}  // namespace
}  // namespace svc::client
