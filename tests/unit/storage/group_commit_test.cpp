#include "group_commit.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::storage {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::InSequence;
using ::testing::NiceMock;
using ::testing::Return;
using ::testing::StrictMock;

class MockTransactions : public ITransactions {
 public:
  MOCK_METHOD(Status, begin, (), (override));
  MOCK_METHOD(Status, commit, (), (override));
  MOCK_METHOD(void, rollback, (), (override));
  MOCK_METHOD(bool, active, (), (const, override));
  MOCK_METHOD(void, openSnapshot, (), (override));
  MOCK_METHOD(void, closeSnapshot, (), (override));
  MOCK_METHOD(Status, openSavepoint, (), (override));
  MOCK_METHOD(Status, keepSavepoint, (), (override));
  MOCK_METHOD(Status, undoSavepoint, (), (override));
  MOCK_METHOD(Status, tryWrite, (), (override));
  MOCK_METHOD(std::size_t, logPages, (), (const, override));
  MOCK_METHOD(void, foldLog, (), (override));
  MOCK_METHOD(void, interrupt, (), (override));
};

const Error kDiskFull{errc::kUnavailable, "disk full"};
const Error kOwnFault{errc::kConflict, "own fault"};

class GroupCommitTest : public ::testing::Test {
 protected:
  GroupCommitTest() {
    ON_CALL(tx_, begin).WillByDefault(Return(Status{}));
    ON_CALL(tx_, commit).WillByDefault(Return(Status{}));
    ON_CALL(tx_, active).WillByDefault(Return(true));
    ON_CALL(tx_, openSavepoint).WillByDefault(Return(Status{}));
    ON_CALL(tx_, keepSavepoint).WillByDefault(Return(Status{}));
    ON_CALL(tx_, undoSavepoint).WillByDefault(Return(Status{}));
  }

  void add(Access access, std::string scope, std::string name, Status outcome = {}) {
    auto body = [this, name, outcome](Side side) -> Status {
      events_.push_back("run " + name);
      sides_.push_back(side);
      return outcome;
    };
    Completion<void> done([this, name](const Status& status) {
      events_.push_back((status ? "ok " : std::string(status.error().code.name()) + " ") + name);
    });
    batch_.push_back(makeRequest(access, std::move(scope), 0, std::move(body), std::move(done)));
  }

  std::optional<Status> run() { return runBatch(tx_, batch_); }

  NiceMock<MockTransactions> tx_;
  Batch batch_;
  std::vector<std::string> events_;
  std::vector<Side> sides_;
};

TEST_F(GroupCommitTest, ReadsOnceWithoutATransaction) {
  StrictMock<MockTransactions> untouched;
  add(Access::kRead, "a", "r");
  EXPECT_FALSE(runBatch(untouched, batch_).has_value());
  EXPECT_THAT(events_, ElementsAre("run r", "ok r"));
}

TEST_F(GroupCommitTest, ReadsBesideTheWriterFromOneSnapshot) {
  StrictMock<MockTransactions> strict;
  add(Access::kRead, "a", "r1");
  add(Access::kRead, "b", "r2");
  const InSequence sequence;
  EXPECT_CALL(strict, openSnapshot);
  EXPECT_CALL(strict, closeSnapshot);
  runReads(strict, batch_);
  EXPECT_THAT(events_, ElementsAre("run r1", "ok r1", "run r2", "ok r2"));
  EXPECT_THAT(sides_, ElementsAre(Side::kReader, Side::kReader));
}

TEST_F(GroupCommitTest, AnswersAReadOfAnUnwrittenScopeBeforeTheWrites) {
  add(Access::kWrite, "a", "w");
  add(Access::kRead, "b", "r");
  run();
  EXPECT_THAT(events_, ElementsAre("run r", "ok r", "run w", "ok w"));
}

TEST_F(GroupCommitTest, AnswersAReadThatPrecedesTheWriteOfItsScopeAtOnce) {
  add(Access::kRead, "a", "r");
  add(Access::kWrite, "a", "w");
  run();
  EXPECT_THAT(events_, ElementsAre("run r", "ok r", "run w", "ok w"));
}

TEST_F(GroupCommitTest, KeepsTheOrderOfAWrittenScope) {
  add(Access::kWrite, "a", "w1");
  add(Access::kRead, "a", "r");
  add(Access::kWrite, "a", "w2");
  run();
  EXPECT_THAT(events_, ElementsAre("run w1", "run r", "run w2", "ok w1", "ok r", "ok w2"));
  EXPECT_THAT(sides_, Each(Side::kWriter));
}

