#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

constexpr const char* kTop =
    R"json({"ok":true,"plugins":[{"id":"todo","cpuMs":1250,"cpuPercent":12.5,"heapBytes":3145728,)json"
    R"json("externalBytes":1048576,"workerThreads":0,"blockingOperations":4,"descriptors":5,"databaseBytes":0,"databaseConnections":0,"parkedEnvironments":0,"parkedBytes":0,"loopDelayP99Ms":0.4,"calls":7,"errors":1,"restarts":2}]})json";

class PluginTopTest : public ClientTest {};

TEST_F(PluginTopTest, ShowsATableOnceInAPipe) {
  expectGet("/api/v1/plugins/top", kTop);
  auto made = context();
  EXPECT_EQ(pluginTop(made, {}), 0);
  EXPECT_EQ(
      out.str(),
      "PLUGIN\tCPU\tCPU TIME\tHEAP\tBUFFERS\tTHREADS\tBLOCKING\tFILES\tDATABASES\tPARKED\tLOOP "
      "P99\tCALLS\tERRORS\tRESTARTS\n"
      "todo\t12.5 %\t1.2 s\t3.0 MiB\t1.0 MiB\t0\t4\t5\t-\t-\t0.4 ms\t7\t1\t2\n");
  EXPECT_TRUE(pauses.empty());
}

TEST_F(PluginTopTest, LooksAgainAfterTheInterval) {
  expectGet("/api/v1/plugins/top", kTop);
  expect("GET", "/api/v1/plugins/top", Error{codes::kUnreachable, "the server has gone"});
  auto made = context();
  EXPECT_EQ(pluginTop(made, {.once = false, .interval = 3}), 69);
  EXPECT_EQ(pauses, std::vector<std::int64_t>{3000});
}

TEST_F(PluginTopTest, RedrawsATerminalUntilItIsToldOnce) {
  expectGet("/api/v1/plugins/top", kTop);
  auto made = context();
  made.console.out_terminal = true;
  EXPECT_EQ(pluginTop(made, {.once = true, .interval = {}}), 0);
  EXPECT_TRUE(out.str().starts_with("PLUGIN  CPU ")) << out.str();
}

TEST_F(PluginTopTest, PrintsTheEnvelopeAsJson) {
  expectGet("/api/v1/plugins/top", kTop);
  auto made = context();
  made.console.json = true;
  EXPECT_EQ(pluginTop(made, {.once = true, .interval = {}}), 0);
  EXPECT_EQ(out.str(), std::string(kTop) + "\n");
}

TEST_F(PluginTopTest, SaysWhenThereIsNothing) {
  expectGet("/api/v1/plugins/top", R"json({"ok":true,"plugins":[]})json");
  auto made = context();
  EXPECT_EQ(pluginTop(made, {}), 0);
  EXPECT_EQ(out.str(), "No plugins installed.\n");
}

}  // namespace
}  // namespace svc::client
