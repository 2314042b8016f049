#include "server_owner.h"

#include <gmock/gmock.h>

#include "owners.h"

namespace svc::serverlink {
namespace {

using Server = ServerOwner::Server;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kJoinedServer = "http://127.0.0.1:4700";
constexpr ServerOwner::Owner kRootOwner{ServerOwner::Owner::Kind::kUser, 0};

bool admits(ServerOwner& server, const ServerOwner::Owner& found) {
  return server.admit(found, kJoinedServer).ok();
}

TEST(ServerOwnerTest, OnlyItsUserAndRootHaveAServerThatIsKnown) {
  ServerOwner server(Server::kJoined, kCarol);
  EXPECT_TRUE(admits(server, kCarol));
  EXPECT_TRUE(admits(server, kRootOwner));
  EXPECT_FALSE(admits(server, kBob));
  EXPECT_FALSE(admits(server, kUntoldOwner));
}

TEST(ServerOwnerTest, ARefusalSaysWhoIsThereAndWhatToDo) {
  ServerOwner server(Server::kJoined, kCarol);
  const auto refused = server.admit(kBob, kJoinedServer);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, kForeignServer);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(kJoinedServer), HasSubstr("belongs to uid 4123456002"),
                    HasSubstr("to uid 4123456001"), HasSubstr("Start that server there"),
                    HasSubstr("join again")));
  ServerOwner of_root(Server::kJoined, kRootOwner);
  EXPECT_THAT(of_root.admit(kUntoldOwner, kJoinedServer).error().message,
              AllOf(HasSubstr("whom the system does not tell"), HasSubstr("root (0)")));
}

TEST(ServerOwnerTest, AServerThatTheSystemCouldNotTellIsTakenAsLongAsItCannot) {
  ServerOwner server(Server::kJoined, kUntoldOwner);
  EXPECT_TRUE(admits(server, kUntoldOwner));
  EXPECT_TRUE(admits(server, kRootOwner));
  EXPECT_FALSE(admits(server, kBob));
}

TEST(ServerOwnerTest, AServerOfWhichNothingIsKnownBelongsToWhoHasItWhenThatIsKept) {
  ServerOwner server(Server::kJoined, std::nullopt);
  EXPECT_FALSE(server.keep());
  EXPECT_TRUE(admits(server, kBob));
  EXPECT_TRUE(admits(server, kCarol));
  EXPECT_EQ(server.remembered(), kCarol);
  EXPECT_TRUE(server.keep());
  EXPECT_FALSE(admits(server, kBob));
  EXPECT_EQ(server.remembered(), kCarol);
  EXPECT_FALSE(server.keep());
}

TEST(ServerOwnerTest, TheServerThatStartedThisProcessMayBeUntold) {
  ServerOwner server(Server::kParent, kCarol);
  EXPECT_TRUE(admits(server, kCarol));
  EXPECT_TRUE(admits(server, kRootOwner));
  EXPECT_TRUE(admits(server, kUntoldOwner));
  EXPECT_THAT(server.admit(kBob, kJoinedServer).error().message,
              AllOf(HasSubstr("uid 4123456002"), Not(HasSubstr("join"))));
}

}  // namespace
}  // namespace svc::serverlink
