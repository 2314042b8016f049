#include "table.h"

#include <gtest/gtest.h>

namespace svc::client {
namespace {

Table sample() {
  Table table;
  table.add({"plugin", "todo@1.0.0", "running", ""});
  table.add({"plugin", "ü@1", "error", "bad\x1b[2J\nthing"});
  return table;
}

TEST(TableTest, AlignsColumnsForATerminal) {
  EXPECT_EQ(sample().render(Table::Layout::kAligned),
            "plugin  todo@1.0.0  running\nplugin  ü@1         error    bad[2J thing\n");
}

TEST(TableTest, SeparatesColumnsByTabsForAPipe) {
  EXPECT_EQ(sample().render(Table::Layout::kTabs),
            "plugin\ttodo@1.0.0\trunning\t\nplugin\tü@1\terror\tbad[2J thing\n");
}

}  // namespace
}  // namespace svc::client
