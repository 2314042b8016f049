// The marketplaces: which there are, what they list and how they are refreshed.

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/installs.h"

#include "install_routes_fixture.h"
#include "repository.h"

namespace svc::installs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kShipped =
    R"({"schemaVersion":1,"name":"examples","plugins":[{"id":"todo","author":{"name":"svc"},)"
    R"("source":{"example":"todo"}}]})";

TEST_F(InstallRoutesTest, AddsSearchesAndRemovesAMarketplace) {
  data_.write("list/marketplace.json", kList);
  plugins_.rows["todo"] = {};
  const auto source = (data_.path() / "list").string();
  const auto body = R"({"source":")" + source + "\"}";
  const auto added = send("POST /api/v1/marketplaces", body);
  EXPECT_EQ(added->status(), 201U);
  EXPECT_EQ(added->json()["marketplace"]["entries"].asInteger(), 1);
  EXPECT_EQ(added->json()["marketplace"]["dropped"].items().at(0)["id"].asString(), "bad");
  EXPECT_EQ(send("POST /api/v1/marketplaces", body)->status(), 409U);
  EXPECT_EQ(send("GET /api/v1/marketplaces")->json()["marketplaces"].items().size(), 1U);
  http::Request request;
  request.query = "q=work";
  const auto found = send("GET /api/v1/plugin-catalog/search", "", request)->json()["results"];
  ASSERT_EQ(found.items().size(), 1U);
  EXPECT_EQ(found.items()[0]["displayName"].asString(), "To do");
  EXPECT_EQ(found.items()[0]["source"].asString(), "npm:todo@^1");
  EXPECT_FALSE(found.items()[0]["installed"].asBool(true));
  EXPECT_TRUE(found.items()[0]["installedVersion"].isNull());
  EXPECT_EQ(found.items()[0]["pluginId"].asString(), "todo");
  EXPECT_TRUE(found.items()[0]["compatible"].asBool());
  EXPECT_TRUE(found.items()[0]["incompatibleReason"].isNull());
  EXPECT_EQ(found.items()[0]["marketplaceDisplayName"].asString(), "acme");
  EXPECT_EQ(found.items()[0]["publisherLabel"].asString(), "Ann");
  EXPECT_FALSE(found.items()[0]["official"].asBool());
  request.query = "q=nothing";
  EXPECT_TRUE(
      send("GET /api/v1/plugin-catalog/search", "", request)->json()["results"].items().empty());
  const auto status = send("GET /api/v1/plugin-catalog/status")->json()["status"];
  EXPECT_EQ(status["entries"].asInteger(), 1);
  EXPECT_EQ(status["pluginCount"].asInteger(), 1);
  EXPECT_EQ(status["includedPluginCount"].asInteger(), 0);
  EXPECT_EQ(status["optionalPluginCount"].asInteger(), 1);
  const auto gone = send("DELETE /api/v1/marketplaces/:name", "", withParameter("name", "acme"));
  EXPECT_EQ(gone->json()["removed"].asString(), "acme");
  EXPECT_EQ(gone->json()["convertedPluginIds"].dump(), R"(["todo"])");
  EXPECT_THAT(plugins_.detached, ElementsAre("acme"));
  EXPECT_TRUE(store_.lists.empty());
  EXPECT_EQ(send("DELETE /api/v1/marketplaces/:name", "", withParameter("name", "acme"))->status(),
            404U);
}

TEST_F(InstallRoutesTest, ListsTheExamplesOfTheServiceWhichStay) {
  data_.write("examples/marketplace.json", kShipped);
  ASSERT_TRUE(marketplaces_->open().ok());
  const auto list = send("GET /api/v1/marketplaces")->json()["marketplaces"];
  ASSERT_EQ(list.items().size(), 1U);
  EXPECT_EQ(list.items().front()["name"].asString(), "examples");
  EXPECT_EQ(list.items().front()["sourceKind"].asString(), "builtin");
  const auto found = send("GET /api/v1/plugin-catalog/search")->json()["results"].items().front();
  EXPECT_EQ(found["source"].asString(), "example:todo");
  EXPECT_EQ(found["sourcePage"].asString(), "docs/examples/todo.html#source");

  const auto named = withParameter("name", "examples");
  EXPECT_TRUE(send("POST /api/v1/marketplaces/:name/refresh", "{}", named)
                  ->json()["results"]
                  .items()
                  .front()["ok"]
                  .asBool());
  const auto removed = send("DELETE /api/v1/marketplaces/:name", "", named);
  EXPECT_EQ(removed->status(), 409U);
  EXPECT_THAT(removed->json()["error"]["message"].asString(),
              ::testing::HasSubstr("comes with the service and stays"));
  // It is what the installation says, at each start.
  EXPECT_TRUE(store_.lists.empty());
}

