#include "owner_keeper.h"

#include "svc/kernel/result.h"

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "mocks/mock_service_settings.h"

namespace svc::mcp {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::Return;

class OwnerKeeperTest : public ::testing::Test {
 protected:
  OwnerKeeperTest() {
    ON_CALL(store_, get(_)).WillByDefault([this](const std::string&) { return kept_; });
    ON_CALL(store_, set(_, _))
        .WillByDefault([this](const std::string&, const std::string& value) -> Status {
          ++writes_;
          kept_ = std::optional(value);
          return {};
        });
  }
  ::testing::NiceMock<storage::MockServiceSettings> store_;
  svc::test::InlineWorkers workers_;
  svc::test::FakeMainExecutor main_;
  Result<std::optional<std::string>> kept_ = std::optional<std::string>();
  int writes_ = 0;
  std::shared_ptr<OwnerKeeper> keeper_ = std::make_shared<OwnerKeeper>(store_, workers_, main_);
};

TEST_F(OwnerKeeperTest, WhatIsKeptIsThereAfterARestart) {
  EXPECT_THAT(keeper_->load(), IsEmpty());
  keeper_->keep({{"add", "todo"}, {"note", "notes"}});
  main_.runAll();
  EXPECT_THAT(OwnerKeeper(store_, workers_, main_).load(),
              ElementsAre(Pair("add", "todo"), Pair("note", "notes")));
}

TEST_F(OwnerKeeperTest, WhatChangesWhileItIsWrittenIsWrittenOnceAfterIt) {
  keeper_->keep({{"a", "todo"}});
  keeper_->keep({{"b", "todo"}});
  keeper_->keep({{"c", "todo"}});
  EXPECT_EQ(writes_, 1);
  main_.runAll();
  EXPECT_EQ(writes_, 2);
  EXPECT_THAT(keeper_->load(), ElementsAre(Pair("c", "todo")));
}

TEST_F(OwnerKeeperTest, WhatCannotBeReadOrWrittenIsNotKnown) {
  kept_ = Error{errc::kUnavailable, "no store"};
  EXPECT_THAT(keeper_->load(), IsEmpty());
  kept_ = std::optional<std::string>("nonsense");
  EXPECT_THAT(keeper_->load(), IsEmpty());
  EXPECT_CALL(store_, set(_, _)).WillOnce(Return(Error{errc::kUnavailable, "no store"}));
  keeper_->keep({{"a", "todo"}});
  main_.runAll();
  workers_.full = true;
  keeper_->keep({{"b", "todo"}});
  main_.runAll();
  workers_.full = false;
  EXPECT_CALL(store_, set(_, R"({"c":"todo"})"));
  keeper_->keep({{"c", "todo"}});
  main_.runAll();
}

TEST_F(OwnerKeeperTest, MoreThanItsLimitAreNotKept) {
  ToolOwners many;
  for (std::size_t at = 0; at <= OwnerKeeper::kKept; ++at) {
    many.emplace(std::to_string(at), "todo");
  }
  keeper_->keep(many);
  main_.runAll();
  EXPECT_EQ(keeper_->load().size(), OwnerKeeper::kKept);
}

}  // namespace
}  // namespace svc::mcp
