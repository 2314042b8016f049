// Code as plugin authors write it: packages of npm and the whole of Node, in a plugin of a real server.
#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

class RealCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture("toolchain"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  void expectResult(const std::string& method, const std::string& json) const {
    EXPECT_EQ(server.rpc("toolchain", method).body, R"({"ok":true,"result":)" + json + "}")
        << method;
  }
  /// The plugin's failure outside of a call, once its record shows it.
  void expectAttributed(const std::string& method, const std::string& message) const {
    EXPECT_EQ(server.rpc("toolchain", method).status, 200) << method;
    const auto record = server.awaitRecord("toolchain", [&](const Json& r) {
      return r["lastError"]["message"].asString().find(message) != std::string::npos;
    });
    EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:")) << record.dump();
    EXPECT_EQ(record["status"].asString(), "running");
  }

  Server server{kDefaultModules, {kSpare}};
};

TEST_F(RealCodeTest, LoadsPackagesOfEveryKind) {
  expectResult("packages", R"([{"size":1},"mini","from json",true])");
}

TEST_F(RealCodeTest, ServesAndCallsOverTheNetwork) {
  expectResult("fastify", R"({"served":true})");
  expectResult("websockets", R"(["echo package","echo web"])");
  expectResult("fetch", R"(["POST sent",["a=1; Path=/, x","b=2"]])");
  expectResult("sockets", R"("over tcp")");
  expectResult("lookup", "true");
}

TEST_F(RealCodeTest, StartsProcessesAndThreads) {
  expectResult("children", R"(["run","spawned","forked!"])");
  expectResult("worker", "42");
}

TEST_F(RealCodeTest, HasTheModulesOfNode) {
  expectResult("watching", R"("new.txt")");
  expectResult("streams", R"("ONE TWO")");
  expectResult("lines", R"(["a","bc","d"])");
  expectResult("context", R"("kept")");
  expectResult("webcrypto", "true");
}

TEST_F(RealCodeTest, TakesTheLinesOfALogger) {
  expectResult("logger", "null");
  EXPECT_TRUE(eventually([this] {
    return server.http().get("/api/v1/plugins/toolchain/logs").body.find("logged with pino") !=
           std::string::npos;
  }));
}

TEST_F(RealCodeTest, RefusesNativeAddonsWithANote) {
  const auto result = server.rpc("toolchain", "addon").json["result"].asString();
  EXPECT_THAT(result, HasSubstr("ERR_DLOPEN_FAILED native addons are not supported"));
}

TEST_F(RealCodeTest, AttributesFailuresOfEveryCallback) {
  expectAttributed("emitter", "emitted without a listener");
  expectAttributed("socketCallback", "thrown in a socket's callback");
  expectAttributed("childCallback", "thrown in a child's callback");
  expectAttributed("streamCallback", "thrown in a stream's callback");
}

}  // namespace
}  // namespace svc::test
