#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_managed_plugins.h"
#include "install_jobs.h"
#include "memory_installs.h"
#include "mocks/mock_plugin_manager.h"
#include "repository.h"

namespace svc::installs {

/// Both lanes; runs jobs when the test says so, on its thread.
class ManualPool : public IWorkerPool, public IBulkWorkers {
 public:
  [[nodiscard]] bool submit(Task job) override {
    jobs.push_back(std::move(job));
    return true;
  }
  [[nodiscard]] bool submit(Job job) override {
    jobs.push_back([job = std::move(job)]() mutable { job({}); });
    return true;
  }
  bool runOne() {
    if (jobs.empty()) {
      return false;
    }
    auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
    return true;
  }
  std::deque<Task> jobs;
};

/// Installs of one repository, the plugin "todo" 1.0.0.
class InstallsFixture : public ::testing::Test {
 protected:
  InstallsFixture() {
    repository_.files.write("package.json", manifest("todo", "1.0.0"));
    repository_.files.write("server.js", "");
    repository_.commit();
  }
  ~InstallsFixture() override {
    jobs_->stop();
    shutdown_.request_stop();
    settle();
  }

  /// Runs everything that is posted or queued.
  void settle() {
    while (main_.runAll() > 0 || threads_.runOne() || workers_.runOne()) {
    }
  }
  InstallRequest request(const std::string& source) {
    return {parseSource(source, {}, "").value()};
  }
  InstallRequest gitRequest() { return request("git:" + repository_.url()); }
  std::string submit(const InstallRequest& what) {
    auto row = jobs_->submit(what, [this](Result<plugins::PluginRecord> result) {
      results_.push_back(std::move(result));
    });
    EXPECT_TRUE(row.ok());
    return row ? row.value().id : "";
  }
  std::string state(const std::string& id) { return jobs_->find(id).value().state; }
  void listMarketplace() {
    storage::MarketplaceRow row;
    row.name = "acme";
    row.content =
        R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"todo","author":{"name":"Ann"},)"
        R"("source":{"git":{"url":")" +
        repository_.url() + R"(","ref":"main"}}}]})";
    store_.lists["acme"] = row;
    ASSERT_TRUE(marketplaces_->open().ok());
  }

  std::vector<Result<plugins::PluginRecord>> results_;
  Repository repository_;
  TempDir data_;
  std::stop_source shutdown_;
  test::FakeClock clock_;
  test::FakeMainExecutor main_;
  ManualPool threads_;
  ManualPool workers_;
  MemoryInstalls store_;
  test::FakeManagedPlugins plugins_;
  ::testing::StrictMock<plugins::MockPluginManager> manager_;
  Processes processes_;
  Cache cache_{data_.path() / "cache", clock_, silentLog()};
  Packages packages_{processes_, cache_, plugins_, nullptr};
  Work work_{threads_, main_, shutdown_.get_token()};
  std::shared_ptr<Marketplaces> marketplaces_ = std::make_shared<Marketplaces>(
      Marketplaces::Context{work_, clock_, store_, processes_, cache_, silentLog()});
  std::uint64_t random_ = 1;
  std::shared_ptr<InstallJobs> jobs_ = std::make_shared<InstallJobs>(InstallJobs::Context{
      work_, workers_, clock_, store_, manager_, plugins_, packages_, *marketplaces_, "/home/me",
      [this] {
        random_ = random_ * 6364136223846793005ULL + 1;
        return random_ >> 33U;
      },
      silentLog()});
};

}  // namespace svc::installs
