#include "svc/base/socket_owner.h"

#include <netinet/in.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include <gtest/gtest.h>

namespace svc::base {
namespace {

using Kind = SocketOwner::Kind;

TEST(UnmappedUsersTest, HaveNoNumberWhereEveryUserHasOne) {
  EXPECT_EQ(numberOfUnmapped("         0          0 4294967295\n", "65534\n"), std::nullopt);
}

TEST(UnmappedUsersTest, ShareTheSystemsNumberInANamespaceOfSome) {
  EXPECT_EQ(numberOfUnmapped("", "65534\n"), 65534U);
  EXPECT_EQ(numberOfUnmapped("0 1000 1\n", "65533\n"), 65533U);
  EXPECT_EQ(numberOfUnmapped("0 0 65536\n", "65534"), 65534U);
  EXPECT_EQ(numberOfUnmapped("0 0 1000\n1000 1000 4294966295\n", "65534"), 65534U);
}

TEST(UnmappedUsersTest, HaveTheUsualNumberWhereTheSystemShowsNone) {
  EXPECT_EQ(numberOfUnmapped("", ""), 65534U);
}

class SocketOwnersTest : public ::testing::Test {
 protected:
  SocketOwnersTest() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool listens = ::bind(listener_.get(), generic, size) == 0 &&
                         ::listen(listener_.get(), 1) == 0 &&
                         ::getsockname(listener_.get(), generic, &size) == 0;
    client_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_TRUE(listens && ::connect(client_.get(), generic, size) == 0);
  }

  /// What a process in a user namespace of its own, without a number for any user, is told; nothing when it gets none.
  static std::optional<Kind> withoutNumbers(const std::function<Kind()>& ask) {
    constexpr int kNoNamespace = 100;
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(::unshare(CLONE_NEWUSER) == 0 ? static_cast<int>(ask()) : kNoNamespace);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == kNoNamespace
               ? std::nullopt
               : std::optional(Kind{static_cast<std::uint8_t>(WEXITSTATUS(status))});
  }

  Fd listener_;
  Fd client_;
};

TEST_F(SocketOwnersTest, AConnectionIsOfNobodyUntilItIsAccepted) {
  EXPECT_EQ(SocketOwners().ownerOfPeer(client_.get()).kind, Kind::kNobody);
  const Fd accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(SocketOwners().ownerOfPeer(client_.get()), (SocketOwner{Kind::kUser, ::geteuid()}));
}

TEST_F(SocketOwnersTest, WhatIsNotConnectedHasNoOtherEnd) {
  EXPECT_EQ(SocketOwners().ownerOfPeer(listener_.get()).kind, Kind::kUnknown);
}

TEST_F(SocketOwnersTest, AUserWithoutANumberIsUnknownAlsoToOneOfThem) {
  const Fd accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const auto told =
      withoutNumbers([this] { return SocketOwners().ownerOfPeer(client_.get()).kind; });
  if (!told) {
    GTEST_SKIP() << "no user namespaces here";
  }
  EXPECT_EQ(told, Kind::kUnknown);
}

}  // namespace
}  // namespace svc::base
