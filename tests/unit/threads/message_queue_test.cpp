#include "message_queue.h"

#include "svc/common/codes.h"

#include "runner_fixture.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

class MessageQueueTest : public RunnerFixture {
 protected:
  /// Waiting messages of these texts; their ids.
  std::vector<std::string> fill(const std::vector<std::string>& texts) {
    spawn();
    begin();
    std::vector<std::string> out;
    for (const auto& text : texts) {
      out.push_back(send(text).value()["queuedMessageId"].asString());
    }
    return out;
  }
  MessageQueue queue() { return MessageQueue(*book_); }
};

TEST_F(MessageQueueTest, ListsEditsAndDeletes) {
  const auto rows = fill({"a", "b"});
  const auto record = queue().get(thread_, rows[0]).value();
  EXPECT_EQ(record["waitingOn"]["kind"].asString(), "thread-busy");
  EXPECT_TRUE(record["editable"].asBool());
  const auto at = record["updatedAt"].asInteger();
  EXPECT_TRUE(queue().update(thread_, rows[0], said("c"), at).ok());
  EXPECT_EQ(queue().update(thread_, rows[0], said("d"), at).error().code, errc::kConflict);
  EXPECT_THAT(waiting(), ElementsAre("c", "b"));
  EXPECT_TRUE(queue().remove(thread_, rows[0]).ok());
  EXPECT_EQ(queue().remove(thread_, rows[0]).error().code, errc::kNotFound);
  restart();
  EXPECT_THAT(waiting(), ElementsAre("b"));
}

TEST_F(MessageQueueTest, WaitsForThePlaceThatIsBeingMade) {
  PlaceListener told;
  Completion<ReadyEnvironment> ready;
  ON_CALL(environments_, resolve(_, _, _))
      .WillByDefault(
          [&](const EnvironmentNeed&, PlaceListener listener, Completion<ReadyEnvironment> done) {
            told = std::move(listener);
            ready = std::move(done);
          });
  ThreadRuntime runtime(
      clock_, [](const std::string&) {}, [](const std::string&) { return false; });
  runtime.hostOpened("host_a");
  book_->useRuntime([&runtime](const storage::ThreadRow& row) { return runtime.of(row); });
  runner_ = std::make_unique<TurnRunner>(
      *book_, workers_,
      Crew{
          .agents = &agents_, .environments = &environments_, .live = &live_, .runtime = &runtime});
  ASSERT_TRUE(runner_->recover().ok());
  spawn();
  const auto row = send("and then").value()["queuedMessageId"].asString();
  const auto waits = [&] {
    return queue().get(thread_, row).value()["waitingOn"]["kind"].asString();
  };
  EXPECT_EQ(waits(), "thread-busy");
  forget();
  told({.step = Json::object().set("key", "setup").set("type", "step").set("status", "active")});
  EXPECT_EQ(waits(), "provisioning");
  EXPECT_EQ(book_->record(book_->thread(thread_).value())["runtime"]["displayStatus"].asString(),
            "provisioning");
  EXPECT_THAT(told_, Contains(Pair(thread_, "queue-changed")))
      << "windows ask again what it waits for";
  ready(ReadyEnvironment{"env_a", "host_a", "/work", Json::object()});
  EXPECT_EQ(waits(), "thread-busy");
  begin();
  finish();
  ready(ReadyEnvironment{"env_a", "host_a", "/work", Json::object()});
  EXPECT_EQ(prompts_.back(), "and then");
  runner_.reset();
  book_->useRuntime({});
}

TEST_F(MessageQueueTest, ReordersBetweenNeighbours) {
  const auto rows = fill({"a", "b", "c"});
  ASSERT_TRUE(queue().reorder(thread_, rows[2], {}, rows[0]).ok());
  EXPECT_THAT(waiting(), ElementsAre("c", "a", "b"));
  EXPECT_EQ(queue().reorder(thread_, rows[2], rows[1], rows[0]).error().code, errc::kConflict);
  ASSERT_TRUE(queue().reorder(thread_, rows[0], rows[1], {}).ok());
  EXPECT_THAT(waiting(), ElementsAre("c", "b", "a"));
}

