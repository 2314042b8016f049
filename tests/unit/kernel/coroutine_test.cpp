#include "svc/kernel/coroutine.h"

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// What a course answered with; empty until it has ended.
template <class T>
class Outcome {
 public:
  [[nodiscard]] Completion<T> completion() {
    return [slot = slot_](Result<T> result) { slot->emplace(std::move(result)); };
  }
  [[nodiscard]] bool has() const { return slot_->has_value(); }
  [[nodiscard]] const auto& value() const { return slot_->value().value(); }
  [[nodiscard]] Errc code() const { return slot_->value().error().code; }
  [[nodiscard]] const std::string& message() const { return slot_->value().error().message; }

 private:
  std::shared_ptr<std::optional<Result<T>>> slot_ = std::make_shared<std::optional<Result<T>>>();
};

struct Options {
  std::string name;
  std::shared_ptr<int> held;
};

/// A service that answers when the test says so.
class Service {
 public:
  struct Request {
    std::string name;
    Completion<std::string> done;
  };
  void find(std::string name, Completion<std::string> done) {
    requests.push_back({std::move(name), std::move(done)});
  }
  void take(Options options, Completion<std::string> done) { done(std::move(options.name)); }
  void greet(Completion<std::string> done) const { done(greeting); }

  std::deque<Request> requests;
  std::string greeting = "hello";
};

class CoroutineTest : public ::testing::Test {
 protected:
  // What a frame holds: counted, so that a frame that stays is seen.
  std::shared_ptr<int> held_ = std::make_shared<int>(0);
  Service service_;
  svc::test::FakeExecutor main_;
  svc::test::InlineWorkers workers_;
  std::vector<std::string> trace_;

  [[nodiscard]] bool nothingIsHeld() const { return held_.use_count() == 1; }
};

Course<std::string> findOne(Service* service, std::string name, std::shared_ptr<int> /*held*/) {
  auto found = co_await ask(*service, &Service::find, "the " + name);
  if (!found) {
    co_return std::move(found).error();
  }
  co_return found.value() + "!";
}

Course<std::string> findTwo(Service* service, std::shared_ptr<int> held) {
  auto first = co_await findOne(service, "first", held);
  if (!first) {
    co_return std::move(first).error();
  }
  auto second = co_await findOne(service, "second", std::move(held));
  if (!second) {
    co_return std::move(second).error();
  }
  co_return first.value() + " " + second.value();
}

TEST_F(CoroutineTest, NothingRunsBeforeItIsStarted) {
  {
    const auto course = findOne(&service_, "x", held_);
    EXPECT_FALSE(nothingIsHeld());
  }
  EXPECT_TRUE(service_.requests.empty());
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, GoesOnWithEachAnswerAndCompletesWithTheResult) {
  Outcome<std::string> outcome;
  findTwo(&service_, held_).start(outcome.completion());
  ASSERT_EQ(service_.requests.size(), 1U);
  EXPECT_EQ(service_.requests[0].name, "the first");
  service_.requests[0].done(std::string("a"));
  ASSERT_EQ(service_.requests.size(), 2U);
  EXPECT_FALSE(outcome.has());
  service_.requests[1].done(std::string("b"));
  EXPECT_EQ(outcome.value(), "a! b!");
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, AnErrorOfAnInnerCourseIsItsAnswer) {
  Outcome<std::string> outcome;
  findTwo(&service_, held_).start(outcome.completion());
  service_.requests[0].done(Error{errc::kNotFound, "gone"});
  EXPECT_EQ(outcome.code(), errc::kNotFound);
  EXPECT_EQ(service_.requests.size(), 1U);
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, ADroppedCompletionAnswersAborted) {
  Outcome<std::string> outcome;
  findTwo(&service_, held_).start(outcome.completion());
  service_.requests.clear();
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_TRUE(nothingIsHeld());
}

Course<int> count(Service* service, int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto text = co_await ask(*service, &Service::greet);
    sum += static_cast<int>(text.value().size());
  }
  co_return sum;
}

TEST_F(CoroutineTest, AnswersThatComeAtOnceTakeNoStack) {
  Outcome<int> outcome;
  count(&service_, 200000).start(outcome.completion());
  EXPECT_EQ(outcome.value(), 1000000);
}

Course<void> fail(std::shared_ptr<int> /*held*/) {
  throw std::runtime_error("boom");
  co_return {};
}

