#include "svc/base/fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

namespace svc::base {
namespace {

bool isOpen(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }
bool closesInPrograms(int descriptor) { return (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0; }
Fd opened() { return Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

TEST(FdTest, ClosesWhatItHasAtItsEnd) {
  int number = -1;
  {
    const Fd file = opened();
    number = file.get();
    EXPECT_TRUE(isOpen(number));
  }
  EXPECT_FALSE(isOpen(number));
  EXPECT_FALSE(Fd());
}

TEST(FdTest, MovesWithoutClosingAndClosesWhatItReplaces) {
  Fd first = opened();
  Fd second = opened();
  const int kept = first.get();
  const int replaced = second.get();
  second = std::move(first);
  EXPECT_TRUE(isOpen(kept));
  EXPECT_FALSE(isOpen(replaced));
  auto& same = second;
  second = std::move(same);
  EXPECT_TRUE(isOpen(kept));
  const int released = second.release();
  second.reset();
  EXPECT_TRUE(isOpen(released));
  ::close(released);
}

TEST(FdTest, ClosingLeavesTheReasonOfAFailure) {
  errno = ENOSPC;
  Fd(1 << 20).reset();  // nobody's
  EXPECT_EQ(errno, ENOSPC);
}

TEST(FdTest, PipesAndSocketsAreNotForPrograms) {
  const auto pipe = makePipe();
  const auto sockets = makeSocketPair();
  ASSERT_TRUE(pipe.ok() && sockets.ok());
  for (const auto* each :
       {&pipe.value().read, &pipe.value().write, &sockets.value().here, &sockets.value().there}) {
    EXPECT_TRUE(closesInPrograms(each->get()));
  }
}

TEST(FdTest, WritesAndReadsMoreThanAPipeHolds) {
  auto pipe = makePipe();
  ASSERT_TRUE(pipe.ok());
  const std::string text(1U << 20U, 'x');
  std::thread writer([&] {
    EXPECT_TRUE(writeAll(pipe.value().write.get(), text));
    pipe.value().write.reset();
  });
  const auto got = readAll(pipe.value().read.get(), text.size());
  writer.join();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value(), text);
}

TEST(FdTest, MoreThanTheLimitIsAnError) {
  auto pipe = makePipe();
  ASSERT_TRUE(writeAll(pipe.value().write.get(), "12345"));
  pipe.value().write.reset();
  const auto got = readAll(pipe.value().read.get(), 4);
  EXPECT_EQ(got.error().code, errc::kTooLarge);
  EXPECT_EQ(got.error().message, "more than 4 bytes");
}

TEST(FdTest, WritingSaysWhyItFails) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(writeAll(full.get(), "x"));
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace svc::base
