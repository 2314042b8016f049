#include "loads.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

class LoadsTest : public HostsFixture {};

TEST_F(LoadsTest, TheLastLoadIsCurrent) {
  load("todo", 1, artifact("g1"));
  load("todo", 2, artifact("g2"));
  EXPECT_EQ(loads_.current("todo", "g1"), nullptr);
  EXPECT_EQ(loads_.current("todo", "g2")->load_id, 2U);
  EXPECT_EQ(loads_.current("chat", "g2"), nullptr);
  loads_.find(2)->retired = true;
  EXPECT_EQ(loads_.current("todo", "g2"), nullptr);
}

TEST_F(LoadsTest, ALoadWithoutHostEntryHasNoIdentity) {
  load("todo", 1, artifact("g1"));
  load("todo", 2, nullptr);
  EXPECT_EQ(loads_.current("todo", "g1"), nullptr);
  EXPECT_EQ(loads_.current("todo", ""), nullptr);
}

TEST_F(LoadsTest, EveryLoadThatIsNotGoneCanBeFetched) {
  load("todo", 1, artifact("g1", "old"));
  load("chat", 2, artifact("g2", "chat"));
  const std::string digest(64, 'a');
  EXPECT_EQ(*loads_.artifact("todo", digest)->bytes, "old");
  EXPECT_EQ(*loads_.artifact("chat", digest)->bytes, "chat");
  EXPECT_EQ(loads_.artifact("other", digest), nullptr);
  EXPECT_EQ(loads_.artifact("todo", std::string(64, 'b')), nullptr);
  loads_.remove(1);
  EXPECT_EQ(loads_.artifact("todo", digest), nullptr);
}

TEST_F(LoadsTest, IdentitiesAreThoseThatMayBeCalled) {
  load("todo", 1, artifact("g1"));
  load("chat", 2, artifact("g2"));
  load("plain", 3, nullptr);
  loads_.find(1)->retired = true;
  EXPECT_THAT(loads_.identities(),
              ::testing::ElementsAre(std::pair<std::string, std::string>("chat", "g2")));
}

TEST_F(LoadsTest, LoadsOfOnePluginShareTheirUsage) {
  load("todo", 1, artifact("g1"));
  load("todo", 2, artifact("g2"));
  load("chat", 3, artifact("g3"));
  EXPECT_EQ(loads_.find(1)->usage, loads_.find(2)->usage);
  EXPECT_NE(loads_.find(1)->usage, loads_.find(3)->usage);
}

}  // namespace
}  // namespace svc::hosts
