#include "wire/http_address.h"

#include <gtest/gtest.h>

namespace svc::client {
namespace {

/// "<text> <authority> <path>" of what is read.
std::string read(std::string_view text) {
  const auto address = HttpAddress::parse(text);
  return address ? address->text() + " " + address->authority() + " " + address->path : "none";
}

TEST(HttpAddressTest, HasHostPortAndPath) {
  EXPECT_EQ(read("http://127.0.0.1:4700"), "http://127.0.0.1:4700 127.0.0.1:4700 ");
  EXPECT_EQ(read("http://127.0.0.1:4700//"), "http://127.0.0.1:4700 127.0.0.1:4700 ");
  EXPECT_EQ(read("HTTP://svc.example.com/a/b/?c#d"),
            "http://svc.example.com:80 svc.example.com /a/b");
  EXPECT_EQ(read("https://svc.example.com:"), "https://svc.example.com:443 svc.example.com ");
  EXPECT_EQ(read("http://[::1]:4700/x"), "http://[::1]:4700 [::1]:4700 /x");
  EXPECT_EQ(read("http://[::1]"), "http://[::1]:80 [::1] ");
  EXPECT_EQ(read("http://user:word@host:1"), "http://host:1 host:1 ");
}

TEST(HttpAddressTest, RefusesWhatIsNone) {
  for (const auto* const text :
       {"", "garbage", "http:/host", "ftp://host", "http://", "http:///path", "http://:1",
        "http://host:x", "http://host:70000", "http://host:1x", "http://[::1", "http://[::1]x",
        "http://[]:1", "http://a b", "http://host/\r\nx: y"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

}  // namespace
}  // namespace svc::client
