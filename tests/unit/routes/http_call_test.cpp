#include "http_call.h"

#include "channel_fixture.h"

namespace svc::routes {
namespace {

using svc::test::RecordedExchange;
using ::testing::HasSubstr;

class HttpCallTest : public ChannelTest {
 protected:
  HttpCallTest() { HttpCall::run(exchange, generation, load, "POST /hook", Auth::kLocal); }
  std::shared_ptr<HttpCall> call() { return load->calls.find("1"); }

  std::shared_ptr<RecordedExchange> exchange =
      std::make_shared<RecordedExchange>(request("POST", "hook"));
};

TEST_F(HttpCallTest, CallsTheScriptWithTheRequest) {
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].source, "http:POST /hook");
  EXPECT_EQ(asked[0].invocation.function, "http.request");
  EXPECT_THAT(asked[0].invocation.meta, HasSubstr(R"("id":"1","route":"POST /hook")"));
}

TEST_F(HttpCallTest, SendsWhatTheScriptSends) {
  call()->respond({.status = 201}, "body");
  asked[0].done(std::string());
  EXPECT_EQ(exchange->status(), 201U);
  EXPECT_EQ(exchange->answer->body, "body");
  EXPECT_EQ(call(), nullptr) << "an answered request is not known any more";
}

/// The headers that are added for an answer of this type, in order.
std::string addedFor(Auth auth, std::vector<http::Header> headers) {
  http::Response head;
  const auto own = headers.size();
  head.headers = std::move(headers);
  addProtection(head, auth);
  std::string added;
  for (auto at = own; at < head.headers.size(); ++at) {
    added += head.headers[at].name + ": " + head.headers[at].value + "\n";
  }
  return added;
}

TEST(HttpProtectionTest, AnswersOfLocalRoutesAreForOwnPages) {
  EXPECT_EQ(addedFor(Auth::kLocal, {{"content-type", "text/html"}}),
            "cross-origin-resource-policy: same-origin\n");
  EXPECT_EQ(addedFor(Auth::kLocal, {{"Cross-Origin-Resource-Policy", "cross-origin"}}), "");
}

TEST(HttpProtectionTest, PagesThatOutsidersReachAreSandboxed) {
  const std::string nosniff = "x-content-type-options: nosniff\n";
  const std::string sandbox = "content-security-policy: sandbox allow-scripts allow-forms\n";
  for (const auto auth : {Auth::kToken, Auth::kNone}) {
    for (const auto* active :
         {"text/html; charset=utf-8", "Text/HTML", "image/svg+xml", "application/xhtml+xml",
          "TEXT/XSL; charset=utf-8", "text/plain, text/html", "application/x-unheard-of", ""}) {
      EXPECT_EQ(addedFor(auth, {{"content-type", active}}), nosniff + sandbox) << active;
    }
    EXPECT_EQ(addedFor(auth, {}), nosniff + sandbox) << "browsers guess";
    for (const auto* inert : {"application/json", "Text/Plain; charset=utf-8", "image/png",
                              "application/problem+json", "application/pdf"}) {
      EXPECT_EQ(addedFor(auth, {{"content-type", inert}}), nosniff) << inert;
    }
    EXPECT_EQ(addedFor(auth, {{"content-type", "text/html"},
                              {"Content-Security-Policy", "default-src 'self'"},
                              {"X-Content-Type-Options", "nosniff"}}),
              "");
  }
}

TEST(HttpProtectionTest, NoScriptOfAPluginMayAnswerForTheWindow) {
  for (const auto auth : {Auth::kLocal, Auth::kToken, Auth::kNone}) {
    http::Response head;
    head.headers = {{"Service-Worker-Allowed", "/"}, {"content-type", "text/javascript"}};
    addProtection(head, auth);
    for (const auto& header : head.headers) {
      EXPECT_NE(header.name, "Service-Worker-Allowed");
    }
  }
}

TEST_F(HttpCallTest, SendsAnAnswerInPieces) {
  call()->begin({.status = 202});
  std::optional<Result<std::string>> taken;
  call()->write("one", [&](Result<std::string> result) { taken = std::move(result); });
  ASSERT_TRUE(taken.has_value());
  EXPECT_TRUE(taken->ok());
  call()->finish();
  asked[0].done(std::string());
  EXPECT_EQ(exchange->head->status, 202U);
  EXPECT_EQ(exchange->written, "one");
  EXPECT_TRUE(exchange->ended);
  EXPECT_FALSE(exchange->aborted);
}

TEST_F(HttpCallTest, TheHandlerHasReturnedWhenItsStreamBegins) {
  EXPECT_FALSE(asked[0].returned.stop_requested());
  call()->begin({});
  EXPECT_TRUE(asked[0].returned.stop_requested());
}

TEST_F(HttpCallTest, AFailureIsAnsweredAndNamesThePlugin) {
  asked[0].done(Error{errc::kHandlerError, "boom"});
  EXPECT_EQ(exchange->status(), 500U);
  EXPECT_EQ(exchange->errorCode(), "handler_error");
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

TEST_F(HttpCallTest, AnAnswerThatBrokeOffIsCut) {
  call()->begin({});
  asked[0].done(std::string("cut"));
  EXPECT_TRUE(exchange->aborted);
  EXPECT_FALSE(exchange->ended);
}

TEST_F(HttpCallTest, AbortsTheSignalWhenTheClientLeaves) {
  EXPECT_FALSE(asked[0].invocation.stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(asked[0].invocation.stop.stop_requested());
}

TEST_F(HttpCallTest, ABodyThatIsTooLargeIsAnsweredWhateverTheScriptDoes) {
  EXPECT_CALL(*exchange, read).WillOnce([](Completion<std::string> done) {
    done(Error{errc::kTooLarge, "larger than 1 byte"});
  });
  std::optional<Result<std::string>> piece;
  call()->read([&](Result<std::string> result) { piece = std::move(result); });
  EXPECT_EQ(piece->error().code, errc::kTooLarge);
  EXPECT_EQ(exchange->status(), 413U);
  EXPECT_TRUE(asked[0].invocation.stop.stop_requested());
  call()->respond({.status = 200}, "fine");
  EXPECT_EQ(exchange->status(), 413U);
}

TEST_F(HttpCallTest, AReadThatEndsBecauseTheClientLeftIsNoAnswer) {
  EXPECT_CALL(*exchange, read).WillOnce([](Completion<std::string> done) {
    done(Error{errc::kAborted, "gone"});
  });
  call()->read([](const Result<std::string>& piece) { EXPECT_FALSE(piece.ok()); });
  EXPECT_EQ(exchange->answers, 0);
}

}  // namespace
}  // namespace svc::routes
