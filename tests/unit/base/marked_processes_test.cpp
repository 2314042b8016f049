#include "svc/base/marked_processes.h"

#include <csignal>

#include <gtest/gtest.h>

#include "svc/base/data_marks.h"
#include "svc/base/random.h"
#include "svc/base/spawn.h"

namespace svc::base {
namespace {

ChildProcess sleeping(const std::string& mark) {
  auto child = spawn({.argv = {"sleep", "1000"},
                      .environment = Environment{{"PATH", "/usr/bin:/bin"}, {kProcessMark, mark}}});
  EXPECT_TRUE(child.ok());
  return std::move(child).value();
}

TEST(MarkedProcessesTest, AreThoseWithExactlyThisMark) {
  const auto mark = randomHex(8);
  const auto first = sleeping(mark);
  const auto other = sleeping(mark + "0");
  const auto found = processesMarked(mark);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().pid, first.pid());
  EXPECT_TRUE(processesMarked("").empty());
}

TEST(MarkedProcessesTest, AreFoundByTheBeginningOfTheirMarks) {
  const auto beginning = marksOf("/tmp") + randomHex(8);
  const auto first = sleeping(beginning + ".1");
  const auto found = processesMarkedBelow(beginning);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().pid, first.pid());
  EXPECT_TRUE(processesMarkedBelow("").empty());
}

TEST(MarkedProcessesTest, MarksOfADirectoryAreItsOwn) {
  EXPECT_FALSE(marksOf("/tmp").empty());
  EXPECT_EQ(marksOf("/tmp"), marksOf("/tmp/."));
  EXPECT_NE(marksOf("/tmp"), marksOf("/"));
  EXPECT_EQ(marksOf("/nowhere"), "");
}

TEST(MarkedProcessesTest, ASignalReachesThoseThatRun) {
  const auto mark = randomHex(8);
  auto first = sleeping(mark);
  auto second = sleeping(mark);
  EXPECT_EQ(signalMarked(mark, SIGKILL), 2U);
  EXPECT_EQ(first.reap().signal, SIGKILL);
  EXPECT_EQ(second.reap().signal, SIGKILL);
  EXPECT_EQ(signalMarked(mark, SIGKILL), 0U);
}

TEST(MarkedProcessesTest, ASignalReachesAllWhoseMarksBeginAlike) {
  const auto beginning = randomHex(8);
  auto first = sleeping(beginning + ".1");
  auto second = sleeping(beginning + ".2");
  auto other = sleeping("0" + beginning + ".3");
  EXPECT_EQ(signalMarkedBelow("", SIGKILL), 0U);
  EXPECT_EQ(signalMarkedBelow(beginning + ".", SIGKILL), 2U);
  EXPECT_EQ(first.reap().signal, SIGKILL);
  EXPECT_EQ(second.reap().signal, SIGKILL);
  EXPECT_EQ(signalMarked("0" + beginning + ".3", SIGKILL), 1U);
}

}  // namespace
}  // namespace svc::base
