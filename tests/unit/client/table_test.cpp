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

TEST(TableTest, ALongLastColumnGoesOnBelowItself) {
  Table table;
  table.add({"NAME", "DESCRIPTION"});
  table.add({"todo", "a list of what there is to do today"});
  EXPECT_EQ(table.render({.is_aligned = true, .columns = 30}),
            "NAME  DESCRIPTION\n"
            "todo  a list of what there is\n"
            "      to do today\n");
  EXPECT_EQ(table.render({.is_aligned = true, .columns = 20}),
            "NAME  DESCRIPTION\n"
            "todo\n"
            "    a list of what\n"
            "    there is to do\n"
            "    today\n");
  EXPECT_EQ(table.render({.is_aligned = false, .columns = 20}),
            "NAME\tDESCRIPTION\ntodo\ta list of what there is to do today\n");
}

}  // namespace
}  // namespace svc::client
