#include "accept_encoding.h"

#include <gtest/gtest.h>

namespace svc::app {
namespace {

TEST(AcceptEncodingTest, PrefersBrotliThenGzip) {
  EXPECT_EQ(bestEncoding("gzip, deflate, br, zstd"), Encoding::kBrotli);
  EXPECT_EQ(bestEncoding("GZIP;q=0.5"), Encoding::kGzip);
  EXPECT_EQ(bestEncoding("deflate, *"), Encoding::kIdentity);
  EXPECT_EQ(bestEncoding(""), Encoding::kIdentity);
  EXPECT_EQ(bestEncoding("brotli, xgzip"), Encoding::kIdentity);
}

TEST(AcceptEncodingTest, AWeightOfZeroForbids) {
  EXPECT_EQ(bestEncoding("br;q=0, gzip;q=0.001"), Encoding::kGzip);
  EXPECT_EQ(bestEncoding("br; q=0.0 , gzip;q=0"), Encoding::kIdentity);
}

}  // namespace
}  // namespace svc::app
