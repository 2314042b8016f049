#include "detached_calls.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch_directory.h"

namespace svc::threads {
namespace {

using ::testing::IsEmpty;

TEST(DetachedCallsTest, AreOwedUntilTheyAreToldAlsoByTheNextProcess) {
  const ScratchDirectory scratch;
  const DetachedCalls calls(scratch.path / "detached");
  EXPECT_THAT(calls.list(), IsEmpty());
  ASSERT_TRUE(calls.add({"b", "thr_1", "render"}));
  ASSERT_TRUE(calls.add({"a", "thr_2", "build \"all\""}));
  std::ofstream(scratch.path / "detached" / "c") << "{ cut";
  const auto owed = DetachedCalls(scratch.path / "detached").list();
  ASSERT_EQ(owed.size(), 2U);
  EXPECT_EQ(owed[0].id, "a");
  EXPECT_EQ(owed[0].thread_id, "thr_2");
  EXPECT_EQ(owed[0].tool, "build \"all\"");
  calls.remove("a");
  calls.remove("a");
  ASSERT_EQ(calls.list().size(), 1U);
  EXPECT_EQ(calls.list().front().id, "b");
}

}  // namespace
}  // namespace svc::threads
