#include "web_socket_handshake.h"

#include <gtest/gtest.h>

namespace svc::http {
namespace {

TEST(WebSocketHandshakeTest, AKeyIsSixteenBytesInBase64) {
  EXPECT_TRUE(isWebSocketKey("dGhlIHNhbXBsZSBub25jZQ=="));
  EXPECT_TRUE(isWebSocketKey("++++++++++//////////+A=="));
  for (const auto* key : {"", "abc", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ",
                          "==", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j!Q==",
                          "dGhlIHNhbXBsZSBub25jZQ==dGhlIHNhbXBsZSBub25jZQ=="}) {
    EXPECT_FALSE(isWebSocketKey(key)) << key;
  }
}

TEST(WebSocketHandshakeTest, ExtensionsAreNamesWithParameters) {
  for (const auto* list : {"permessage-deflate", "permessage-deflate; client_max_window_bits",
                           "a;b=1;c=\"2\" , d", "a,,b", "x-webkit-deflate-frame"}) {
    EXPECT_TRUE(isExtensionList(list)) << list;
  }
  for (const auto* list :
       {"", ",", ";", "a;", "a;;b", "a b", "a;=1", "a;b=", "a;b=\"", "a;b=\"x y\"", "a\x01"}) {
    EXPECT_FALSE(isExtensionList(list)) << list;
  }
}

}  // namespace
}  // namespace svc::http
