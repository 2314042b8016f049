#include "package_sources.h"

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "jobs_fixture.h"

namespace svc::installs {
namespace {

using common::Json;
using ::testing::HasSubstr;

class PackageSourcesTest : public InstallsFixture {
 protected:
  storage::PluginRow installed() {
    submit(gitRequest());
    settle();
    return plugins_.rows.at("todo");
  }
  Result<Resolution> resolve(const storage::PluginRow& row) {
    std::optional<Result<Resolution>> out;
    sources_.resolve(row, {}, [&](Result<Resolution> result) { out = std::move(result); });
    settle();
    return *std::move(out);
  }
  PackageSources sources_{packages_, *marketplaces_, cache_, plugins_, work_, clock_};
};

TEST_F(PackageSourcesTest, OffersWhatIsInstalledWhenNothingIsNewer) {
  const auto row = installed();
  const auto out = resolve(row);
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out.value().candidate->resolved, row.resolved);
  EXPECT_FALSE(out.value().blocked);
}

TEST_F(PackageSourcesTest, StagesANewerVersionWithItsHistory) {
  auto row = installed();
  row.enabled = false;
  row.generation = 7;
  repository_.files.write("package.json", manifest("todo", "1.1.0"));
  repository_.commit();
  const auto out = resolve(row);
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out.value().candidate->version, "1.1.0");
  std::optional<Result<storage::PluginRow>> staged;
  std::vector<std::string> steps;
  clock_.advance(std::chrono::seconds{1});
  sources_.stage(
      row, *out.value().candidate, {}, [&](const std::string& step) { steps.push_back(step); },
      [&](Result<storage::PluginRow> result) { staged = std::move(result); });
  settle();
  ASSERT_TRUE(staged->ok()) << staged->error().message;
  const auto& next = staged->value();
  EXPECT_EQ(next.version, "1.1.0");
  EXPECT_NE(next.root_dir, row.root_dir);
  EXPECT_FALSE(next.enabled);
  EXPECT_EQ(next.generation, 7U);
  EXPECT_EQ(next.installed_at, row.installed_at);
  EXPECT_EQ(next.updated_at, clock_.nowMs());
  const auto history = Json::parse(next.history).value();
  EXPECT_EQ(history.items().at(0)["version"].asString(), "1.0.0");
  EXPECT_EQ(history.items().at(0)["resolved"].asString(), row.resolved);
  EXPECT_EQ(history.items().at(0)["at"].asInteger(), row.installed_at);
  EXPECT_FALSE(steps.empty());
}

TEST_F(PackageSourcesTest, NamesANewerVersionThatCannotRunHere) {
  const auto row = installed();
  repository_.files.write("package.json", manifest("todo", "2.0.0", "", ">=99"));
  repository_.commit();
  const auto out = resolve(row);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().candidate->resolved, row.resolved);
  EXPECT_EQ(out.value().blocked->version, "2.0.0");
  EXPECT_EQ(out.value().blocked_reasons.size(), 1U);
}

TEST_F(PackageSourcesTest, APinnedSourceOffersWhatIsInstalled) {
  repository_.tag("v1.0.0");
  submit(request("git:" + repository_.url() + "@v1.0.0"));
  settle();
  const auto row = plugins_.rows.at("todo");
  repository_.files.write("package.json", manifest("todo", "1.1.0"));
  repository_.commit();
  EXPECT_EQ(resolve(row).value().candidate->version, "1.0.0");
  repository_.tag("v1.0.0", true);
  EXPECT_THAT(resolve(row).error().details, HasSubstr("tag_moved"));
}

/// "todo" was installed from a marketplace.
class ListedSourceTest : public PackageSourcesTest {
 protected:
  void SetUp() override {
    PackageSourcesTest::SetUp();
    listMarketplace();
    auto confirmed = request("todo@acme");
    confirmed.confirmed_source = "git:" + repository_.url() + "@" + repository_.head();
    submit(confirmed);
    settle();
    row_ = plugins_.rows.at("todo");
    ASSERT_TRUE(resolve(row_).ok());
  }
  void edit(const std::string& part, const std::string& with) {
    auto& content = store_.lists["acme"].content;
    content.replace(content.find(part), part.size(), with);
    ASSERT_TRUE(marketplaces_->open().ok());
  }

  storage::PluginRow row_;
};

TEST_F(ListedSourceTest, AChangedPublisherIsRefused) {
  edit("Ann", "Eve");
  EXPECT_THAT(resolve(row_).error().details, HasSubstr("publisher_changed"));
}

TEST_F(ListedSourceTest, WhatIsNotListedAnyMoreIsNotUpdated) {
  edit(R"("id":"todo")", R"("id":"gone")");
  const auto refused = resolve(row_);
  EXPECT_THAT(refused.error().details, HasSubstr("withdrawn"));
  EXPECT_THAT(refused.error().message, HasSubstr("git:" + repository_.url()));
}

TEST_F(PackageSourcesTest, AnotherPluginAtTheHeadOfABranchDoesNotTakeItsPlace) {
  submit(request("git:" + repository_.url()));
  settle();
  const auto row = plugins_.rows.at("todo");
  repository_.files.write("package.json", manifest("other", "9.0.0"));
  repository_.commit();
  const auto refused = resolve(row);
  EXPECT_THAT(refused.error().details, HasSubstr("identity_mismatch"));
  EXPECT_THAT(refused.error().message, HasSubstr("\"other\""));
}

TEST_F(PackageSourcesTest, StoppedRequestsAreAborted) {
  const auto row = installed();
  std::stop_source stop;
  stop.request_stop();
  std::optional<Result<Resolution>> out;
  sources_.resolve(row, stop.get_token(),
                   [&](Result<Resolution> result) { out = std::move(result); });
  settle();
  EXPECT_EQ(out->error().code, errc::kAborted);
}

TEST(SwitchedRowTest, KeepsALimitedHistory) {
  storage::PluginRow row;
  row.id = "todo";
  for (int version = 0; version < 20; ++version) {
    storage::PluginRow next = row;
    next.version = std::to_string(version);
    row = switchedRow(row, next, version);
  }
  EXPECT_EQ(Json::parse(row.history).value().items().size(), limits::kSourceHistory - 1);
}

}  // namespace
}  // namespace svc::installs