TEST_F(GroupCommitTest, CommitsAllWritesTogether) {
  StrictMock<MockTransactions> strict;
  add(Access::kWrite, "a", "w1");
  add(Access::kWrite, "b", "w2");
  const InSequence sequence;
  EXPECT_CALL(strict, begin).WillOnce(Return(Status{}));
  for (int write = 0; write < 2; ++write) {
    EXPECT_CALL(strict, openSavepoint).WillOnce(Return(Status{}));
    EXPECT_CALL(strict, keepSavepoint).WillOnce(Return(Status{}));
  }
  EXPECT_CALL(strict, commit).WillOnce([this] {
    EXPECT_THAT(events_, ElementsAre("run w1", "run w2"));
    return Status{};
  });
  EXPECT_TRUE(runBatch(strict, batch_)->ok());
  EXPECT_THAT(events_, ElementsAre("run w1", "run w2", "ok w1", "ok w2"));
}

TEST_F(GroupCommitTest, TakesBackOnlyTheRequestThatFails) {
  add(Access::kWrite, "a", "w1");
  add(Access::kWrite, "b", "w2", kOwnFault);
  add(Access::kWrite, "c", "w3");
  EXPECT_CALL(tx_, undoSavepoint).Times(1);
  EXPECT_CALL(tx_, keepSavepoint).Times(2);
  EXPECT_TRUE(run()->ok());
  EXPECT_THAT(events_, ElementsAre("run w1", "run w2", "run w3", "ok w1", "conflict w2", "ok w3"));
}

TEST_F(GroupCommitTest, FailsEveryRequestWhenTheCommitFails) {
  add(Access::kWrite, "a", "w1");
  add(Access::kRead, "a", "r");
  add(Access::kWrite, "b", "w2", kOwnFault);
  EXPECT_CALL(tx_, commit).WillOnce(Return(kDiskFull));
  EXPECT_CALL(tx_, rollback);
  EXPECT_FALSE(run()->ok());
  EXPECT_THAT(events_, ElementsAre("run w1", "run r", "run w2", "unavailable w1", "unavailable r",
                                   "conflict w2"));
}

TEST_F(GroupCommitTest, RunsNothingWhenTheTransactionDoesNotBegin) {
  add(Access::kWrite, "a", "w");
  EXPECT_CALL(tx_, begin).WillOnce(Return(kDiskFull));
  EXPECT_CALL(tx_, commit).Times(0);
  EXPECT_FALSE(run()->ok());
  EXPECT_THAT(events_, ElementsAre("unavailable w"));
}

TEST_F(GroupCommitTest, FailsEveryRequestWhenOneEndsTheTransaction) {
  add(Access::kWrite, "a", "w1");
  add(Access::kWrite, "b", "w2", kDiskFull);
  add(Access::kWrite, "c", "w3");
  EXPECT_CALL(tx_, active).WillRepeatedly(Return(false));
  EXPECT_CALL(tx_, commit).Times(0);
  EXPECT_FALSE(run()->ok());
  EXPECT_THAT(events_, ElementsAre("run w1", "run w2", "unavailable w1", "unavailable w2",
                                   "unavailable w3"));
}

TEST_F(GroupCommitTest, FailsEveryRequestWhenASavepointFails) {
  add(Access::kWrite, "a", "w1", kOwnFault);
  add(Access::kWrite, "b", "w2");
  EXPECT_CALL(tx_, undoSavepoint).WillOnce(Return(kDiskFull));
  EXPECT_CALL(tx_, commit).Times(0);
  EXPECT_FALSE(run()->ok());
  EXPECT_THAT(events_, ElementsAre("run w1", "conflict w1", "unavailable w2"));
}

TEST_F(GroupCommitTest, TurnsAnExceptionOfARequestIntoItsAnswer) {
  std::string code;
  batch_.push_back(makeRequest<void>(
      Access::kWrite, "a", 0, [](Side) -> Status { throw std::runtime_error("broken"); },
      [&code](const Status& status) { code = status.error().code.name(); }));
  EXPECT_TRUE(run()->ok());
  EXPECT_EQ(code, "internal_error");
}

}  // namespace
}  // namespace svc::storage
