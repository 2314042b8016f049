#include "exposition.h"

#include <gtest/gtest.h>

namespace svc::metrics {
namespace {

TEST(ExpositionTest, WritesFamiliesAndSamples) {
  Exposition out;
  out.family("calls_total", "counter", "Calls.");
  out.sample(3, {{"plugin", "todo"}, {"kind", "rpc"}});
  out.sample(0.25);
  EXPECT_EQ(std::move(out).text(),
            "# HELP calls_total Calls.\n# TYPE calls_total counter\n"
            "calls_total{plugin=\"todo\",kind=\"rpc\"} 3\ncalls_total 0.25\n");
}

TEST(ExpositionTest, WritesThePartsOfAHistogram) {
  Exposition out;
  out.family("took", "histogram", "Time.");
  out.part("_bucket", 2, {{"le", "+Inf"}});
  EXPECT_EQ(std::move(out).text(),
            "# HELP took Time.\n# TYPE took histogram\ntook_bucket{le=\"+Inf\"} 2\n");
}

TEST(ExpositionTest, EscapesLabelValues) {
  Exposition out;
  out.family("x", "gauge", "X.");
  out.sample(1, {{"name", "a\"b\\c\nd"}});
  EXPECT_EQ(std::move(out).text(), "# HELP x X.\n# TYPE x gauge\nx{name=\"a\\\"b\\\\c\\nd\"} 1\n");
}

}  // namespace
}  // namespace svc::metrics