TEST_F(CoroutineTest, WhatItThrowsIsAnInternalError) {
  Outcome<void> outcome;
  fail(held_).start(outcome.completion());
  EXPECT_EQ(outcome.code(), errc::kInternal);
  EXPECT_EQ(outcome.message(), "boom");
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, AnAnswerMayComeFromAnotherThread) {
  const auto course = [](std::thread* thread, std::thread::id* resumed) -> Course<int> {
    auto number = co_await answer<int>([thread](Completion<int> done) {
      *thread = std::thread([done = std::move(done)]() mutable { done(7); });
    });
    *resumed = std::this_thread::get_id();
    co_return number;
  };
  for (int round = 0; round < 200; ++round) {
    std::promise<int> answered;
    std::thread thread;
    std::thread::id resumed;
    course(&thread, &resumed).start([&](Result<int> result) {
      answered.set_value(result.value());
    });
    EXPECT_EQ(answered.get_future().get(), 7);
    thread.join();
  }
}

// Executors

Course<std::string> hop(IExecutor* main, std::vector<std::string>* trace,
                        std::shared_ptr<int> /*held*/) {
  trace->push_back("before");
  co_await onto(*main);
  trace->push_back("after");
  co_return std::string("hopped");
}

Course<std::string> hopInside(IExecutor* main, std::vector<std::string>* trace,
                              std::shared_ptr<int> held) {
  const auto kept = held;
  auto answer = co_await hop(main, trace, std::move(held));
  trace->push_back("outside");
  co_return answer;
}

TEST_F(CoroutineTest, HopsOntoAnExecutor) {
  Outcome<std::string> outcome;
  hopInside(&main_, &trace_, held_).start(outcome.completion());
  EXPECT_THAT(trace_, ElementsAre("before"));
  main_.runAll();
  EXPECT_THAT(trace_, ElementsAre("before", "after", "outside"));
  EXPECT_EQ(outcome.value(), "hopped");
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, EndsWithTheExecutorThatDropsItsTasks) {
  Outcome<std::string> outcome;
  {
    svc::test::FakeExecutor ending;
    hopInside(&ending, &trace_, held_).start(outcome.completion());
  }
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_THAT(trace_, ElementsAre("before"));
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, EndsInAnExecutorThatTakesNoTasks) {
  class Stopped final : public IExecutor {
   public:
    void post(Task /*task*/) override {}
    [[nodiscard]] Handle after(std::chrono::milliseconds /*delay*/, Task /*task*/) override {
      return {};
    }
    [[nodiscard]] bool isCurrent() const override { return false; }
  };
  Stopped stopped;
  Outcome<std::string> outcome;
  hopInside(&stopped, &trace_, held_).start(outcome.completion());
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_TRUE(nothingIsHeld());
}

Course<std::string> work(IWorkerPool* workers, IExecutor* main, std::shared_ptr<int> held,
                         bool broken) {
  const auto job = [held = std::move(held), broken]() -> Result<std::string> {
    if (broken) {
      throw std::runtime_error("broken");
    }
    return "made " + std::to_string(*held);
  };
  auto made = co_await onWorker(*workers, *main, job);
  co_return made;
}

TEST_F(CoroutineTest, RunsABlockingJobAndGoesOnOnTheExecutor) {
  Outcome<std::string> outcome;
  work(&workers_, &main_, held_, false).start(outcome.completion());
  EXPECT_FALSE(outcome.has());
  main_.runAll();
  EXPECT_EQ(outcome.value(), "made 0");
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, AJobThatThrowsIsAnInternalError) {
  Outcome<std::string> outcome;
  work(&workers_, &main_, held_, true).start(outcome.completion());
  main_.runAll();
  EXPECT_EQ(outcome.message(), "broken");
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, APoolWithoutRoomAnswersOverloaded) {
  workers_.full = true;
  Outcome<std::string> outcome;
  work(&workers_, &main_, held_, false).start(outcome.completion());
  main_.runAll();
  EXPECT_EQ(outcome.code(), errc::kOverloaded);
  EXPECT_TRUE(nothingIsHeld());
}

Course<std::string> findOn(Service* service, IExecutor* main) {
  auto found = co_await ask(*service, &Service::find, std::string("x")).on(*main);
  co_return found;
}

TEST_F(CoroutineTest, AnAnswerIsDeliveredOnAnExecutor) {
  Outcome<std::string> outcome;
  findOn(&service_, &main_).start(outcome.completion());
  service_.requests[0].done(std::string("found"));
  EXPECT_FALSE(outcome.has());
  main_.runAll();
  EXPECT_EQ(outcome.value(), "found");
}

// Bounds

Course<std::string> findWithin(Service* service, IExecutor* main, std::shared_ptr<int> /*held*/) {
  auto found = co_await ask(*service, &Service::find, std::string("x"))
                   .within(*main, 1s, {errc::kTimeout, "too late"});
  co_return found;
}

