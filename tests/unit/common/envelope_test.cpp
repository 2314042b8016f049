#include "svc/common/envelope.h"

#include <gmock/gmock.h>

namespace svc::common {
namespace {

TEST(EnvelopeTest, SuccessSplicesTheBytes) {
  EXPECT_EQ(okEnvelope("result", RawJson("[1, 2]")), R"({"ok":true,"result":[1, 2]})");
}

TEST(EnvelopeTest, SuccessTakesTheMembersOfAnObject) {
  Json body = Json::object();
  body.set("plugins", Json::array());
  EXPECT_EQ(okEnvelope(body), R"({"ok":true,"plugins":[]})");
}

TEST(EnvelopeTest, FailureCarriesCodeMessageIssuesAndDetails) {
  Error error{errc::kInvalidInput, "bad \"x\"", R"({"pluginId":"todo"})"};
  error.issues = R"([{"message":"no"}])";
  EXPECT_EQ(errorEnvelope(error),
            R"({"ok":false,"error":{"code":"invalid_input","message":"bad \"x\"",)"
            R"("issues":[{"message":"no"}],"details":{"pluginId":"todo"}}})");
}

}  // namespace
}  // namespace svc::common
