#include "catalog_routes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "install_routes_fixture.h"
#include "repository.h"

namespace svc::installs {
namespace {

using plugins::PluginRecord;
using ::testing::HasSubstr;

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

TEST_F(InstallRoutesTest, AnEntryWhosePackageIsInstalledWithoutItIsInstalled) {
  data_.write("list/marketplace.json", kList);
  send("POST /api/v1/marketplaces", R"({"source":")" + (data_.path() / "list").string() + "\"}");
  PluginRecord record;
  record.id = "todos";
  const auto isInstalled = [&](const std::string& source) {
    record.source = source;
    ON_CALL(manager_, list).WillByDefault([&](Completion<std::vector<PluginRecord>> done) {
      done(std::vector<PluginRecord>{record});
    });
    const auto found = send("GET /api/v1/plugin-catalog/search")->json();
    return found["results"].items().at(0)["installed"].asBool();
  };
  EXPECT_TRUE(isInstalled("npm:todo@1.0.0"));
  EXPECT_FALSE(isInstalled("npm:todo-pro"));
  EXPECT_FALSE(isInstalled("path:/x/todo"));
}

TEST_F(InstallRoutesTest, CatalogInstallsNameTheirEntry) {
  const auto exchange = send("POST /api/v1/plugin-catalog/install", R"({"entryId":"todo"})");
  EXPECT_EQ(exchange->status(), 422U);
  EXPECT_THAT(exchange->json()["error"]["message"].asString(), HasSubstr("npm:todo"));
  EXPECT_EQ(send("POST /api/v1/plugin-catalog/install", R"({"entry":"todo"})")->status(), 400U);
}

}  // namespace
}  // namespace svc::installs
