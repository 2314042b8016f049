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
  const Server server(kModulesOfLoads, {"--plugins.heapMiB", std::to_string(kHeapMiB)});
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

}  // namespace
}  // namespace svc::test
