#include "lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <latch>

#include <gmock/gmock.h>

#include "unit/plugins/temp_directory.h"

namespace svc::kernel {
namespace {

class LockFileTest : public testing::Test {
 protected:
  test::TempDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "testd.lock";
};

TEST_F(LockFileTest, IsExclusiveUntilReleased) {
  {
    const auto first = LockFile::acquire(path_, "testd");
    ASSERT_TRUE(first.ok());
    const auto second = LockFile::acquire(path_, "testd");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, errc::kConflict);
    EXPECT_THAT(second.error().message,
                testing::AllOf(testing::StartsWith("testd already runs"),
                               testing::HasSubstr(std::to_string(::getpid()))));
  }
  EXPECT_TRUE(LockFile::acquire(path_, "testd").ok());
}

TEST_F(LockFileTest, HoldsTheDirectoryWhenItsFileIsRemoved) {
  {
    const auto first = LockFile::acquire(path_, "testd");
    ASSERT_TRUE(first.ok());
    std::filesystem::remove(path_);
    const auto second = LockFile::acquire(path_, "testd");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, errc::kConflict);
    EXPECT_THAT(second.error().message, testing::HasSubstr("testd.lock was removed"));
  }
  EXPECT_TRUE(LockFile::acquire(path_, "testd").ok());
}

TEST_F(LockFileTest, WhoOnlyAsksDoesNotKeepAnOwnerOut) {
  const int asker = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(asker, LOCK_SH | LOCK_NB), 0);
  std::latch begun(1);
  auto lock = std::async(std::launch::async, [&] {
    begun.count_down();
    return LockFile::acquire(path_, "testd").ok();
  });
  begun.wait();
  ::close(asker);
  EXPECT_TRUE(lock.get());
}

TEST_F(LockFileTest, AnImpossiblePathIsAClearError) {
  const auto lock = LockFile::acquire("/proc/nowhere/server.lock", "testd");
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, testing::HasSubstr("/proc/nowhere/server.lock"));
}

}  // namespace
}  // namespace svc::kernel
