#include "svc/http/encoding.h"

#include <gtest/gtest.h>

namespace svc::http {
namespace {

TEST(EncodingTest, PrefersBrotliThenGzip) {
  EXPECT_EQ(bestEncoding("gzip, deflate, br, zstd"), Encoding::kBrotli);
  EXPECT_EQ(bestEncoding("GZIP;q=0.5"), Encoding::kGzip);
  EXPECT_EQ(bestEncoding("deflate, *"), Encoding::kIdentity);
  EXPECT_EQ(bestEncoding(""), Encoding::kIdentity);
  EXPECT_EQ(bestEncoding("brotli, xgzip"), Encoding::kIdentity);
}

TEST(EncodingTest, AWeightOfZeroForbids) {
  EXPECT_EQ(bestEncoding("br;q=0, gzip;q=0.001"), Encoding::kGzip);
  EXPECT_EQ(bestEncoding("br; q=0.0 , gzip;q=0"), Encoding::kIdentity);
}

}  // namespace
}  // namespace svc::http
