#include "sdk_calls.h"

#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_http_server.h"

namespace svc::sdkclient {
namespace {

using ::testing::_;

struct Dispatched {
  http::Request request;
  std::stop_token stop;
  Completion<http::Response> done;
};

class SdkCallsTest : public ::testing::Test {
 protected:
  SdkCallsTest() {
    ON_CALL(server_, dispatch)
        .WillByDefault([this](http::Request request, std::stop_token stop, auto done) {
          dispatched_.push_back({std::move(request), std::move(stop), std::move(done)});
        });
  }
  void send(const std::string& argument) {
    calls_->send(argument,
                 [this](Result<std::string> answer) { answers_.push_back(std::move(answer)); });
  }

  // First: calls that are still open are answered when the rest goes.
  std::vector<Result<std::string>> answers_;
  ::testing::NiceMock<svc::test::MockHttpServer> server_;
  std::shared_ptr<SdkCalls> calls_ = std::make_shared<SdkCalls>(server_, "todo");
  std::vector<Dispatched> dispatched_;
};

TEST_F(SdkCallsTest, DispatchesAsThePlugin) {
  send("1\nPOST\n/api/v1/plugins/a/rpc/m?x=1\n{\"text\":\"a\nb\"}");
  ASSERT_EQ(dispatched_.size(), 1U);
  const auto& request = dispatched_[0].request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/api/v1/plugins/a/rpc/m?x=1");
  EXPECT_EQ(request.body, "{\"text\":\"a\nb\"}");
  EXPECT_EQ(request.caller_plugin, "todo");
  ASSERT_NE(request.header("content-type"), nullptr);
}

TEST_F(SdkCallsTest, SendsNoBodyWhereThereIsNone) {
  send("1\nGET\n/api/v1/plugins\n");
  EXPECT_EQ(dispatched_.at(0).request.body, "");
  EXPECT_EQ(dispatched_.at(0).request.header("content-type"), nullptr);
}

TEST_F(SdkCallsTest, SendsBytesThatCameAsBase64UnderTheirType) {
  send("1\nPOST image/png; x=1\n/api/v1/projects/p/attachments\nAP8KAA==");
  const auto& request = dispatched_.at(0).request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/api/v1/projects/p/attachments");
  EXPECT_EQ(request.body, std::string("\0\xFF\n\0", 4));
  EXPECT_EQ(*request.header("content-type"), "image/png; x=1");
  send("2\nPOST text/plain\n/x\n");
  EXPECT_EQ(dispatched_.at(1).request.body, "");
  EXPECT_EQ(*dispatched_.at(1).request.header("content-type"), "text/plain");
}

TEST_F(SdkCallsTest, AnswersBytesAsBase64BehindTheirType) {
  send("1\nGET\n/api/v1/projects/p/attachments/content\n");
  http::Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::string("\0\xFF\n\0", 4);
  dispatched_.at(0).done(std::move(response));
  EXPECT_EQ(answers_.at(0).value(), "200 text/plain\nAP8KAA==");
}

TEST_F(SdkCallsTest, AnswersWithStatusAndBody) {
  send("1\nGET\n/api/v1/plugins\n");
  http::Response response;
  response.status = 404;
  response.body = R"({"ok":false})";
  dispatched_.at(0).done(std::move(response));
  EXPECT_EQ(answers_.at(0).value(), "404\n{\"ok\":false}");
}

TEST_F(SdkCallsTest, PassesAFailureOn) {
  send("1\nGET\n/api/v1/plugins\n");
  dispatched_.at(0).done(Error{errc::kTooLarge, "the answer is too large"});
  EXPECT_EQ(answers_.at(0).error().code, errc::kTooLarge);
}

TEST_F(SdkCallsTest, StopsTheCallThatIsCancelled) {
  send("1\nGET\n/a\n");
  send("2\nGET\n/b\n");
  calls_->cancel("2");
  EXPECT_FALSE(dispatched_[0].stop.stop_requested());
  EXPECT_TRUE(dispatched_[1].stop.stop_requested());
  calls_->cancel("77");
}

TEST_F(SdkCallsTest, RefusesMoreThanItsLimitUntilOneEnds) {
  for (std::size_t index = 0; index < SdkCalls::kMaxOpen; ++index) {
    send(std::to_string(index) + "\nGET\n/a\n");
  }
  send("5000\nGET\n/a\n");
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].error().code, errc::kOverloaded);
  dispatched_.at(0).done(http::Response{});
  send("5001\nGET\n/a\n");
  EXPECT_EQ(dispatched_.size(), SdkCalls::kMaxOpen + 1);
}

}  // namespace
}  // namespace svc::sdkclient
