#include "svc/kernel/async.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class AsyncTest : public ::testing::Test {
 protected:
  svc::test::FakeExecutor main_;
  std::vector<std::string> answers_;

  Completion<std::string> recorded() {
    return [this](const Result<std::string>& result) {
      answers_.push_back(result ? result.value() : std::string(result.error().code.name()));
    };
  }
};

TEST_F(AsyncTest, DeliversAnswersOnTheExecutor) {
  auto done = deliverOn(main_, recorded());
  done(std::string("answer"));
  EXPECT_THAT(answers_, ElementsAre());
  main_.runAll();
  EXPECT_THAT(answers_, ElementsAre("answer"));
}

TEST_F(AsyncTest, AnAnswerThatIsDroppedOnTheWayIsAborted) {
  {
    svc::test::FakeExecutor ending;
    auto done = deliverOn(ending, recorded());
    done(std::string("answer"));
  }
  EXPECT_THAT(answers_, ElementsAre("aborted"));
}

TEST_F(AsyncTest, AFullPoolRefusesOnTheExecutor) {
  svc::test::InlineWorkers workers;
  workers.full = true;
  const auto job = []() -> Result<std::string> { return std::string("made"); };
  runOnWorker<std::string>(workers, main_, job, recorded());
  runOnWorker<std::string>(workers, main_, job, recorded(), {errc::kConflict, "not now"});
  EXPECT_THAT(answers_, ElementsAre());
  main_.runAll();
  EXPECT_THAT(answers_, ElementsAre("overloaded", "conflict"));
}

TEST_F(AsyncTest, ALimitedAnswerIsWhateverComesFirst) {
  auto in_time = limited(main_, 1s, {errc::kTimeout, ""}, recorded());
  in_time(std::string("in time"));
  main_.advance(2s);
  auto late = limited(main_, 1s, {errc::kTimeout, ""}, recorded());
  main_.advance(2s);
  late(std::string("late"));
  EXPECT_THAT(answers_, ElementsAre("in time", "timeout"));
  EXPECT_EQ(main_.pendingTimers(), 0U);
}

TEST_F(AsyncTest, AStoppableAnswerIsWhateverComesFirst) {
  std::stop_source stop;
  auto answered = stoppable(stop.get_token(), recorded());
  auto waiting = stoppable(stop.get_token(), recorded());
  answered(std::string("answer"));
  stop.request_stop();
  waiting(std::string("late"));
  auto after = stoppable(stop.get_token(), recorded());
  EXPECT_THAT(answers_, ElementsAre("answer", "aborted", "aborted"));
}

TEST_F(AsyncTest, ACountdownFiresWhenTheLastShareIsGone) {
  int fired = 0;
  Countdown all([&](const Status& status) { fired += status ? 1 : 100; });
  auto first = all.share();
  auto second = all.share();
  first({});
  second({});
  EXPECT_EQ(fired, 0);
  auto third = all.share();
  all.arm();
  EXPECT_EQ(fired, 0);
  third = {};
  EXPECT_EQ(fired, 1);

  Countdown empty([&](const Status& status) { fired += status ? 1 : 100; });
  empty.arm();
  EXPECT_EQ(fired, 2);
}

}  // namespace
}  // namespace svc
