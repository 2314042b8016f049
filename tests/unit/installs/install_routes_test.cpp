#include "install_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "catalog_routes.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_managed_plugins.h"
#include "fakes/inline_workers.h"
#include "memory_installs.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"
#include "repository.h"

namespace svc::installs {
namespace {

using plugins::PluginRecord;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InstallRoutesTest : public ::testing::Test {
 protected:
  InstallRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_).ok());
    EXPECT_TRUE(catalog_.attach(server_).ok());
    ON_CALL(manager_, list).WillByDefault([](Completion<std::vector<PluginRecord>> done) {
      done(std::vector<PluginRecord>());
    });
  }
  ~InstallRoutesTest() override { jobs_->stop(); }

  std::shared_ptr<test::RecordedExchange> send(const std::string& route,
                                               const std::string& body = "",
                                               http::Request request = {}) {
    request.body = body;
    auto exchange = std::make_shared<test::RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    main_.runAll();
    return exchange;
  }
  static http::Request withParameter(const std::string& name, const std::string& value) {
    http::Request request;
    request.path_parameters = {{name, value}};
    return request;
  }
  void installsTodo() {
    EXPECT_CALL(manager_, install("/srv/todo", _))
        .WillOnce([](const std::string&, Completion<PluginRecord> done) {
          PluginRecord record;
          record.id = "todo";
          record.status = plugins::PluginStatus::kError;
          done(record);
        });
  }

  TempDir data_;
  test::RecordedRoutes server_;
  test::FakeClock clock_;
  test::FakeMainExecutor main_;
  svc::test::InlineBulkWorkers threads_;
  svc::test::InlineWorkers workers_;
  MemoryInstalls store_;
  test::FakeManagedPlugins plugins_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  Processes processes_;
  Cache cache_{data_.path() / "cache", clock_, silentLog()};
  Packages packages_{processes_, cache_, plugins_, nullptr, data_.path() / "examples"};
  Work work_{threads_, main_, {}};
  std::shared_ptr<Marketplaces> marketplaces_ =
      std::make_shared<Marketplaces>(Marketplaces::Context{
          work_, clock_, store_, processes_, cache_, silentLog(), data_.path() / "examples"});
  std::shared_ptr<InstallJobs> jobs_ = std::make_shared<InstallJobs>(InstallJobs::Context{
      work_, workers_, clock_, store_, manager_, plugins_, packages_, *marketplaces_, "/home/me",
      [] { return std::uint64_t{7}; }, silentLog()});
  InstallRoutes routes_{jobs_, manager_, cache_, work_, "/home/me"};
  CatalogRoutes catalog_{marketplaces_, jobs_, manager_, plugins_, main_};
};

TEST_F(InstallRoutesTest, AnswersWithThePluginWhenTheJobHasEnded) {
  installsTodo();
  const auto exchange =
      send("POST /api/v1/plugins/install", R"({"source":"/srv/todo","selection":{"kind":"root"}})");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->json()["plugin"]["status"].asString(), "error");
}

TEST_F(InstallRoutesTest, AnswersWithTheJobWhenTheClientPrefersThat) {
  installsTodo();
  http::Request request;
  request.headers = {{"Prefer", "respond-async"}};
  const auto exchange = send("POST /api/v1/plugins/install", R"({"source":"/srv/todo"})", request);
  EXPECT_EQ(exchange->status(), 202U);
  EXPECT_EQ(exchange->answers, 1);
  const auto job = exchange->json()["job"];
  EXPECT_EQ(job["state"].asString(), "queued");
  EXPECT_TRUE(job["error"].isNull());
  EXPECT_TRUE(job["finishedAt"].isNull());
  const auto later =
      send("GET /api/v1/plugins/install-jobs/:job", "", withParameter("job", job["id"].asString()));
  EXPECT_EQ(later->json()["job"]["state"].asString(), "succeeded");
  EXPECT_EQ(later->json()["job"]["pluginId"].asString(), "todo");
  EXPECT_EQ(send("GET /api/v1/plugins/install-jobs")->json()["jobs"].items().size(), 1U);
}

TEST_F(InstallRoutesTest, RefusesAnInstallBodyWithEveryIssue) {
  const auto exchange =
      send("POST /api/v1/plugins/install", R"({"sauce":"x","tagPrefix":1,"selection":{}})");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->errorCode(), "invalid_input");
  EXPECT_EQ(
      exchange->json()["error"]["issues"].dump(),
      R"([{"message":"Unknown field","path":["sauce"]},)"
      R"({"message":"Required: a string is missing","path":["source"]},)"
      R"({"message":"Expected \"root\", \"subdirectory\" or \"entry\"","path":["selection","kind"]},)"
      R"({"message":"Expected a string","path":["tagPrefix"]}])");
}

