#include "journal.h"

#include "fixture.h"

namespace svc::terminals {
namespace {

/// Keeps jobs until they are run.
class HeldWorkers final : public IBulkWorkers {
 public:
  bool submit(Job job) override {
    jobs.push_back(std::move(job));
    return true;
  }
  void runAll() {
    while (!jobs.empty()) {
      auto job = std::move(jobs.front());
      jobs.erase(jobs.begin());
      job({});
    }
  }
  std::vector<Job> jobs;
};

class JournalTest : public ::testing::Test {
 protected:
  static storage::TerminalRow row(const std::string& title) {
    return {.id = "t", .host_id = "h", .scope = "{}", .title = title, .status = "running"};
  }
  FakeStore store_;
  HeldWorkers workers_;
  std::shared_ptr<Journal> journal_ = std::make_shared<Journal>(
      store_, workers_,
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>()));
};

TEST_F(JournalTest, WritesWhatChangedLast) {
  journal_->put(row("first"));
  journal_->put(row("second"));
  EXPECT_EQ(workers_.jobs.size(), 1U);
  workers_.runAll();
  EXPECT_EQ(store_.rows.at("t").title, "second");
  journal_->put(row("third"));
  journal_->remove("t");
  workers_.runAll();
  EXPECT_TRUE(store_.rows.empty());
}

TEST_F(JournalTest, AFlushWaitsForAll) {
  bool flushed = false;
  journal_->put(row("a"));
  journal_->flush([&](const Status&) { flushed = true; });
  EXPECT_FALSE(flushed);
  workers_.runAll();
  EXPECT_TRUE(flushed);
  EXPECT_EQ(store_.rows.size(), 1U);
  flushed = false;
  journal_->flush([&](const Status&) { flushed = true; });
  workers_.runAll();
  EXPECT_TRUE(flushed);
}

}  // namespace
}  // namespace svc::terminals
