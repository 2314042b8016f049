#include "metrics_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/inline_workers.h"
#include "mocks/recorded_exchange.h"

namespace svc::metrics {
namespace {

using ::testing::HasSubstr;

class FixedUsage final : public plugins::IPluginUsage {
 public:
  [[nodiscard]] std::vector<plugins::PluginUsage> usage() const override { return rows; }
  std::vector<plugins::PluginUsage> rows;
};

class MetricsRoutesTest : public ::testing::Test {
 protected:
  MetricsRoutesTest() {
    plugins::PluginUsage row;
    row.id = "todo";
    row.cpu_ms = 20;
    row.cpu_percent = 3.14159;
    row.heap_bytes = 1024;
    row.database_bytes = 2048;
    row.database_connections = 1;
    row.loop_delay_p99_ms = 0.26;
    row.calls = {.count = 5, .total_ms = 1, .max_ms = 1, .error_count = 1};
    row.counters.out_of_band_errors = 2;
    row.restarts = 4;
    usage.rows.push_back(row);
  }
  std::shared_ptr<test::RecordedExchange> ask(MetricsRoutes& routes, const std::string& route) {
    EXPECT_TRUE(routes.attach(server).ok());
    auto exchange = std::make_shared<test::RecordedExchange>();
    server.call(route, exchange);
    return exchange;
  }

  test::RecordedRoutes server;
  test::InlineWorkers workers;
  FixedUsage usage;
};

TEST_F(MetricsRoutesTest, ShowsWhatEachPluginUses) {
  MetricsRoutes routes(workers, {.http = nullptr, .plugins = &usage}, "1.2.3");
  const auto exchange = ask(routes, "GET /api/v1/plugins/top");
  EXPECT_EQ(
      exchange->answer->body,
      R"({"ok":true,"plugins":[{"id":"todo","cpuMs":20,"cpuPercent":3.1,"heapBytes":1024,)"
      R"("externalBytes":0,"workerThreads":0,"blockingOperations":0,"descriptors":0,"databaseBytes":2048,"databaseConnections":1,"parkedEnvironments":0,"parkedBytes":0,"loopDelayP99Ms":0.3,"calls":5,"errors":3,"restarts":4}]})");
}

TEST_F(MetricsRoutesTest, AnswersTheTextOfPrometheus) {
  MetricsRoutes routes(workers, {.http = nullptr, .plugins = &usage}, "1.2.3");
  const auto exchange = ask(routes, "GET /metrics");
  EXPECT_EQ(exchange->answer->content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(exchange->answer->body, HasSubstr("svc_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(exchange->answer->body, HasSubstr("svc_plugin_heap_bytes{plugin=\"todo\"} 1024\n"));
  EXPECT_THAT(exchange->answer->body, HasSubstr("process_resident_memory_bytes "));
  EXPECT_EQ(server.routeOf("GET /metrics").guard, http::Guard::kHost);
}

TEST_F(MetricsRoutesTest, SaysWhenNoWorkerIsFree) {
  workers.full = true;
  MetricsRoutes routes(workers, {}, "1.2.3");
  EXPECT_EQ(ask(routes, "GET /metrics")->errorCode(), "overloaded");
}

TEST_F(MetricsRoutesTest, WorksWithoutPlugins) {
  MetricsRoutes routes(workers, {}, "1.2.3");
  EXPECT_EQ(ask(routes, "GET /api/v1/plugins/top")->answer->body, R"({"ok":true,"plugins":[]})");
}

}  // namespace
}  // namespace svc::metrics