TEST_F(InstallRoutesTest, RefusesAnInstallBodyThatIsNotJson) {
  for (const auto* body :
       {"{", "", "[]", R"({"source":""})", R"({"source":"x","selection":{"kind":"entry"}})",
        R"({"source":"x","selection":{"kind":"root","path":"y"}})",
        R"({"source":"x","selection":{"kind":"root"},"subdirectory":"y"})",
        R"({"source":"x","selection":{"kind":"entry","name":"y"},"plugin":"y"})"}) {
    EXPECT_EQ(send("POST /api/v1/plugins/install", body)->status(), 400U) << body;
  }
}

TEST_F(InstallRoutesTest, APreviewListsWhatARepositoryHolds) {
  Repository repository;
  repository.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository.files.write(".svc/plugins.json",
                         R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository.commit();
  const auto source = R"({"source":"git:)" + repository.url() + "\"";
  const auto choice = send("POST /api/v1/plugins/install/preview", source + "}")->json()["preview"];
  EXPECT_TRUE(choice["id"].isNull());
  EXPECT_TRUE(choice["incompatible"].isNull());
  EXPECT_EQ(choice["entries"].dump(), R"([{"name":"notes","source":"./plugins/notes"}])");
  const auto chosen = send("POST /api/v1/plugins/install/preview",
                           source + R"(,"selection":{"kind":"entry","name":"notes"}})")
                          ->json()["preview"];
  EXPECT_EQ(chosen["id"].asString(), "notes");
  EXPECT_EQ(chosen.find("entries"), nullptr);
  for (const auto* older : {R"(,"plugin":"notes"})", R"(,"subdirectory":"plugins/notes"})"}) {
    EXPECT_EQ(send("POST /api/v1/plugins/install/preview", source + older)
                  ->json()["preview"]["id"]
                  .asString(),
              "notes");
  }
  EXPECT_EQ(send("POST /api/v1/plugins/install/preview",
                 source + R"(,"plugin":"notes","subdirectory":"plugins/notes"})")
                ->errorCode(),
            "invalid_input");
  const auto refused = send("POST /api/v1/plugins/install", source + "}");
  EXPECT_EQ(refused->errorCode(), "install_refused");
  EXPECT_THAT(refused->json()["error"]["message"].asString(), HasSubstr("notes; choose one"));
}

TEST_F(InstallRoutesTest, WhatAPackageSaysIsThereBeforeItIsInstalled) {
  Repository repository;
  repository.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository.files.write("plugins/notes/README.md", "# Notes\n![](shot.png)");
  repository.files.write("plugins/notes/shot.png", "bytes");
  repository.files.write(".svc/plugins.json",
                         R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository.commit();
  const auto source = R"({"source":"git:)" + repository.url() + "\"";
  const auto about = send("POST /api/v1/plugins/install/about",
                          source + R"(,"selection":{"kind":"entry","name":"notes"}})")
                         ->json()["about"];
  EXPECT_EQ(about["id"].asString(), "notes");
  EXPECT_EQ(about["version"].asString(), "2.0.0");
  EXPECT_THAT(about["readme"].asString(), HasSubstr("# Notes"));
  EXPECT_EQ(about["pictures"].items().size(), 1U);
  EXPECT_TRUE(plugins_.rows.empty());
  EXPECT_TRUE(jobs_->list().empty());

  const auto several = send("POST /api/v1/plugins/install/about", source + "}");
  EXPECT_EQ(several->status(), 422U);
  EXPECT_EQ(several->json()["error"]["details"]["reason"].asString(), "no_manifest");
  const auto directory = (repository.files.path() / "plugins/notes").string();
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"source":")" + directory + "\"}")
                ->json()["about"]["id"]
                .asString(),
            "notes");
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"source":"nobody@nowhere"})")->status(),
            422U);
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"sauce":"x"})")->status(), 400U);
}

TEST_F(InstallRoutesTest, SourcesThatCannotBeReadAreRefused) {
  const auto exchange = send("POST /api/v1/plugins/install", R"({"source":"npm:../x"})");
  EXPECT_EQ(exchange->status(), 422U);
  EXPECT_EQ(exchange->json()["error"]["details"]["reason"].asString(), "not_found");
}

TEST_F(InstallRoutesTest, UnknownJobsAreNotFound) {
  EXPECT_EQ(send("GET /api/v1/plugins/install-jobs/:job", "", withParameter("job", "x"))->status(),
            404U);
  EXPECT_EQ(send("POST /api/v1/plugins/install-jobs/:job/cancel", "", withParameter("job", "x"))
                ->status(),
            404U);
}

TEST_F(InstallRoutesTest, PrunesWhatIsNotUsed) {
  data_.write("cache/npm/todo/1.0.0/package.json", "{}");
  auto exchange = send("POST /api/v1/plugins/prune", R"({"dryRun":true})");
  EXPECT_EQ(exchange->json()["removed"].dump(), R"([{"path":"npm/todo/1.0.0","bytes":2}])");
  EXPECT_TRUE(exchange->json()["dryRun"].asBool());
  EXPECT_TRUE(std::filesystem::exists(data_.path() / "cache/npm/todo/1.0.0"));
  exchange = send("POST /api/v1/plugins/prune");
  EXPECT_EQ(exchange->json()["bytes"].asInteger(), 2);
  EXPECT_FALSE(std::filesystem::exists(data_.path() / "cache/npm"));
  EXPECT_EQ(send("POST /api/v1/plugins/prune", R"({"dryRun":1})")->status(), 400U);
}