TEST_F(MessageQueueTest, AGroupIsSentAsOneTurn) {
  const auto rows = fill({"a", "b", "c"});
  EXPECT_EQ(queue().setGroupBoundary(thread_, rows[1], {rows[1]}).error().code, errc::kConflict);
  ASSERT_TRUE(queue().setGroupBoundary(thread_, rows[1], {rows[0], rows[1]}).ok());
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "a\nb"));
  EXPECT_THAT(waiting(), ElementsAre("c"));
}

TEST_F(MessageQueueTest, AfterAnErrorWhatIsSentNowStartsATurn) {
  const auto rows = fill({"a", "b"});
  finish("failed");
  ASSERT_EQ(status(), "error");
  EXPECT_THAT(waiting(), ElementsAre("a", "b")) << "they wait until somebody looks";
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->sendQueued(thread_, rows[1], std::move(done));
              }).ok());
  EXPECT_EQ(status(), "starting");
  EXPECT_EQ(prompts_.back(), "b");
  begin();
  finish();
  EXPECT_EQ(prompts_.back(), "a") << "the thread goes on";
}

TEST_F(MessageQueueTest, AfterAnErrorAMessageStartsATurnBeforeThoseThatWait) {
  fill({"a"});
  finish("failed");
  EXPECT_EQ(send("again").value()["outcome"].asString(), "started");
  EXPECT_EQ(prompts_.back(), "again");
  EXPECT_THAT(waiting(), ElementsAre("a"));
}

TEST_F(MessageQueueTest, AfterAnErrorAMessageGoesAtItsTime) {
  fill({"a"});
  const auto before = send("set before", "auto", clock_.nowMs() + 1000);
  ASSERT_TRUE(before.ok());
  finish("failed");
  ASSERT_TRUE(send("set after", "auto", clock_.nowMs() + 2000).ok());
  runner_->tick();
  EXPECT_THAT(waiting(), ElementsAre("a", "set before", "set after"));
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_EQ(prompts_.back(), "set before");
  begin();
  finish("failed");
  EXPECT_THAT(waiting(), ElementsAre("a", "set after")) << "a failure holds what has no time";
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_EQ(prompts_.back(), "set after");
  begin();
  finish();
  EXPECT_EQ(prompts_.back(), "a") << "the thread goes on";
}

TEST_F(MessageQueueTest, AMessageWhoseTimeIsOverWaitsForItsThread) {
  spawn();
  begin();
  const auto row =
      send("later", "auto", clock_.nowMs() + 1000).value()["queuedMessageId"].asString();
  const auto waits = [&] {
    const auto record = queue().get(thread_, row).value();
    EXPECT_EQ(queue().list(thread_).value().items()[0]["waitingOn"], record["waitingOn"]);
    return record["waitingOn"]["kind"].asString();
  };
  EXPECT_EQ(waits(), "time");
  clock_.advance(std::chrono::milliseconds(1000));
  EXPECT_EQ(waits(), "thread-busy");
}

TEST_F(MessageQueueTest, ARowThatIsSentNowSkipsItsTime) {
  spawn();
  begin();
  finish();
  const auto row =
      send("later", "auto", clock_.nowMs() + 1000).value()["queuedMessageId"].asString();
  EXPECT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->sendQueued(thread_, row, std::move(done));
              }).ok());
  EXPECT_THAT(prompts_, ElementsAre("hello", "later"));
  EXPECT_EQ(
      answerOf([&](Completion<Json> done) { runner_->sendQueued(thread_, row, std::move(done)); })
          .error()
          .code,
      errc::kNotFound);
}

}  // namespace
}  // namespace svc::threads
