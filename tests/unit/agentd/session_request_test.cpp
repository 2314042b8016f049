#include "session_request.h"

#include <gmock/gmock.h>

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::SizeIs;

Json servers(const std::string& url) {
  return Json::parse(R"([{"type":"http","name":"svc","url":")" + url +
                     R"(","headers":[{"name":"Authorization","value":"Bearer secret"}]}])")
      .value();
}

TEST(ReachServerTest, ThePathOfTheServerGetsItsAddressAndABridge) {
  auto all = servers("/api/v1/mcp");
  reachServer(all, "http://10.0.0.1:4700/", "/opt/svc");
  ASSERT_THAT(all.items(), SizeIs(1));
  const auto& server = all.items()[0];
  EXPECT_EQ(server["url"].asString(), "http://10.0.0.1:4700/api/v1/mcp");
  EXPECT_EQ(server["stdio"].dump(), R"({"name":"svc","command":"/opt/svc","args":["mcp"],"env":[)"
                                    R"({"name":"SVC_SERVER_URL","value":"http://10.0.0.1:4700"},)"
                                    R"({"name":"SVC_MCP_TOKEN","value":"secret"}]})");
}

TEST(ReachServerTest, WithoutTheProgramThereIsNoBridge) {
  auto all = servers("/api/v1/mcp");
  reachServer(all, "http://10.0.0.1:4700", "");
  EXPECT_TRUE(all.items()[0]["stdio"].isNull());
}

TEST(ReachServerTest, OtherServersStayAsTheyAre) {
  auto all = servers("https://example.com/mcp");
  const auto before = all;
  reachServer(all, "http://10.0.0.1:4700", "/opt/svc");
  EXPECT_EQ(all, before);
}

}  // namespace
}  // namespace svc::agentd
