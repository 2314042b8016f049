// A plugin that cannot load has the right status, says where it is broken, and disturbs nobody.
#include <sys/stat.h>

#include <thread>

#include <Poco/Exception.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

class BadPluginsTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("probe"))["status"].asString(), "running");
  }

  void expectOthersServe() {
    const auto answer = server.rpc("probe", "echo", R"("still here")");
    EXPECT_EQ(answer.body, R"({"ok":true,"result":"still here"})");
  }
  void expectNotCallable(const std::string& plugin, const std::string& status) {
    const auto answer = server.rpc(plugin, "get");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.code(), "plugin_not_running");
    EXPECT_EQ(answer.json["error"]["details"]["status"].asString(), status);
    EXPECT_EQ(answer.json["error"]["details"]["pluginId"].asString(), plugin);
  }
  /// Installs a plugin whose load never ends, sees it `starting`, and stops the server while it is.
  void expectStaysStarting(const std::string& directory, const std::string& plugin);
};

TEST_P(BadPluginsTest, NamesThePositionOfASyntaxError) {
  const auto record = server.install(fixture("syntax_error"));
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("server.ts:3"));
  expectNotCallable("syntax-error", "error");
  expectOthersServe();
}

TEST_P(BadPluginsTest, NamesThePositionOfAThrowingFactory) {
  const auto record = server.install(fixture("throwing_factory"));
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("fixture cannot start"));
  EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:6"));
  EXPECT_EQ(record["lastError"]["source"].asString(), "load");
  expectNotCallable("throwing-factory", "error");
  expectOthersServe();
}

TEST_P(BadPluginsTest, RefusesToInstallWithoutTheEntry) {
  const auto answer =
      server.http().post("/api/v1/plugins/install",
                         R"({"source":"path:)" + fixture("missing_entry").string() + R"("})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(answer.code(), "install_refused");
  EXPECT_THAT(answer.message(), HasSubstr("server.ts"));
  expectOthersServe();
}

TEST_P(BadPluginsTest, OpensNoFifo) {
  const PluginDir plugin("piped", answering("1"));
  const auto pipe = plugin.path() / "pipe.ts";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto install = [&] {
    return server.http().post("/api/v1/plugins/install",
                              R"({"source":"path:)" + plugin.path().string() + R"("})");
  };
  const auto refused = install();
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_THAT(refused.message(), HasSubstr("pipe.ts in the plugin's directory is a FIFO"));
  std::filesystem::remove(pipe);
  ASSERT_EQ(install().status, 200);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(server.reload("piped").body, HasSubstr("is a FIFO"));
  EXPECT_EQ(server.rpc("piped", "get").status, 200);
  expectOthersServe();
}

TEST_P(BadPluginsTest, NamesAnEntryThatIsGone) {
  const PluginDir plugin("entryless", answering("1"));
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  ASSERT_EQ(server.http().post("/api/v1/plugins/entryless/disable", "{}").status, 200);
  std::filesystem::remove(plugin.path() / "server.ts");
  const auto record = server.http().post("/api/v1/plugins/entryless/enable", "{}").json["plugin"];
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("server.ts"));
  expectNotCallable("entryless", "error");
  expectOthersServe();
}

TEST_P(BadPluginsTest, RefusesAnotherServiceVersion) {
  const auto record = server.install(fixture("wrong_engine"));
  EXPECT_EQ(record["status"].asString(), "incompatible");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr(">=99"));
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("0.43.0"));
  expectOthersServe();
}

TEST_P(BadPluginsTest, RefusesADirectoryWithoutManifest) {
  const TempDir empty;
  const auto answer = server.http().post("/api/v1/plugins/install",
                                         R"({"source":"path:)" + empty.path().string() + R"("})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(answer.code(), "install_refused");
  EXPECT_EQ(answer.json["error"]["details"]["reason"].asString(), "no_manifest");
}

TEST_P(BadPluginsTest, RefusesADirectoryThatDoesNotExist) {
  const auto answer =
      server.http().post("/api/v1/plugins/install", R"({"source":"path:/does/not/exist"})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(answer.json["error"]["details"]["reason"].asString(), "not_found");
  expectOthersServe();
}

TEST_P(BadPluginsTest, BecomesMissingWhenItsDirectoryGoes) {
  {
    const PluginDir gone("gone", answering("1"));
    ASSERT_EQ(server.install(gone.path())["status"].asString(), "running");
    ASSERT_EQ(server.http().post("/api/v1/plugins/gone/disable", "{}").status, 200);
  }
  const auto record = server.http().post("/api/v1/plugins/gone/enable", "{}").json["plugin"];
  EXPECT_EQ(record["status"].asString(), "missing");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("plugin directory not found"));
  expectOthersServe();
}

void BadPluginsTest::expectStaysStarting(const std::string& directory, const std::string& plugin) {
  auto socket = server.socket();
  std::thread installer([&] {
    try {
      static_cast<void>(
          server.http().post("/api/v1/plugins/install",
                             R"({"source":"path:)" + fixture(directory).string() + R"("})"));
    } catch (const Poco::Exception&) {
      // The server stops before the factory's time is over.
    }
  });
  EXPECT_TRUE(socket.awaitStatus(plugin, "starting"));
  EXPECT_EQ(server.record(plugin)["status"].asString(), "starting");
  expectNotCallable(plugin, "starting");
  expectOthersServe();
  const auto outcome = server.stop();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  installer.join();
}

TEST_P(BadPluginsTest, StaysStartingWhileAFactoryNeverEnds) {
  expectStaysStarting("hanging_factory", "hanging-factory");
}

TEST_P(BadPluginsTest, StaysStartingWhileAFactoryBlocksItsThread) {
  expectStaysStarting("spinning_factory", "spinning-factory");
}

SVC_WITH_STORAGE_ON_DISK(BadPluginsTest);

}  // namespace
}  // namespace svc::test
