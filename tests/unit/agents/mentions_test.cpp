#include "mentions.h"

#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "fakes/fake_generation.h"
#include "mocks/mock_agents.h"
#include "mocks/mock_reactor.h"
#include "mocks/recorded_exchange.h"

namespace svc::agents {
namespace {

using svc::test::RecordedExchange;

constexpr auto kRoute = "GET /api/v1/plugins/mentions/search";

class MentionsTest : public ::testing::Test {
 protected:
  MentionsTest() {
    EXPECT_TRUE(route_.attach(server_).ok());
    notes_ = loaded_.load("notes");
    notes_->registers("mention-providers", R"([{"id":"pages","label":"Pages","triggers":["@"]},)"
                                           R"({"id":"tags","label":"Tags","triggers":["#"]}])");
    todo_ = loaded_.load("todo");
    todo_->registers("mention-providers", R"([{"id":"items","label":"Items","triggers":["@"]}])");
  }
  std::shared_ptr<RecordedExchange> ask(const std::string& query) {
    http::Request request;
    request.method = "GET";
    request.query = query;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(kRoute, exchange);
    reactor_.runAll();
    return exchange;
  }
  void answer(plugins::FakeGeneration& generation, Result<std::string> result) {
    ASSERT_TRUE(generation.answer("mentions.search", std::move(result)));
    reactor_.runAll();
  }

  svc::test::FakeReactor reactor_;
  plugins::FakeLoadedPlugins loaded_;
  svc::test::RecordedRoutes server_;
  Mentions mentions_{loaded_, reactor_};
  MentionRoute route_{mentions_};
  std::shared_ptr<plugins::FakeGeneration> notes_;
  std::shared_ptr<plugins::FakeGeneration> todo_;
};

TEST_F(MentionsTest, AsksTheProvidersOfATriggerAndAnswersInGroups) {
  const auto exchange = ask("q=tea%20pot&projectId=proj_1");
  ASSERT_EQ(notes_->calls.size(), 1U);
  EXPECT_EQ(notes_->calls[0].source, "mention:pages");
  EXPECT_EQ(notes_->calls[0].invocation.meta, "pages");
  EXPECT_EQ(notes_->calls[0].invocation.body,
            R"({"trigger":"@","query":"tea pot","projectId":"proj_1","threadId":null})");
  answer(*todo_, std::string(R"([{"itemId":"2"}])"));
  EXPECT_FALSE(exchange->answer.has_value());
  answer(*notes_, std::string(R"([{"itemId":"1"}])"));
  EXPECT_EQ(
      exchange->answer->body,
      R"({"ok":true,"groups":[)"
      R"({"pluginId":"notes","providerId":"pages","label":"Pages","items":[{"itemId":"1"}]},)"
      R"({"pluginId":"todo","providerId":"items","label":"Items","items":[{"itemId":"2"}]}]})");
}

TEST_F(MentionsTest, LeavesTheGroupOfAFailureEmpty) {
  const auto exchange = ask("q=tea");
  answer(*notes_, Error{errc::kHandlerError, "broken"});
  answer(*todo_, std::string(R"([{"itemId":"2"}])"));
  const auto json = exchange->json();
  EXPECT_EQ(json["groups"].items().at(0)["items"].dump(), "[]");
  EXPECT_EQ(json["groups"].items().at(1)["items"].items().size(), 1U);
}

TEST_F(MentionsTest, DoesNotWaitForASlowProvider) {
  const auto exchange = ask("q=tea");
  answer(*todo_, std::string(R"([{"itemId":"2"}])"));
  reactor_.advance(limits::kMentionSearch);
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->json()["groups"].items().at(0)["items"].dump(), "[]");
  EXPECT_TRUE(notes_->calls.at(0).invocation.stop.stop_requested());
}

TEST_F(MentionsTest, AnswersNoGroupsForAnEmptyQuery) {
  EXPECT_EQ(ask("q=")->answer->body, R"({"ok":true,"groups":[]})");
  EXPECT_EQ(ask("")->answer->body, R"({"ok":true,"groups":[]})");
  EXPECT_TRUE(notes_->calls.empty());
}

TEST(MentionRouteTest, FailsWhenTheSearchDoes) {
  svc::test::RecordedRoutes server;
  ::testing::StrictMock<MockMentionProviders> mentions;
  MentionRoute route(mentions);
  ASSERT_TRUE(route.attach(server).ok());
  EXPECT_CALL(mentions, search).WillOnce([](const MentionQuery& query, auto done) {
    EXPECT_EQ(query.trigger, "@");
    done(Error{errc::kUnavailable, "no"});
  });
  auto exchange = std::make_shared<RecordedExchange>();
  server.call(kRoute, exchange);
  EXPECT_EQ(exchange->status(), 503U);
}

TEST_F(MentionsTest, AsksOneProviderWhenItIsNamed) {
  const auto exchange = ask("q=tea&trigger=%23&pluginId=notes&providerId=tags");
  EXPECT_TRUE(todo_->calls.empty());
  answer(*notes_, std::string("[]"));
  EXPECT_EQ(exchange->json()["groups"].items().size(), 1U);
}

TEST_F(MentionsTest, RefusesABadTriggerAndHalfAPair) {
  for (const auto* query : {"q=a&trigger=%25", "q=a&pluginId=notes", "q=a&providerId=tags"}) {
    const auto exchange = ask(query);
    EXPECT_EQ(exchange->status(), 400U) << query;
    EXPECT_EQ(exchange->errorCode(), "invalid_input");
  }
}

TEST_F(MentionsTest, ResolvesAnItem) {
  std::optional<Result<common::RawJson>> resolved;
  mentions_.resolve("notes", "pages", "7",
                    [&resolved](Result<common::RawJson> result) { resolved = std::move(result); });
  reactor_.runAll();
  EXPECT_EQ(notes_->calls.at(0).invocation.body, R"("7")");
  notes_->answer("mentions.resolve", std::string(R"({"context":"c","images":[]})"));
  reactor_.runAll();
  ASSERT_TRUE(resolved && resolved->ok());
  EXPECT_EQ(resolved->value().text(), R"({"context":"c","images":[]})");
}

TEST_F(MentionsTest, NamesTheProviderThatDidNotResolve) {
  std::optional<Result<common::RawJson>> resolved;
  mentions_.resolve("notes", "pages", "7",
                    [&resolved](Result<common::RawJson> result) { resolved = std::move(result); });
  reactor_.runAll();
  reactor_.advance(limits::kMentionResolve);
  ASSERT_TRUE(resolved && !resolved->ok());
  EXPECT_EQ(resolved->error().message,
            "mention provider \"pages\" did not answer within 10000 ms (limit mentionResolve)");
}

}  // namespace
}  // namespace svc::agents
