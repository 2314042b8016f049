#include "server_address.h"

#include <gmock/gmock.h>

namespace svc::serverlink {
namespace {

using testing::HasSubstr;

TEST(ServerAddressTest, ReadsWhatPeopleWrite) {
  const auto plain = ServerAddress::parse("http://10.0.0.1:4700");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain.value(), (ServerAddress{false, "10.0.0.1", 4700, ""}));
  EXPECT_EQ(plain.value().text(), "http://10.0.0.1:4700");
  EXPECT_EQ(plain.value().authority(), "10.0.0.1:4700");
  const auto proxied = ServerAddress::parse("https://svc.example.com/base/");
  ASSERT_TRUE(proxied.ok());
  EXPECT_EQ(proxied.value(), (ServerAddress{true, "svc.example.com", 443, "/base"}));
  EXPECT_EQ(proxied.value().text(), "https://svc.example.com/base");
  EXPECT_EQ(proxied.value().authority(), "svc.example.com");
}

TEST(ServerAddressTest, KnowsSixthVersionAddresses) {
  const auto address = ServerAddress::parse("http://[::1]:4700");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address.value().host, "::1");
  EXPECT_EQ(address.value().authority(), "[::1]:4700");
  EXPECT_TRUE(address.value().isLoopback());
}

TEST(ServerAddressTest, KnowsWhatStaysOnThisMachine) {
  for (const auto* text : {"http://127.0.0.1:1", "http://127.8.0.1:1", "http://localhost:1"}) {
    EXPECT_TRUE(ServerAddress::parse(text).value().isLoopback()) << text;
  }
  for (const auto* text :
       {"http://10.0.0.1:1", "http://example.com", "http://127.0.0.1.example.com"}) {
    EXPECT_FALSE(ServerAddress::parse(text).value().isLoopback()) << text;
  }
}

TEST(ServerAddressTest, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> table[] = {
      {"", "does not begin with http"},
      {"10.0.0.1:4700", "server"},
      {"ftp://10.0.0.1", "does not begin with http"},
      {"ws://10.0.0.1", "does not begin with http"},
      {"http://", "names no host"},
      {"http://me:secret@10.0.0.1", "user name"},
      {"http://10.0.0.1/?x=1", "without ? and #"},
      {"http://10.0.0.1:99999", "server"},
  };
  for (const auto& [text, problem] : table) {
    const auto address = ServerAddress::parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, errc::kInvalidArgument);
    EXPECT_THAT(address.error().message, HasSubstr(problem)) << text;
    EXPECT_THAT(address.error().message, HasSubstr("http://127.0.0.1:4700")) << text;
  }
}

}  // namespace
}  // namespace svc::serverlink
