#include "lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <latch>

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

TEST(LockFileTest, WhoOnlyAsksDoesNotKeepAnOwnerOut) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("asked" + std::to_string(::getpid()));
  const int asker = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(asker, LOCK_SH | LOCK_NB), 0);
  std::latch begun(1);
  auto lock = std::async(std::launch::async, [&] {
    begun.count_down();
    return LockFile::acquire(path, "testd").ok();
  });
  begun.wait();
  ::close(asker);
  EXPECT_TRUE(lock.get());
  std::filesystem::remove(path);
}

TEST(LockFileTest, AnImpossiblePathIsAClearError) {
  const auto lock = LockFile::acquire("/proc/nowhere/server.lock", "testd");
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, testing::HasSubstr("/proc/nowhere/server.lock"));
}

}  // namespace
}  // namespace svc::kernel