TEST_F(InstallRoutesTest, AnEntryOfAnAddedListComesBeforeAnExample) {
  data_.write("examples/marketplace.json", kShipped);
  storage::MarketplaceRow row;
  row.name = "acme";
  row.content =
      R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"todo","author":{"name":"Ann"},)"
      R"("source":{"npm":{"package":"todo","range":"^1"}}}]})";
  store_.lists["acme"] = row;
  ASSERT_TRUE(marketplaces_->open().ok());
  EXPECT_EQ(marketplaces_->find("todo", "").value().marketplace, "acme");
  EXPECT_EQ(marketplaces_->find("todo", "examples").value().marketplace, "examples");
}

TEST_F(InstallRoutesTest, AnEntryThatIsNotListedIsRefusedWithWhereToLook) {
  data_.write("examples/marketplace.json", kShipped);
  ASSERT_TRUE(marketplaces_->open().ok());
  EXPECT_EQ(marketplaces_->find("nope", "examples").error().message,
            "the marketplace \"examples\" does not list \"nope\"; `svc plugin search <word>` finds "
            "what is listed");
  EXPECT_EQ(marketplaces_->find("todo", "acme").error().message,
            "no marketplace \"acme\" was added; `svc marketplace list` shows those there are, `svc "
            "marketplace add <source>` adds one");
}

TEST_F(InstallRoutesTest, AListThatWasAddedByThatNameIsKept) {
  data_.write("examples/marketplace.json", kShipped);
  storage::MarketplaceRow row;
  row.name = "examples";
  row.source = "/srv/examples";
  row.content = R"({"schemaVersion":1,"name":"examples","plugins":[]})";
  store_.lists["examples"] = row;
  ASSERT_TRUE(marketplaces_->open().ok());
  EXPECT_EQ(marketplaces_->get("examples")->row.source, "/srv/examples");
}

TEST_F(InstallRoutesTest, ADamagedListOfExamplesIsNoReasonNotToStart) {
  data_.write("examples/marketplace.json", "{");
  EXPECT_TRUE(marketplaces_->open().ok());
  EXPECT_TRUE(marketplaces_->list().empty());
}

TEST_F(InstallRoutesTest, KeepsTheLastGoodCopyWhenARefreshFails) {
  data_.write("list/marketplace.json", kList);
  send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  data_.write("list/marketplace.json", "broken");
  const auto before = clock_.nowMs();
  clock_.advance(std::chrono::seconds{5});
  const auto failed =
      send("POST /api/v1/marketplaces/:name/refresh", "", withParameter("name", "acme"));
  EXPECT_EQ(failed->status(), 200U);
  EXPECT_FALSE(failed->json()["results"].items().at(0)["ok"].asBool(true));
  EXPECT_EQ(
      send("POST /api/v1/marketplaces/:name/refresh", "", withParameter("name", "x"))->status(),
      404U);
  auto shown = send("GET /api/v1/marketplaces")->json()["marketplaces"].items().at(0);
  EXPECT_EQ(shown["entries"].asInteger(), 1);
  EXPECT_THAT(shown["lastError"].asString(), HasSubstr("not JSON"));
  EXPECT_EQ(shown["lastRefreshAt"].asInteger(), before);
  EXPECT_EQ(shown["lastAttemptAt"].asInteger(), clock_.nowMs());
  EXPECT_TRUE(shown["resolvedCommit"].isNull());
  data_.write("list/marketplace.json", kList);
  clock_.advance(std::chrono::seconds{5});
  send("POST /api/v1/marketplaces/:name/refresh", "", withParameter("name", "acme"));
  shown = send("GET /api/v1/marketplaces")->json()["marketplaces"].items().at(0);
  EXPECT_TRUE(shown["lastError"].isNull());
  EXPECT_EQ(shown["refreshedAt"].asInteger(), clock_.nowMs());
}

