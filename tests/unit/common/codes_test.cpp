#include "svc/common/codes.h"

#include <gmock/gmock.h>

namespace svc::common {
namespace {

TEST(CodesTest, EveryWireCodeHasItsStatus) {
  EXPECT_EQ(httpStatus(errc::kUnknownPlugin), 404U);
  EXPECT_EQ(httpStatus(errc::kPluginNotRunning), 503U);
  EXPECT_EQ(httpStatus(errc::kInvalidInput), 400U);
  EXPECT_EQ(httpStatus(errc::kHandlerError), 500U);
  EXPECT_EQ(httpStatus(errc::kTooLarge), 413U);
  EXPECT_EQ(httpStatus(errc::kForbiddenOrigin), 403U);
  EXPECT_EQ(httpStatus(errc::kUnsupportedMediaType), 415U);
  EXPECT_EQ(httpStatus(errc::kTimeout), 504U);
  EXPECT_EQ(httpStatus(errc::kNotSupported), 501U);
  EXPECT_EQ(httpStatus(errc::kHostUnavailable), 502U);
  EXPECT_EQ(httpStatus(errc::kUnknownHost), 404U);
  EXPECT_EQ(httpStatus(errc::kTooManyCalls), 503U);
  EXPECT_EQ(httpStatus(errc::kProtocolMismatch), 400U);
  EXPECT_EQ(httpStatus(errc::kInactiveSession), 401U);
  EXPECT_EQ(httpStatus(Errc{"made_up"}), 500U);
}

TEST(CodesTest, OnlyDeclaredNamesBecomeCodes) {
  EXPECT_EQ(wireCode("unknown_method"), errc::kUnknownMethod);
  EXPECT_EQ(wireCode("my_own_code"), errc::kInternal);
}

}  // namespace
}  // namespace svc::common
