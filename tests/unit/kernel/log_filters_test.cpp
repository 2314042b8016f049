#include "log_filters.h"

#include <atomic>
#include <future>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

namespace svc::kernel {
namespace {

class LogFiltersTest : public ::testing::Test {
 protected:
  LogFiltersTest() {
    auto target = std::make_shared<spdlog::sinks::ostream_sink_mt>(out_);
    target->set_pattern("%v");
    target->set_level(spdlog::level::info);
    logger_ = std::make_unique<spdlog::logger>(
        "test",
        std::make_shared<FilteredSink>(filters_, std::vector<spdlog::sink_ptr>{std::move(target)}));
    logger_->set_level(spdlog::level::debug);
  }

  std::ostringstream out_;
  std::shared_ptr<LogFilters> filters_ = std::make_shared<LogFilters>();
  std::unique_ptr<spdlog::logger> logger_;
};

TEST_F(LogFiltersTest, LinesPassUnchangedWithoutAFilter) {
  logger_->info("a {}", 1);
  EXPECT_EQ(out_.str(), "a 1\n");
}

TEST_F(LogFiltersTest, FiltersRunInTheOrderAdded) {
  const auto first = filters_->add([](std::string line) { return line + " one"; });
  const auto second = filters_->add([](std::string line) { return line + " two"; });
  logger_->info("a");
  EXPECT_EQ(out_.str(), "a one two\n");
}

TEST_F(LogFiltersTest, AReleasedFilterIsNotAskedAnyMore) {
  auto held = filters_->add([](const std::string&) { return std::string("x"); });
  held.reset();
  logger_->info("a");
  EXPECT_EQ(out_.str(), "a\n");
}

TEST_F(LogFiltersTest, TheTargetsKeepTheirLevel) {
  const auto held = filters_->add([](std::string line) { return line; });
  logger_->debug("hidden");
  EXPECT_EQ(out_.str(), "");
}

TEST_F(LogFiltersTest, NoLockIsHeldWhileAFilterRuns) {
  std::vector<Handle> added;
  const auto adding = filters_->add([&](std::string line) {
    added.push_back(filters_->add([](std::string later) { return later + " later"; }));
    return line;
  });
  logger_->info("a");
  logger_->info("b");
  EXPECT_EQ(out_.str(), "a\nb later\n");
}

TEST_F(LogFiltersTest, ReleasingWaitsForTheCallThatRuns) {
  std::promise<void> entered;
  std::promise<void> released;
  std::atomic<bool> returned = false;
  auto held = filters_->add([&](std::string line) {
    entered.set_value();
    released.get_future().wait();
    returned = true;
    return line;
  });
  std::thread writer([&] { logger_->info("a"); });
  entered.get_future().wait();
  std::thread releasing([&] {
    held.reset();
    EXPECT_TRUE(returned);
  });
  // A filter that is being released is not asked, and does not hold up who writes meanwhile.
  while (!filters_->empty()) {
    std::this_thread::yield();
  }
  logger_->info("b");
  released.set_value();
  writer.join();
  releasing.join();
  EXPECT_EQ(out_.str(), "b\na\n");
}

TEST_F(LogFiltersTest, AHandleMayOutliveTheFilters) {
  Handle held;
  {
    LogFilters filters;
    held = filters.add([](std::string line) { return line; });
  }
  held.reset();
}

}  // namespace
}  // namespace svc::kernel
