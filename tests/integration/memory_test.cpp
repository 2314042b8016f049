// What plugins may use: valid load is never held against them.
#include <atomic>
#include <thread>

#include "harness/server.h"

namespace svc::test {
namespace {

constexpr const char* kModulesOfLoads = "storage-memory,http,jsruntime,plugins,rpc,installs";
constexpr std::size_t kMiB = 1UL << 20;
constexpr std::size_t kHeapMiB = 96;

constexpr const char* kSource = R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const method = { input: any, output: any };
export default (svc) => svc.rpc.register({ length: method, external: method }, {
  length: (text) => text.length,
  external: () => process.memoryUsage().external,
});
)";

TEST(MemoryTest, AnyAmountOfTextPassesThroughAPlugin) {
  const Server server(kModulesOfLoads, {kSpare, "--plugins.heapMiB", std::to_string(kHeapMiB)});
  const PluginDir plugin("texts", kSource);
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  constexpr std::size_t kText = 64UL << 10;
  constexpr std::size_t kCalls = (1280 * kMiB) / kText;
  const auto body = '"' + std::string(kText, 'x') + '"';
  std::atomic<std::size_t> left = kCalls;
  std::atomic<std::size_t> failed = 0;
  std::vector<std::thread> clients;
  for (int at = 0; at < 8; ++at) {
    clients.emplace_back([&] {
      auto http = server.http();
      while (left.fetch_sub(1) - 1 < kCalls) {
        if (http.rpc("texts", "length", body).body != R"({"ok":true,"result":65536})") {
          ++failed;
        }
      }
    });
  }
  for (auto& client : clients) {
    client.join();
  }
  EXPECT_EQ(failed, 0U);
  // Beyond twice the heap a plugin would be ended.
  EXPECT_LT(server.rpc("texts", "external").json["result"].asInteger(), 2 * kHeapMiB * kMiB);
  EXPECT_EQ(server.record("texts")["counters"]["terminations"].asInteger(), 0);
}

TEST(MemoryTest, WhenAllHoldTooMuchTheOneThatHoldsMostIsEnded) {
  constexpr const char* kHolder = R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const held = [];
export default (svc) => svc.rpc.register({ hold: { input: any, output: any } }, {
  hold: (mib) => held.push(Buffer.alloc(mib * 1024 * 1024, 1)),
});
)";
  const Server server(kModulesOfLoads, {kSpare, "--plugins.totalMiB", "300"});
  const PluginDir greedy("greedy", kHolder);
  const PluginDir modest("modest", kHolder);
  ASSERT_EQ(server.install(greedy.path())["status"].asString(), "running");
  ASSERT_EQ(server.install(modest.path())["status"].asString(), "running");
  EXPECT_EQ(server.rpc("modest", "hold", "100").status, 200);
  EXPECT_EQ(server.rpc("greedy", "hold", "150").status, 200);
  EXPECT_EQ(server.rpc("greedy", "hold", "150").status, 200);
  ASSERT_TRUE(eventually(
      [&] { return server.record("greedy")["counters"]["terminations"].asInteger() == 1; }));
  EXPECT_THAT(server.record("greedy")["lastError"]["message"].asString(),
              ::testing::HasSubstr("more than the 300 of plugins.totalMiB; this one held most, 3"));
  ASSERT_TRUE(
      eventually([&] { return server.record("greedy")["status"].asString() == "running"; }));
  EXPECT_EQ(server.record("modest")["counters"]["terminations"].asInteger(), 0);
  EXPECT_EQ(server.rpc("modest", "hold", "1").json["result"].asInteger(), 2);
}

}  // namespace
}  // namespace svc::test
