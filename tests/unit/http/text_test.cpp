#include "svc/http/text.h"

#include <gtest/gtest.h>

#include "svc/http/http.h"

namespace svc::http {
namespace {

TEST(TextTest, PercentDecodeDecodesEscapes) {
  EXPECT_EQ(percentDecode("a%20b%2Fc"), "a b/c");
  EXPECT_EQ(percentDecode("%C3%A4"), "\xC3\xA4");
  EXPECT_EQ(percentDecode(""), "");
}

TEST(TextTest, PercentDecodeRefusesMalformedEscapes) {
  EXPECT_EQ(percentDecode("%"), std::nullopt);
  EXPECT_EQ(percentDecode("%2"), std::nullopt);
  EXPECT_EQ(percentDecode("a%zz"), std::nullopt);
}

TEST(TextTest, PlusIsASpaceOnlyInQueries) {
  EXPECT_EQ(percentDecode("a+b"), "a+b");
  EXPECT_EQ(percentDecode("a+b", PlusSign::kSpace), "a b");
}

TEST(TextTest, QueryParametersAreFoundByDecodedName) {
  EXPECT_EQ(findQueryParameter("a=1&b=2", "b"), "2");
  EXPECT_EQ(findQueryParameter("a=1&a=2", "a"), "1");
  EXPECT_EQ(findQueryParameter("x%5B%5D=y+z", "x[]"), "y z");
  EXPECT_EQ(findQueryParameter("flag&b=2", "flag"), "");
  EXPECT_EQ(findQueryParameter("a=1", "c"), std::nullopt);
  EXPECT_EQ(findQueryParameter("", "c"), std::nullopt);
}

TEST(TextTest, MalformedQueryValuesReadAsSent) {
  EXPECT_EQ(findQueryParameter("a=%zz", "a"), "%zz");
}

TEST(RequestTest, HeadersAreFoundWhateverTheirCase) {
  Request request;
  request.headers = {{"Content-Type", "text/plain"}, {"x-a", "1"}, {"X-A", "2"}};
  ASSERT_NE(request.header("content-type"), nullptr);
  EXPECT_EQ(*request.header("X-a"), "1");
  EXPECT_EQ(request.header("x-b"), nullptr);
}

TEST(RequestTest, ParametersAreFoundByName) {
  Request request;
  request.path_parameters = {{"id", "todo"}};
  EXPECT_EQ(request.parameter("id"), "todo");
  EXPECT_EQ(request.parameter("other"), "");
}

}  // namespace
}  // namespace svc::http
