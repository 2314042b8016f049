#include "request_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

namespace svc::routes {
namespace {

common::Json facts(const http::Request& request) {
  auto parsed = common::Json::parse(requestFacts(request, "7", "GET /x"));
  EXPECT_TRUE(parsed.ok()) << requestFacts(request, "7", "GET /x");
  return parsed ? std::move(parsed).value() : common::Json();
}

http::Request request() {
  http::Request made;
  made.method = "GET";
  made.path = "/api/x";
  made.headers = {{"Host", "127.0.0.1:1"}};
  return made;
}

TEST(RequestFactsTest, TellTheScriptWhatItNeeds) {
  auto made = request();
  made.query = "a=1";
  made.headers.push_back({"X-A", "b\"\\"});
  EXPECT_EQ(facts(made).dump(),
            R"({"id":"7","route":"GET /x","method":"GET","url":"http://127.0.0.1:1/api/x?a=1",)"
            R"("hasBody":false,"headers":[["Host","127.0.0.1:1"],["X-A","b\"\\"]]})");
}

TEST(RequestFactsTest, BytesOfAHeaderAreCharacters) {
  auto made = request();
  made.headers.push_back({"X-A", "\xe9\x01"});
  EXPECT_EQ(facts(made)["headers"].items()[1].items()[1].asString(), "\xC3\xA9\x01");
}

TEST(RequestFactsTest, AHostThatIsNoneDoesNotReachTheUrl) {
  for (const auto* host : {"evil/path?", "a b", "", "x@y"}) {
    auto made = request();
    made.headers = {{"Host", host}};
    EXPECT_EQ(facts(made)["url"].asString(), "http://localhost/api/x") << host;
  }
  auto without = request();
  without.headers.clear();
  without.secure = true;
  EXPECT_EQ(facts(without)["url"].asString(), "https://localhost/api/x");
}

TEST(RequestFactsTest, BytesThatAUrlCannotHoldAreEscaped) {
  auto made = request();
  made.path = "/\xC3\xA9";
  EXPECT_EQ(facts(made)["url"].asString(), "http://127.0.0.1:1/%C3%A9");
}

TEST(RequestFactsTest, KnowsWhetherThereIsABody) {
  auto made = request();
  made.headers.push_back({"Content-Length", "0"});
  EXPECT_FALSE(facts(made)["hasBody"].asBool());
  made.headers.back().value = "1";
  EXPECT_TRUE(facts(made)["hasBody"].asBool());
  made.headers.back() = {"Transfer-Encoding", "chunked"};
  EXPECT_TRUE(facts(made)["hasBody"].asBool());
}

TEST(ResponseHeadTest, LeavesOutWhatBelongsToTheConnection) {
  const auto head = responseHead(
      R"({"status":201,"headers":[["Connection","x"],["keep-alive","x"],["Transfer-Encoding","x"],)"
      R"(["upgrade","x"],["Content-Length","9"],["TE","x"],["trailer","x"],["date","x"],)"
      R"(["X-A","\u00e9\u20ac"],["set-cookie","a"],["set-cookie","b"],["odd"]]})");
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head.value().status, 201U);
  EXPECT_EQ(head.value().content_type, "");
  ASSERT_EQ(head.value().headers.size(), 3U);
  EXPECT_EQ(head.value().headers[0].value, "\xe9?") << "a header is bytes";
  EXPECT_EQ(head.value().headers[1].value, "a");
  EXPECT_EQ(head.value().headers[2].value, "b");
}

}  // namespace
}  // namespace svc::routes
