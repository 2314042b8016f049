#include "join_address.h"

#include <gtest/gtest.h>

namespace svc::machines {
namespace {

TEST(JoinAddressTest, IsThePublicAddressWhenThereIsOne) {
  EXPECT_EQ(joinAddress({.app_url = "https://svc.example/base/",
                         .listen_host = "127.0.0.1",
                         .base_url = "http://127.0.0.1:4700"}),
            "https://svc.example/base");
}

TEST(JoinAddressTest, IsNothingOnLoopback) {
  for (const char* host : {"127.0.0.1", "localhost", "::1", "[::1]", "127.1.2.3"}) {
    EXPECT_EQ(joinAddress({.listen_host = host,
                           .allowed_hosts = {"svc.example"},
                           .base_url = "http://127.0.0.1:4700"}),
              "")
        << host;
  }
}

TEST(JoinAddressTest, IsTheFirstNameThatOthersCanUse) {
  const auto address = [](std::vector<std::string> names) {
    return joinAddress({.listen_host = "0.0.0.0",
                        .allowed_hosts = std::move(names),
                        .base_url = "http://127.0.0.1:4711"});
  };
  EXPECT_EQ(address({"localhost", "10.0.0.5"}), "http://10.0.0.5:4711");
  EXPECT_EQ(address({"svc.lan:80"}), "http://svc.lan:80");
  EXPECT_EQ(address({"[fd00::1]"}), "http://[fd00::1]:4711");
  EXPECT_EQ(address({"localhost:4711"}), "");
  EXPECT_EQ(address({}), "");
}

}  // namespace
}  // namespace svc::machines
