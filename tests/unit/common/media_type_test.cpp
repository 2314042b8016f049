#include "svc/common/media_type.h"

#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(MediaTypeTest, TheEndOfANameSaysIt) {
  EXPECT_EQ(mediaTypeOf("notes.md"), "text/markdown");
  EXPECT_EQ(mediaTypeOf("PICTURE.PNG"), "image/png");
  EXPECT_EQ(mediaTypeOf("archive.tar.gz"), "application/gzip");
  EXPECT_EQ(mediaTypeOf("app.js.map"), "application/json");
  EXPECT_EQ(mediaTypeOf("Makefile"), "");
  EXPECT_EQ(mediaTypeOf("what.ever"), "");
  EXPECT_EQ(mediaTypeOf("png"), "");
  EXPECT_EQ(mediaTypeOf(""), "");
}

TEST(MediaTypeTest, TextIsServedAsUtf8) {
  EXPECT_EQ(contentTypeOf("text/css"), "text/css; charset=utf-8");
  EXPECT_EQ(contentTypeOf("application/json"), "application/json; charset=utf-8");
  EXPECT_EQ(contentTypeOf("image/svg+xml"), "image/svg+xml");
  EXPECT_EQ(contentTypeOf(""), "application/octet-stream");
}

TEST(MediaTypeTest, AnImageIsKnownByItsBytes) {
  EXPECT_EQ(imageType("\x89PNG\r\n\x1A\n...."), "image/png");
  EXPECT_EQ(imageType("\xFF\xD8\xFF\xE0"), "image/jpeg");
  EXPECT_EQ(imageType("GIF89a"), "image/gif");
  EXPECT_EQ(imageType("RIFF....WEBPVP8 "), "image/webp");
  for (const char* other : {"", "RIFF", "RIFF....WAVE", "GIF", "<svg/>"}) {
    EXPECT_EQ(imageType(other), "") << other;
  }
}

}  // namespace
}  // namespace svc::common
