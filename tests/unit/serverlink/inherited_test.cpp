#include "inherited.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

namespace svc::serverlink {
namespace {

using namespace std::chrono_literals;

class InheritedTest : public testing::Test {
 protected:
  InheritedTest() { EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0); }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(pipe_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  int pipe_[2] = {-1, -1};
};

TEST_F(InheritedTest, ReadsToTheEndAndCloses) {
  write(" svce_a");
  write("bc\n");
  ::close(pipe_[1]);
  const auto text = readInherited(pipe_[0], 10s);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.value(), "svce_abc");
  EXPECT_EQ(::fcntl(pipe_[0], F_GETFD), -1);
}

TEST_F(InheritedTest, NothingIsAFailure) {
  ::close(pipe_[1]);
  EXPECT_EQ(readInherited(pipe_[0], 10s).error().code, errc::kUnavailable);
  EXPECT_EQ(readInherited(999, 10s).error().code, errc::kUnavailable);
}

TEST_F(InheritedTest, ASilentWriterIsNotWaitedForLong) {
  EXPECT_EQ(readInherited(pipe_[0], 0ms).error().code, errc::kTimeout);
  ::close(pipe_[1]);
}

TEST_F(InheritedTest, AFloodIsCut) {
  write(std::string(5000, 'x'));
  EXPECT_LE(readInherited(pipe_[0], 10s).value().size(), 2048U);
  ::close(pipe_[1]);
}

TEST_F(InheritedTest, ADescriptorIsKeptFromChildren) {
  ASSERT_EQ(::fcntl(pipe_[0], F_SETFD, 0), 0);
  ASSERT_TRUE(keepToSelf(pipe_[0]).ok());
  EXPECT_EQ(::fcntl(pipe_[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ::close(pipe_[0]);
  ::close(pipe_[1]);
  EXPECT_FALSE(keepToSelf(999).ok());
}

}  // namespace
}  // namespace svc::serverlink
