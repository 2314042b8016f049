#include "svc/common/body_reader.h"

#include <gtest/gtest.h>

#include "svc/common/error_details.h"

namespace svc::common {
namespace {

TEST(BodyReaderTest, ReadsMembers) {
  auto body = BodyReader::parse(R"({"a":"x","list":["1","2"]})");
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body.value().requiredString("a"), "x");
  EXPECT_EQ(body.value().optionalString("b"), std::nullopt);
  EXPECT_EQ(body.value().requiredStrings("list"), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(body.value().finish().ok());
}

TEST(BodyReaderTest, PointsAtTheElementThatIsWrong) {
  auto body = BodyReader::parse(R"({"list":["1",2]})");
  static_cast<void>(body.value().requiredStrings("list"));
  const auto status = body.value().finish();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the request is not valid: list.1: Expected a string");
  EXPECT_EQ(status.error().issues, R"([{"message":"Expected a string","path":["list",1]}])");
}

TEST(BodyReaderTest, RefusesAnythingButAnObject) {
  EXPECT_EQ(BodyReader::parse("[]").value().finish().error().code, errc::kInvalidInput);
  EXPECT_EQ(BodyReader::parse("").error().code, errc::kInvalidJson);
}

TEST(BodyReaderTest, RefusesAByteOrderMark) {
  const auto body = BodyReader::parse("\xEF\xBB\xBF{}");
  ASSERT_FALSE(body.ok());
  EXPECT_EQ(body.error().code, errc::kInvalidJson);
}

TEST(ErrorDetailsTest, AddsADetailAndKeepsTheOthers) {
  const auto error = withDetail(Error{errc::kTimeout, "m", R"({"a":1})"}, "pluginId", "todo");
  EXPECT_EQ(error.details, R"({"a":1,"pluginId":"todo"})");
  EXPECT_EQ(withDetail(error, "pluginId", "other").details, error.details);
}

}  // namespace
}  // namespace svc::common
