// A reload replaces the code without a gap, or leaves everything as it was.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

class ReloadTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  }
  std::string get() { return server.rpc("changing", "get").json["result"].dump(); }
  std::int64_t generation() { return server.record("changing")["generation"].asInteger(); }

  PluginDir plugin{"changing", answering("1")};
};

TEST_P(ReloadTest, ServesTheNewCode) {
  EXPECT_EQ(get(), "1");
  EXPECT_EQ(generation(), 1);
  plugin.write(answering("2"));
  const auto answer = server.reload("changing");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["plugins"].items().size(), 1U);
  EXPECT_EQ(answer.json["plugins"].items()[0]["generation"].asInteger(), 2);
  EXPECT_EQ(get(), "2");
}

TEST_P(ReloadTest, KeepsThePreviousInstanceWhenTheNewOneFails) {
  for (const std::string broken :
       {"export default () => { throw new Error('no good'); };", "const = 1;"}) {
    plugin.write(broken);
    const auto answer = server.reload("changing");
    EXPECT_EQ(answer.status, 422) << answer.body;
    EXPECT_EQ(answer.code(), "load_failed");
    EXPECT_THAT(answer.message(), ::testing::EndsWith("(the previous instance is still running)"));
    const auto record = server.record("changing");
    EXPECT_EQ(record["status"].asString(), "running");
    EXPECT_THAT(record["statusDetail"].asString(), ::testing::StartsWith("reload failed: "));
    EXPECT_EQ(record["generation"].asInteger(), 1);
    EXPECT_EQ(get(), "1");
  }
  plugin.write(answering("2"));
  EXPECT_EQ(server.reload("changing").status, 200);
  EXPECT_TRUE(server.record("changing")["statusDetail"].isNull());
  EXPECT_EQ(generation(), 2);
  EXPECT_EQ(get(), "2");
}

TEST_P(ReloadTest, AnnouncesEveryReload) {
  auto socket = server.socket();
  ASSERT_EQ(server.reload("changing").status, 200);
  EXPECT_TRUE(socket.awaitStatus("changing", "running"));
}

TEST_P(ReloadTest, RefusesAnUnknownPlugin) {
  const auto answer = server.reload("nobody");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.code(), "unknown_plugin");
}

TEST_P(ReloadTest, FailsNoCallDuringFiftyReloads) {
  constexpr int kReloads = 50;
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      auto http = server.http();
      while (!stop) {
        const auto answer = http.rpc("changing", "get");
        ++calls;
        if (answer.status != 200 && failures++ == 0) {
          ADD_FAILURE() << answer.status << " " << answer.body;
        }
      }
    });
  }
  for (int i = 0; i < kReloads; ++i) {
    plugin.write(answering(std::to_string(i)));
    const auto answer = server.reload("changing");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(get(), std::to_string(i));
  }
  stop = true;
  for (auto& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_GT(calls, kReloads);
  EXPECT_EQ(generation(), 1 + kReloads);
}

TEST_P(ReloadTest, LogsTheNewInstanceBeforeTheEndOfTheOld) {
  ASSERT_EQ(server.reload("changing").status, 200);
  // The disposal ends on its own time.
  auto http = server.http();
  std::string log;
  ASSERT_TRUE(eventually([&] {
    log = http.get("/api/v1/plugins/changing/logs?tail=1000").body;
    return log.find("disposed") != std::string::npos;
  })) << log;
  const auto first = log.find("loaded");
  const auto second = log.find("loaded", first + 1);
  EXPECT_NE(second, std::string::npos) << log;
  EXPECT_LT(second, log.find("disposed")) << log;
}

// ES module and CommonJS packages of which two share a third: each load has its own, and one of each.
TEST_P(ReloadTest, GivesEveryLoadFreshDependencies) {
  const auto package = [&](const std::string& name, const std::string& type,
                           const std::string& source) {
    const auto path = plugin.path() / "node_modules" / name;
    std::filesystem::create_directories(path);
    std::ofstream(path / "package.json") << R"({"main":"index.js","type":")" << type << "\"}";
    std::ofstream(path / "index.js") << source;
  };
  package("counter", "module", "let n = 0; export const next = () => ++n;");
  package("left", "module", "export { next as left } from 'counter';");
  package("right", "module", "import { next } from 'counter'; export default () => next();");
  package("common", "commonjs", "let n = 10; exports.common = () => ++n;");
  const auto using_them = [](const std::string& edit) {
    return "import { left } from 'left'; import right from 'right'; import { common } from "
           "'common';\n" +
           answering("[" + edit + ", left(), right(), common()]");
  };
  for (const std::string edit : {"1", "2", "3"}) {
    plugin.write(using_them(edit));
    const auto answer = server.reload("changing");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(get(), "[" + edit + ",1,2,11]");
    EXPECT_EQ(get(), "[" + edit + ",3,4,12]");
  }
  package("counter", "module", "let n = 100; export const next = () => ++n;");
  ASSERT_EQ(server.reload("changing").status, 200);
  EXPECT_EQ(get(), "[3,101,102,11]") << "the edited package";
}

SVC_WITH_STORAGE_ON_DISK(ReloadTest);

}  // namespace
}  // namespace svc::test
