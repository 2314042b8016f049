#include "lock_file.h"

#include <unistd.h>

#include <filesystem>

#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

TEST(LockFileTest, IsExclusiveUntilReleased) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("lock" + std::to_string(::getpid()));
  {
    const auto first = LockFile::acquire(path, "testd");
    ASSERT_TRUE(first.ok());
    const auto second = LockFile::acquire(path, "testd");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, errc::kConflict);
    EXPECT_THAT(second.error().message,
                testing::AllOf(testing::StartsWith("testd already runs"),
                               testing::HasSubstr(std::to_string(::getpid()))));
  }
  EXPECT_TRUE(LockFile::acquire(path, "testd").ok());
  std::filesystem::remove(path);
}

TEST(LockFileTest, AnImpossiblePathIsAClearError) {
  const auto lock = LockFile::acquire("/proc/nowhere/server.lock", "testd");
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, testing::HasSubstr("/proc/nowhere/server.lock"));
}

}  // namespace
}  // namespace svc::kernel
