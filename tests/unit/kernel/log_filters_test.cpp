#include "log_filters.h"

#include <sstream>

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