TEST_F(InstallRoutesTest, RefreshesAllListsAndSaysHowEachFared) {
  EXPECT_EQ(send("POST /api/v1/marketplaces/refresh")->json()["results"].dump(), "[]");
  data_.write("list/marketplace.json", kList);
  const auto added =
      send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}")
          ->json()["marketplace"];
  EXPECT_EQ(added["sourceKind"].asString(), "path");
  EXPECT_EQ(added["entryCount"].asInteger(), 1);
  const auto refresh = [this] {
    return send("POST /api/v1/marketplaces/refresh")->json()["results"].items().at(0);
  };
  EXPECT_TRUE(refresh()["ok"].asBool());
  EXPECT_TRUE(refresh()["error"].isNull());
  data_.write("list/marketplace.json", "broken");
  clock_.advance(std::chrono::seconds{5});
  const auto failed = refresh();
  EXPECT_EQ(failed["name"].asString(), "acme");
  EXPECT_FALSE(failed["ok"].asBool());
  EXPECT_THAT(failed["error"].asString(), HasSubstr("not JSON"));
  EXPECT_EQ(failed["marketplace"]["entryCount"].asInteger(), 1) << "the last good copy";
  data_.write("list/marketplace.json", kList);
  EXPECT_EQ(failed["marketplace"]["lastAttemptAt"].asInteger(), clock_.nowMs());
  EXPECT_THAT(failed["marketplace"]["lastError"].asString(), HasSubstr("not JSON"));
}

TEST_F(InstallRoutesTest, AMarketplaceThatTakesAnotherNameIsNotBelieved) {
  data_.write("list/marketplace.json", kList);
  send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  data_.write("list/marketplace.json", R"({"schemaVersion":1,"name":"other","plugins":[]})");
  const auto exchange =
      send("POST /api/v1/marketplaces/:name/refresh", "", withParameter("name", "acme"));
  EXPECT_THAT(exchange->json()["results"].items().at(0)["error"].asString(),
              HasSubstr("names itself \"other\" now"));
}

TEST_F(InstallRoutesTest, RefreshesListsAgainAndAgain) {
  data_.write("list/marketplace.json", kList);
  send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  marketplaces_->begin();
  data_.write("list/marketplace.json", "broken");
  main_.advance(limits::kMarketplaceRefresh);
  EXPECT_FALSE(marketplaces_->list().at(0).row.last_error.empty());
  marketplaces_->stop();
}

TEST_F(InstallRoutesTest, ReadsAMarketplaceFromARepository) {
  Repository repository;
  repository.files.write("marketplace.json", kList);
  repository.commit();
  const auto added =
      send("POST /api/v1/marketplaces", R"({"source":"git:)" + repository.url() + "\"}");
  EXPECT_EQ(added->status(), 201U) << added->answer->body;
  EXPECT_EQ(added->json()["marketplace"]["resolvedCommit"].asString(), repository.head());
  const auto first = repository.head();
  repository.commit();
  ASSERT_NE(repository.head(), first);
  const auto refreshed =
      send("POST /api/v1/marketplaces/:name/refresh", "", withParameter("name", "acme"));
  const auto result = refreshed->json()["results"].items().at(0);
  EXPECT_EQ(result["marketplace"]["resolvedCommit"].asString(), repository.head());
}

TEST_F(InstallRoutesTest, RefusesWhatIsNoMarketplace) {
  for (const auto* source : {"todo", "npm:todo", "./list", "http://example.org/m.json",
                             "https://me:secret@example.org/m.json", "/no/such/list"}) {
    const auto exchange =
        send("POST /api/v1/marketplaces", R"({"source":")" + std::string(source) + "\"}");
    EXPECT_EQ(exchange->status(), 422U) << source << exchange->answer->body;
  }
  EXPECT_EQ(send("POST /api/v1/marketplaces", "{}")->status(), 400U);
}

}  // namespace
}  // namespace svc::installs