TEST_F(CoroutineTest, AWaitMayHaveALimit) {
  Outcome<std::string> in_time;
  findWithin(&service_, &main_, held_).start(in_time.completion());
  service_.requests[0].done(std::string("found"));
  EXPECT_EQ(in_time.value(), "found");
  EXPECT_EQ(main_.pendingTimers(), 0U);

  Outcome<std::string> late;
  findWithin(&service_, &main_, held_).start(late.completion());
  main_.advance(1s);
  EXPECT_EQ(late.message(), "too late");
  service_.requests[1].done(std::string("found"));
  EXPECT_TRUE(nothingIsHeld());
}

Course<std::string> findUntil(Service* service, std::stop_token stop,
                              std::shared_ptr<int> /*held*/) {
  auto found = co_await ask(*service, &Service::find, std::string("x")).until(stop);
  co_return found;
}

TEST_F(CoroutineTest, AStopEndsTheWaitAtOnce) {
  std::stop_source stop;
  Outcome<std::string> outcome;
  findUntil(&service_, stop.get_token(), held_).start(outcome.completion());
  stop.request_stop();
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_TRUE(nothingIsHeld());
  service_.requests[0].done(std::string("found"));
}

TEST_F(CoroutineTest, AfterAStopNothingIsBegun) {
  std::stop_source stop;
  stop.request_stop();
  Outcome<std::string> outcome;
  findUntil(&service_, stop.get_token(), held_).start(outcome.completion());
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_TRUE(service_.requests.empty());
}

TEST_F(CoroutineTest, AnAnswerForgetsTheStop) {
  std::stop_source stop;
  Outcome<std::string> outcome;
  findUntil(&service_, stop.get_token(), held_).start(outcome.completion());
  service_.requests[0].done(std::string("found"));
  EXPECT_EQ(outcome.value(), "found");
  stop.request_stop();
  EXPECT_TRUE(nothingIsHeld());
}

/// The stop ends a course that holds what the wait depends on.
TEST_F(CoroutineTest, AStopMayDropTheRequestItself) {
  std::stop_source stop;
  auto owner = std::make_shared<Service>();
  const std::weak_ptr<Service> watched = owner;
  const auto course = [](std::shared_ptr<Service> service, std::stop_token until) -> Course<void> {
    auto found = co_await ask(*service, &Service::find, std::string("x")).until(until);
    if (!found) {
      co_return std::move(found).error();
    }
    co_return {};
  };
  Outcome<void> outcome;
  course(std::move(owner), stop.get_token()).start(outcome.completion());
  stop.request_stop();
  EXPECT_EQ(outcome.code(), errc::kAborted);
  EXPECT_TRUE(watched.expired());
}

// What the compiler has to keep in the frame, once

Course<std::string> withOptions(Service* service, Options options) {
  const auto copied = co_await ask(*service, &Service::take, options);
  auto found = co_await ask(*service, &Service::find, options.name + " of options");
  if (auto again = co_await ask(*service, &Service::find, options.name); again && found) {
    co_return copied.value().substr(0, 1) + found.value() + again.value() +
        std::to_string(options.held.use_count() > 1);
  }
  co_return Error{errc::kNotFound, "nothing"};
}

Course<std::string> withCaptures(Service* service, IWorkerPool* workers, IExecutor* main,
                                 std::shared_ptr<int> held) {
  std::string name(64, 'n');
  const auto find = [held, name, service](Completion<std::string> done) {
    service->find(name, std::move(done));
  };
  auto made = co_await answer<std::string>(find);
  const auto job = [held, name, made = std::move(made)] {
    return Result<std::string>(made.value() + name);
  };
  auto worked = co_await onWorker(*workers, *main, job);
  co_return worked;
}

TEST_F(CoroutineTest, ParametersAndCapturesLiveAsLongAsTheFrame) {
  Outcome<std::string> options;
  withOptions(&service_, {.name = std::string(64, 'o'), .held = held_}).start(options.completion());
  service_.requests[0].done(std::string("a"));
  service_.requests[1].done(std::string("b"));
  EXPECT_EQ(options.value(), "oab1");
  EXPECT_TRUE(nothingIsHeld());

  Outcome<std::string> captures;
  withCaptures(&service_, &workers_, &main_, held_).start(captures.completion());
  service_.requests[2].done(std::string("c"));
  main_.runAll();
  EXPECT_EQ(captures.value(), "c" + std::string(64, 'n'));
  EXPECT_TRUE(nothingIsHeld());
}

TEST_F(CoroutineTest, WhatItHoldsIsGoneWhenItAnswers) {
  bool gone = false;
  findOne(&service_, "x", held_).start([&](const Result<std::string>&) { gone = nothingIsHeld(); });
  service_.requests[0].done(std::string("a"));
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace svc
