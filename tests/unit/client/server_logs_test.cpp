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

TEST_F(ServerLogsTest, ALineBreakInAMessageBeginsNoLineOfItsOwn) {
  data.write("logs/server.log",
             "{\"ts\":1767225600000,\"level\":\"info\",\"message\":\"a\\n2026-01-01T00:00:00.000Z  "
             "info   b\","
             "\"stack\":\"Error\\nat c\"}\n");
  auto made = context();
  made.console.out_terminal = true;
  EXPECT_EQ(serverLogs(made, {.lines = 2, .follow = false, .level = {}}), 0);
  EXPECT_EQ(out.str(),
            "2026-01-01T00:00:00.000Z  info   a\n    2026-01-01T00:00:00.000Z  info   b\n"
            "    Error\n    at c\n");
}

TEST_F(ServerLogsTest, AreNotThoseOfAServerElsewhere) {
  data.write("server.json", R"({"pid":1,"url":"http://127.0.0.1:4700"})");
  data.write("logs/server.log", "own\n");
  variables["SVC_SERVER_URL"] = "http://other:1";
  auto made = context();
  EXPECT_EQ(serverLogs(made, {.lines = 2, .follow = false, .level = {}}), 4);
  EXPECT_EQ(serverStop(made), 4);
  EXPECT_EQ(serverRestart(made, {}), 4);
  EXPECT_EQ(out.str(), "");
  EXPECT_NE(err.str().find("SVC_SERVER_URL names http://other:1\n"), std::string::npos);
  EXPECT_NE(err.str().find("leave the address out"), std::string::npos);
}

}  // namespace
}  // namespace svc::client