const char* const kList =
    R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"todo","displayName":"To do","tags":["work"],)"
    R"("author":{"name":"Ann"},"source":{"npm":{"package":"todo","range":"^1"}}},)"
    R"({"id":"bad","author":{"name":"Ann"},"source":{"npm":{"package":"todo"}}}]})";

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

constexpr const char* kShipped =
    R"({"schemaVersion":1,"name":"examples","plugins":[{"id":"todo","author":{"name":"svc"},)"
    R"("source":{"example":"todo"}}]})";

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

class InstallPlanTest : public InstallRoutesTest {
 protected:
  InstallPlanTest() {
    data_.write("list/marketplace.json",
                R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"todo-list",)"
                R"("author":{"name":"Ann"},"engines":{"svc":"^9"},"source":{"git":{"url":")" +
                    repository_.url() + R"(","ref":"main"}}}]})");
    send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  }
  void offers(const std::string& engine) {
    repository_.files.write("package.json", manifest("todo", "1.2.0", "", engine));
    repository_.commit();
  }
  common::Json plan(const std::string& query) {
    http::Request request;
    request.query = query;
    return send("GET /api/v1/plugin-catalog/install-plan", "", request)->json();
  }

  Repository repository_;
};

TEST_F(InstallPlanTest, ARowSaysWhatTheListSaysItNeeds) {
  const auto row = send("GET /api/v1/plugin-catalog/search")->json()["results"].items().at(0);
  EXPECT_EQ(row["pluginId"].asString(), "todo-list");
  EXPECT_FALSE(row["compatible"].asBool(true));
  EXPECT_EQ(row["incompatibleReason"].asString(), "needs svc ^9");
}

TEST_F(InstallPlanTest, APlanIsWhatAnInstallWouldTakeNow) {
  offers("*");
  const auto plan = this->plan("entryId=todo-list&marketplace=acme")["plan"];
  EXPECT_EQ(plan["entryId"].asString(), "todo-list");
  EXPECT_EQ(plan["pluginId"].asString(), "todo");
  EXPECT_EQ(plan["kind"].asString(), "marketplace");
  EXPECT_THAT(plan["resolvedSource"].asString(), HasSubstr(repository_.head()));
  EXPECT_EQ(plan["version"].asString(), "1.2.0");
  EXPECT_FALSE(plan["installed"].asBool(true));
  EXPECT_TRUE(plan["compatible"].asBool()) << "the package decides, not the list";
}

TEST_F(InstallPlanTest, APlanSaysWhyItCannotRunHere) {
  offers("^8");
  const auto plan = this->plan("entryId=todo-list")["plan"];
  EXPECT_FALSE(plan["compatible"].asBool(true));
  EXPECT_THAT(plan["incompatibleReason"].asString(), HasSubstr("needs svc ^8"));
}

TEST_F(InstallPlanTest, WhatNoListHasIsRefused) {
  EXPECT_EQ(plan("")["error"]["code"].asString(), "invalid_input");
  EXPECT_EQ(plan("entryId=nothing")["error"]["code"].asString(), "install_refused");
  EXPECT_EQ(plan("entryId=todo-list&marketplace=other")["error"]["code"].asString(),
            "install_refused");
}

TEST_F(InstallRoutesTest, SearchResultsSayWhatIsInstalled) {
  data_.write("list/marketplace.json", kList);
  send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  ON_CALL(manager_, list).WillByDefault([](Completion<std::vector<PluginRecord>> done) {
    PluginRecord record;
    record.id = "todos";
    record.version = "1.4.0";
    record.catalog_entry_id = "todo";
    record.catalog_marketplace_name = "acme";
    done(std::vector<PluginRecord>{record});
  });
  const auto row = send("GET /api/v1/plugin-catalog/search")->json()["results"].items().at(0);
  EXPECT_TRUE(row["installed"].asBool());
  EXPECT_EQ(row["installedVersion"].asString(), "1.4.0");
  EXPECT_EQ(row["pluginId"].asString(), "todos");
}

TEST_F(InstallRoutesTest, CatalogInstallsNameTheirEntry) {
  const auto exchange = send("POST /api/v1/plugin-catalog/install", R"({"entryId":"todo"})");
  EXPECT_EQ(exchange->status(), 422U);
  EXPECT_THAT(exchange->json()["error"]["message"].asString(), HasSubstr("npm:todo"));
  EXPECT_EQ(send("POST /api/v1/plugin-catalog/install", R"({"entry":"todo"})")->status(), 400U);
}

}  // namespace
}  // namespace svc::installs
