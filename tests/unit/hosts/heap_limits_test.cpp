#include "heap_limits.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace svc::hosts {
namespace {

class PluginsConfig final : public IConfig {
 public:
  PluginsConfig(std::int64_t heap_mib, std::string overrides)
      : heap_mib_(heap_mib), overrides_(std::move(overrides)) {}

  [[nodiscard]] std::int64_t getInteger(std::string_view key) const override {
    return key == "plugins.heapMiB" ? heap_mib_ : throw std::logic_error(std::string(key));
  }
  [[nodiscard]] std::string getJson(std::string_view key) const override {
    return key == "plugins.overrides" ? overrides_ : throw std::logic_error(std::string(key));
  }
  [[nodiscard]] std::string getString(std::string_view /*key*/) const override { return {}; }
  [[nodiscard]] bool getBoolean(std::string_view /*key*/) const override { return false; }
  [[nodiscard]] std::vector<std::string> getStringList(std::string_view /*key*/) const override {
    return {};
  }
  [[nodiscard]] std::string origin(std::string_view /*key*/) const override { return "file"; }

 private:
  std::int64_t heap_mib_;
  std::string overrides_;
};

TEST(HeapLimitsTest, WhatIsSetForOnePluginComesFirst) {
  const HeapLimits limits(
      PluginsConfig(256, R"({"todo":{"heapMiB":64},"notes":{"watchdogMs":5}})"));
  EXPECT_EQ(limits.of("todo"), 64);
  EXPECT_EQ(limits.of("notes"), 256);
  EXPECT_EQ(limits.of("else"), 256);
}

TEST(HeapLimitsTest, NothingSetIsTheDefault) {
  EXPECT_EQ(HeapLimits(PluginsConfig(512, "null")).of("todo"), 512);
  EXPECT_EQ(HeapLimits().of("todo"), 512);
}

TEST(HeapLimitsTest, ValuesThatMakeNoSenseDoNotReachTheDaemon) {
  const HeapLimits limits(
      PluginsConfig(-5, R"({"todo":{"heapMiB":0},"notes":{"heapMiB":"much"},"odd":7})"));
  EXPECT_EQ(limits.of("todo"), 1);
  EXPECT_EQ(limits.of("notes"), 1);
  EXPECT_EQ(limits.of("odd"), 1);
}

}  // namespace
}  // namespace svc::hosts
