// Plugins that call plugins, and the service, through svc.sdk.
#include <thread>

#include <Poco/Net/StreamSocket.h>

#include "harness/server.h"

namespace svc::test {
namespace {

class PluginCallsTest : public ServerTest {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture("caller"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
    ASSERT_EQ(server.install(fixture("probe"))["status"].asString(), "running");
  }
  Answer ask(const std::string& to, const std::string& name, const std::string& input = "null") {
    return server.rpc("caller", "ask",
                      R"({"to":")" + to + R"(","name":")" + name + R"(","input":)" + input + "}");
  }
  /// {value} or {error} of one call of svc.sdk.
  common::Json sdk(const std::string& path, const std::string& argument = "{}") {
    return server.rpc("caller", "sdk", R"({"path":")" + path + R"(","argument":)" + argument + "}")
        .json["result"];
  }
};

TEST_P(PluginCallsTest, APluginCallsAnother) {
  EXPECT_EQ(ask("probe", "echo", R"({"a":[1,"ü"]})").body, R"({"ok":true,"result":{"a":[1,"ü"]}})");
}

TEST_P(PluginCallsTest, TheHandlerSeesWhoCalls) {
  EXPECT_EQ(server.rpc("caller", "who").body, R"({"ok":true,"result":{"kind":"client"}})");
  // A plugin may call itself: the answer comes while its own handler waits.
  EXPECT_EQ(ask("caller", "who").body,
            R"({"ok":true,"result":{"kind":"plugin","pluginId":"caller"}})");
}

TEST_P(PluginCallsTest, AClientCannotClaimToBeAPlugin) {
  auto http = server.http();
  const auto forged =
      http.send({.method = "POST", .target = "/api/v1/plugins/caller/rpc/%0Aprobe%0Awho"});
  EXPECT_EQ(forged.code(), "unknown_method") << forged.body;
  const auto header = http.send({.method = "POST",
                                 .target = "/api/v1/plugins/caller/rpc/who",
                                 .headers = {{"x-svc-plugin", "probe"}}});
  EXPECT_EQ(header.body, R"({"ok":true,"result":{"kind":"client"}})");
}

TEST_P(PluginCallsTest, FailuresOfTheOtherKeepTheirCode) {
  const auto failed = sdk("plugins.callRpc", R"({"pluginId":"caller","method":"fail"})")["error"];
  EXPECT_EQ(failed["name"].asString(), "HttpError");
  EXPECT_EQ(failed["status"].asInteger(), 500);
  EXPECT_EQ(failed["code"].asString(), "handler_error");
  EXPECT_EQ(failed["message"].asString(), "as asked");
  EXPECT_EQ(
      sdk("plugins.callRpc", R"({"pluginId":"gone","method":"x"})")["error"]["code"].asString(),
      "unknown_plugin");
  EXPECT_EQ(
      sdk("plugins.callRpc", R"({"pluginId":"probe","method":"gone"})")["error"]["code"].asString(),
      "unknown_method");
}

TEST_P(PluginCallsTest, AClientThatLeavesAbortsTheWholeChain) {
  auto socket = server.socket();
  Poco::Net::StreamSocket client(Poco::Net::SocketAddress("127.0.0.1", server.port()));
  const std::string body = R"({"to":"probe","name":"until_aborted"})";
  const std::string request =
      "POST /api/v1/plugins/caller/rpc/ask HTTP/1.1\r\nHost: 127.0.0.1:" +
      std::to_string(server.port()) +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  client.sendBytes(request.data(), static_cast<int>(request.size()));
  ASSERT_TRUE(socket.awaitSignal("probe", "state", R"("waiting")"));
  client.close();
  EXPECT_TRUE(socket.awaitSignal("probe", "state", R"("aborted")"));
}

TEST_P(PluginCallsTest, ACalleeThatReloadsLosesNoCall) {
  Answer answer;
  std::jthread calling([this, &answer] {
    answer = server.rpc("caller", "many", R"({"to":"probe","name":"pid","count":300})");
  });
  for (int index = 0; index < 3; ++index) {
    EXPECT_EQ(server.reload("probe").status, 200);
  }
  calling.join();
  EXPECT_EQ(answer.body, R"({"ok":true,"result":[]})");
}

TEST_P(PluginCallsTest, TheSdkReachesTheRoutesOfTheService) {
  const auto version = sdk("system.version")["value"];
  EXPECT_TRUE(version["ok"].asBool());
  EXPECT_EQ(version["version"].asString(), "0.43.0");
  EXPECT_EQ(version["sdkVersion"].asString(), "0.4.84");
  const auto config = sdk("system.config")["value"];
  EXPECT_EQ(config["dataDir"].asString(), server.dataDir().string());
  EXPECT_EQ(config["serverUrl"].asString(), server.url());
  EXPECT_FALSE(config["timezone"].asString().empty());
  EXPECT_FALSE(config["safeMode"].asBool(true));
  EXPECT_EQ(sdk("plugins.list")["value"]["plugins"].items().size(), 2U);
  EXPECT_EQ(sdk("plugins.disable", R"({"pluginId":"probe"})")["value"]["status"].asString(),
            "disabled");
  EXPECT_EQ(sdk("plugins.enable", R"({"pluginId":"probe"})")["value"]["status"].asString(),
            "running");
  EXPECT_EQ(sdk("plugins.reload", R"({"pluginId":"probe"})")["value"]["plugins"].items().size(),
            1U);
  EXPECT_EQ(sdk("plugins.remove", R"({"pluginId":"probe"})")["value"]["removed"].asString(),
            "probe");
  EXPECT_FALSE(sdk("status.get")["value"]["modules"].items().empty());
}

TEST_P(PluginCallsTest, WhatTheServiceDoesNotHaveSaysSo) {
  for (const auto* path : {"skills.registry.list", "guide.render"}) {
    const auto failed = sdk(path)["error"];
    EXPECT_EQ(failed["status"].asInteger(), 501) << path;
    EXPECT_EQ(failed["code"].asString(), "not_supported") << path;
    EXPECT_EQ(failed["message"].asString().find(std::string("svc.sdk.") + path), 0U) << path;
  }
}

TEST_P(PluginCallsTest, PublishedMethodsAreListed) {
  ASSERT_EQ(server.install(fixture("surface"))["status"].asString(), "running");
  const auto methods = server.http().get("/api/v1/plugins/rpc").json["methods"];
  ASSERT_EQ(methods.items().size(), 1U);
  EXPECT_EQ(methods.items()[0]["pluginId"].asString(), "surface");
  EXPECT_EQ(methods.items()[0]["displayName"].asString(), "Surface");
  EXPECT_EQ(methods.items()[0]["method"].asString(), "failures");
  EXPECT_EQ(methods.items()[0]["outputSchema"]["type"].asString(), "array");
}

SVC_FOR_EACH_STORAGE(PluginCallsTest);

}  // namespace
}  // namespace svc::test
