#include "install_jobs.h"

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "jobs_fixture.h"
#include "package_sources.h"

namespace svc::installs {
namespace {

using common::Json;
using plugins::PluginRecord;
using ::testing::_;
using ::testing::HasSubstr;

using InstallJobsTest = InstallsFixture;

TEST_F(InstallJobsTest, InstallsFromARepository) {
  const auto id = submit(gitRequest());
  EXPECT_EQ(state(id), "queued");
  settle();
  ASSERT_EQ(results_.size(), 1U);
  ASSERT_TRUE(results_[0].ok()) << results_[0].error().message;
  EXPECT_EQ(results_[0].value().id, "todo");
  const auto row = jobs_->find(id).value();
  EXPECT_EQ(row.state, "succeeded");
  EXPECT_EQ(row.plugin_id, "todo");
  EXPECT_EQ(row.finished_at, clock_.nowMs());
  EXPECT_EQ(store_.rows.at(id), row);
  const auto& installed = plugins_.rows.at("todo");
  EXPECT_EQ(installed.source, "git:" + repository_.url());
  EXPECT_EQ(installed.installed_at, clock_.nowMs());
  EXPECT_EQ(installed.provenance, "direct");
}

TEST_F(InstallJobsTest, ADirectoryGoesToTheManager) {
  EXPECT_CALL(manager_, install("/srv/todo", _))
      .WillOnce([](const std::string&, Completion<PluginRecord> done) {
        PluginRecord record;
        record.id = "todo";
        done(record);
      });
  const auto id = submit(request("/srv/todo"));
  settle();
  EXPECT_EQ(state(id), "succeeded");
}

class RecordingBuilder : public IBundleBuilder {
 public:
  void build(std::filesystem::path root, Completion<void> done) override {
    roots.push_back(root.string());
    done(failure ? Status(*failure) : Status());
  }
  std::vector<std::string> roots;
  std::optional<Error> failure;
};

TEST_F(InstallJobsTest, ADirectoryIsBuiltInPlaceFirst) {
  RecordingBuilder builder;
  jobs_ = std::make_shared<InstallJobs>(InstallJobs::Context{
      work_, workers_, clock_, store_, manager_, plugins_, packages_, *marketplaces_, "/home/me",
      [] { return std::uint64_t{1}; }, silentLog(), &builder});
  EXPECT_CALL(manager_, install)
      .Times(3)
      .WillRepeatedly([](const std::string&, Completion<PluginRecord> done) {
        done(Error{errc::kInstallRefused, "no"});
      });
  for (const auto* source : {"path:/srv/todo", "~/todo", "./todo"}) {
    submit(request(source));
    settle();
    clock_.advance(std::chrono::seconds{1});
  }
  EXPECT_THAT(builder.roots, ::testing::ElementsAre("/srv/todo", "/home/me/todo"));
  builder.failure = Error{errc::kInvalidArgument, "app.tsx:1: no"};
  submit(request("/srv/todo"));
  settle();
  EXPECT_THAT(results_.back().error().details, HasSubstr("build_failed"));
  jobs_->stop();
}

TEST_F(InstallJobsTest, AnIdenticalRequestJoinsTheRunningJob) {
  const auto first = submit(gitRequest());
  main_.runAll();
  EXPECT_EQ(submit(gitRequest()), first);
  EXPECT_NE(submit(request("git:" + repository_.url() + "@main")), first);
  settle();
  EXPECT_EQ(results_.size(), 3U);
  EXPECT_EQ(jobs_->list().size(), 2U);
}

TEST_F(InstallJobsTest, OneInstallRunsAtATime) {
  const auto first = submit(gitRequest());
  const auto second = submit(request("git:" + repository_.url() + "@main"));
  main_.runAll();
  EXPECT_EQ(state(first), "running");
  EXPECT_EQ(state(second), "queued");
  settle();
  EXPECT_EQ(state(second), "succeeded");
}

TEST_F(InstallJobsTest, RefusalsAreSeenBeforeTheDownload) {
  plugins_.refusal = refusal("id_in_use", "plugin \"todo\" is installed from elsewhere");
  const auto id = submit(gitRequest());
  settle();
  ASSERT_FALSE(results_.at(0).ok());
  EXPECT_EQ(results_[0].error().code, errc::kInstallRefused);
  EXPECT_EQ(plugins_.checked.at(0).id, "todo");
  EXPECT_THAT(plugins_.checked.at(0).source_detail, HasSubstr("identity"));
  EXPECT_TRUE(plugins_.rows.empty());
  const auto error = Json::parse(jobs_->find(id).value().error).value();
  EXPECT_EQ(error["code"].asString(), "install_refused");
  EXPECT_FALSE(std::filesystem::exists(data_.path() / "cache" / "git"));
}

TEST_F(InstallJobsTest, WhatCannotRunHereIsIncompatible) {
  repository_.files.write("package.json", manifest("todo", "2.0.0", "", ">=99"));
  repository_.commit();
  submit(gitRequest());
  settle();
  EXPECT_EQ(results_.at(0).error().code, errc::kIncompatible);
}

TEST_F(InstallJobsTest, CancelsAQueuedJobAtOnce) {
  const auto first = submit(gitRequest());
  const auto second = submit(request("git:" + repository_.url() + "@main"));
  main_.runAll();
  EXPECT_EQ(jobs_->cancel(second).value().state, "cancelled");
  ASSERT_EQ(results_.size(), 1U);
  EXPECT_EQ(results_[0].error().code, errc::kAborted);
  settle();
  EXPECT_EQ(state(first), "succeeded");
  EXPECT_EQ(state(second), "cancelled");
}

TEST_F(InstallJobsTest, CancelsARunningJobBeforeItRegisters) {
  const auto id = submit(gitRequest());
  main_.runAll();
  EXPECT_EQ(jobs_->cancel(id).value().state, "cancelled");
  settle();
  EXPECT_TRUE(plugins_.rows.empty());
  EXPECT_EQ(results_.size(), 1U);
  // Its place is free.
  submit(gitRequest());
  settle();
  EXPECT_TRUE(results_.back().ok());
}

TEST_F(InstallJobsTest, WhatIsBeingRegisteredCannotBeCancelled) {
  Completion<PluginRecord> pending;
  EXPECT_CALL(manager_, install).WillOnce([&](const std::string&, Completion<PluginRecord> done) {
    pending = std::move(done);
  });
  const auto id = submit(request("/srv/todo"));
  main_.runAll();
  EXPECT_EQ(jobs_->cancel(id).error().code, errc::kConflict);
  pending(Error{errc::kInternal, "no"});
  EXPECT_EQ(jobs_->cancel(id).error().code, errc::kConflict);
  EXPECT_EQ(jobs_->cancel("job_x").error().code, errc::kNotFound);
}

TEST_F(InstallJobsTest, FinishedJobsAreListedForAWhile) {
  const auto id = submit(request("builtin:x"));
  settle();
  EXPECT_EQ(state(id), "failed");
  clock_.advance(limits::kJobHistory);
  EXPECT_EQ(jobs_->list().size(), 1U);
  clock_.advance(std::chrono::milliseconds{1});
  EXPECT_TRUE(jobs_->list().empty());
  settle();
  EXPECT_TRUE(store_.rows.empty());
}

TEST_F(InstallJobsTest, AStartNeedsNoSpaceOnTheDisk) {
  store_.rows["job_a"] = {"job_a", "npm:x", "running", "downloading", "", "", clock_.nowMs(), 0};
  store_.full = true;
  ASSERT_TRUE(jobs_->open().ok());
  EXPECT_EQ(state("job_a"), "failed");
  EXPECT_EQ(store_.rows.at("job_a").state, "running");
}

TEST_F(InstallJobsTest, ARestartFailsWhatHadNotEnded) {
  store_.rows["job_a"] = {"job_a", "npm:x", "running", "downloading", "", "", clock_.nowMs(), 0};
  store_.rows["job_b"] = {"job_b", "npm:y", "succeeded",    "done",
                          "",      "y",     clock_.nowMs(), clock_.nowMs()};
  ASSERT_TRUE(jobs_->open().ok());
  EXPECT_EQ(state("job_a"), "failed");
  EXPECT_THAT(jobs_->find("job_a").value().error, HasSubstr("restarted"));
  EXPECT_EQ(store_.rows.at("job_a").state, "failed");
  EXPECT_EQ(state("job_b"), "succeeded");
}

TEST_F(InstallJobsTest, TooManyJobsAreRefused) {
  for (std::size_t count = 0; count < InstallJobs::kWaiting; ++count) {
    submit(request("builtin:x" + std::to_string(count)));
  }
  const auto row = jobs_->submit(request("builtin:y"), {});
  ASSERT_FALSE(row.ok());
  EXPECT_EQ(row.error().code, errc::kOverloaded);
}

TEST_F(InstallJobsTest, AShutdownAnswersEveryoneAndKeepsTheRows) {
  const auto id = submit(gitRequest());
  main_.runAll();
  submit(request("builtin:x"));
  settle();
  EXPECT_EQ(results_.size(), 2U);
  const auto running = submit(request("git:" + repository_.url() + "@main"));
  main_.runAll();
  jobs_->stop();
  ASSERT_EQ(results_.size(), 3U);
  EXPECT_EQ(results_[2].error().code, errc::kUnavailable);
  settle();
  EXPECT_EQ(store_.rows.at(running).state, "running");
  EXPECT_EQ(store_.rows.at(id).state, "succeeded");
}

TEST_F(InstallJobsTest, ACatalogueEntryNeedsItsConfirmation) {
  listMarketplace();
  submit(request("todo@acme"));
  settle();
  ASSERT_FALSE(results_.at(0).ok());
  const auto details = Json::parse(results_[0].error().details).value();
  EXPECT_EQ(details["reason"].asString(), "not_confirmed");
  auto confirmed = request("todo");
  confirmed.confirmed_source = details["confirmedSource"].asString();
  EXPECT_EQ(confirmed.confirmed_source, "git:" + repository_.url() + "@" + repository_.head());
  submit(confirmed);
  settle();
  ASSERT_TRUE(results_.at(1).ok()) << results_[1].error().message;
  const auto& row = plugins_.rows.at("todo");
  EXPECT_EQ(row.provenance, "catalog");
  EXPECT_EQ(sourceOf(row).origin, (CatalogOrigin{"todo", "acme", "Ann"}));
}

TEST_F(InstallJobsTest, AnEntryThatChangedSinceItWasConfirmedIsRefused) {
  listMarketplace();
  auto confirmed = request("todo@acme");
  confirmed.confirmed_source = "git:" + repository_.url() + "@" + repository_.head();
  repository_.commit("another");
  submit(confirmed);
  settle();
  EXPECT_EQ(Json::parse(results_.at(0).error().details).value()["reason"].asString(),
            "source_changed");
}

TEST_F(InstallJobsTest, ABranchThatChangedSinceItWasConfirmedIsRefused) {
  auto confirmed = request("git:" + repository_.url());
  confirmed.confirmed_source = "git:" + repository_.url() + "@" + repository_.head();
  repository_.commit("another");
  submit(confirmed);
  settle();
  ASSERT_FALSE(results_.at(0).ok());
  EXPECT_EQ(Json::parse(results_[0].error().details).value()["reason"].asString(),
            "source_changed");
  EXPECT_THAT(results_[0].error().message, HasSubstr("was confirmed; look at it again"));
  confirmed.confirmed_source = "git:" + repository_.url() + "@" + repository_.head();
  submit(confirmed);
  settle();
  EXPECT_TRUE(results_.at(1).ok());
}

TEST_F(InstallJobsTest, PreviewsWithoutInstalling) {
  std::optional<InstallPreview> preview;
  jobs_->preview(gitRequest(), {},
                 [&](Result<InstallPreview> result) { preview = result.value(); });
  settle();
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->package, "todo");
  EXPECT_EQ(preview->version, "1.0.0");
  EXPECT_THAT(preview->from, HasSubstr("default branch"));
  EXPECT_TRUE(plugins_.rows.empty());
  EXPECT_TRUE(jobs_->list().empty());
}

TEST_F(InstallJobsTest, PreviewsADirectory) {
  std::optional<Result<InstallPreview>> preview;
  jobs_->preview(request(repository_.files.path().string()), {},
                 [&](Result<InstallPreview> result) { preview = std::move(result); });
  settle();
  EXPECT_EQ(preview->value().version, "1.0.0");
  jobs_->preview(request("./todo"), {},
                 [&](Result<InstallPreview> result) { preview = std::move(result); });
  settle();
  EXPECT_THAT(preview->error().message, HasSubstr("absolute"));
}

TEST(NewJobIdTest, SortsByTime) {
  const auto zero = [] { return std::uint64_t{0}; };
  const auto id = newJobId(1'700'000'000'000, zero);
  EXPECT_EQ(id.size(), 30U);
  EXPECT_TRUE(id.starts_with("job_"));
  EXPECT_LT(id, newJobId(1'700'000'000'001, zero));
}

}  // namespace
}  // namespace svc::installs
