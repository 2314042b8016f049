#include "plugin_worker.h"

#include <csignal>

#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

#include "fixture.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PluginWorkerTest : public WorkersFixture {
 protected:
  std::shared_ptr<Answer> call(const HostCall& call) {
    auto answer = std::make_shared<Answer>();
    worker_->call(call, into(answer));
    return answer;
  }
  std::shared_ptr<Answer> call(const std::string& generation = "g1",
                               const std::string& call_id = "c1") {
    return call(hostCall(generation, call_id));
  }
  FakeProcess& started(const std::string& generation = "g1") {
    const auto warm = call(generation, "warm");
    auto& process = launcher_.latest();
    process.ready();
    process.say(result("1", "0"));
    EXPECT_EQ(warm->text(), R"({"output":0})");
    process.sent.clear();
    process.at_once.clear();
    return process;
  }
  static std::string result(const std::string& number, const std::string& output) {
    return R"({"type":"result","callId":")" + number + R"(","ok":true,"output":)" + output + "}";
  }
  /// Whether retire() has fired.
  std::shared_ptr<bool> retire(const std::string& generation) {
    auto fired = std::make_shared<bool>(false);
    worker_->retire(generation, [fired](const Result<bool>&) { *fired = true; });
    return fired;
  }

  std::shared_ptr<PluginWorker> worker_ = std::make_shared<PluginWorker>("todo", services());
};

TEST_F(PluginWorkerTest, StartsWithTheFirstCallAndSendsItWhenReady) {
  const auto answer = call();
  ASSERT_EQ(launcher_.processes.size(), 1U);
  auto& process = launcher_.latest();
  EXPECT_EQ(process.spec.module, "/cache/" + digest('1'));
  EXPECT_EQ(process.spec.generation, "g1");
  EXPECT_THAT(process.sent, IsEmpty());
  process.ready();
  EXPECT_THAT(process.sent,
              ElementsAre(R"({"type":"call","callId":"1","method":"echo","input":1})"));
  process.say(result("1", R"({"a":[1]})"));
  EXPECT_EQ(answer->text(), R"({"output":{"a":[1]}})");
  const auto second = call();
  EXPECT_EQ(launcher_.processes.size(), 1U);
  process.say(R"({"type":"result","callId":"2","ok":true})");
  EXPECT_EQ(second->text(), "{}");
}

TEST_F(PluginWorkerTest, ACallThatIsAloneIsSentAtOnce) {
  auto& process = started();
  const auto alone = call();
  EXPECT_EQ(process.at_once.size(), 1U);
  EXPECT_EQ(process.at_once.back(), process.lastSent());
  const auto beside = call();
  EXPECT_EQ(process.at_once.size(), 1U);
  EXPECT_NE(process.at_once.back(), process.lastSent());
}

TEST_F(PluginWorkerTest, ErrorsOfTheWorkerKeepCodeMessageAndDetails) {
  auto& process = started();
  const auto answer = call();
  process.say(
      R"({"type":"result","callId":"2","ok":false,"error":{"code":"invalid_input","message":"no","details":{"issues":[]}}})");
  EXPECT_EQ(answer->error().code, errc::kInvalidInput);
  EXPECT_EQ(answer->error().message, "no");
  EXPECT_EQ(answer->error().details, R"({"issues":[]})");
  const auto odd = call();
  process.say(
      R"({"type":"result","callId":"3","ok":false,"error":{"code":"made_up","message":"x"}})");
  EXPECT_EQ(odd->error().code, errc::kHandlerError);
}

TEST_F(PluginWorkerTest, AResultOverTheLimitIsTooLarge) {
  auto& process = started();
  const auto answer = call();
  process.say(result("2", '"' + std::string(limits::kHostOutput, 'x') + '"'));
  EXPECT_EQ(answer->error().code, errc::kTooLarge);
  EXPECT_THAT(answer->error().message, HasSubstr("limit host-output"));
}

TEST_F(PluginWorkerTest, AWorkerThatIsNotReadyInTimeIsKilled) {
  auto request = hostCall();
  request.timeout = 60s;
  const auto answer = call(request);
  main_.advance(limits::kWorkerStart);
  EXPECT_TRUE(launcher_.latest().killed);
  EXPECT_TRUE(answer->pending());  // until nothing is left of it
  launcher_.latest().dieOf(SIGKILL);
  EXPECT_EQ(answer->error().code, errc::kWorkerStartFailed);
  EXPECT_THAT(answer->error().message, HasSubstr("limit worker-start"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PluginWorkerTest, AnotherIdentityOrProtocolIsKilled) {
  for (const auto* ready :
       {R"({"type":"ready","protocolVersion":1,"pluginId":"todo","generation":"g1"})",
        R"({"type":"ready","protocolVersion":2,"pluginId":"else","generation":"g1"})",
        R"({"type":"ready","protocolVersion":2,"pluginId":"todo","generation":"g0"})"}) {
    const auto answer = call();
    launcher_.latest().say(ready);
    EXPECT_TRUE(launcher_.latest().killed) << ready;
    launcher_.latest().dieOf(SIGKILL);
    EXPECT_EQ(answer->error().code, errc::kWorkerStartFailed);
  }
}

TEST_F(PluginWorkerTest, AnErrorAtTheStartReachesTheCalls) {
  const auto answer = call();
  launcher_.latest().say(R"({"type":"startup-error","error":{"message":"SyntaxError: oops"}})");
  launcher_.latest().exit(1);
  EXPECT_EQ(answer->error().code, errc::kWorkerStartFailed);
  EXPECT_EQ(answer->error().message, "SyntaxError: oops");
  const auto next = call();
  launcher_.latest().last_words = "bad luck";
  launcher_.latest().exit(7);
  EXPECT_EQ(next->error().code, errc::kWorkerStartFailed);
  EXPECT_THAT(next->error().message, HasSubstr("exited with code 7 before it was ready: bad luck"));
  EXPECT_EQ(launcher_.processes.size(), 2U);
}

TEST_F(PluginWorkerTest, AProblemOfTheArtifactReachesTheCalls) {
  artifacts_.failure = Error{errc::kArtifactUnavailable, "not there"};
  EXPECT_EQ(call()->error().code, errc::kArtifactUnavailable);
  artifacts_.failure.reset();
  launcher_.failure = Error{errc::kWorkerStartFailed, "no memory"};
  EXPECT_EQ(call()->error().code, errc::kWorkerStartFailed);
  launcher_.failure.reset();
  const auto answer = call();
  launcher_.latest().ready();
  EXPECT_TRUE(answer->pending());
}

TEST_F(PluginWorkerTest, TheDeadlineCoversTheStart) {
  auto request = hostCall();
  request.timeout = 3s;
  const auto answer = call(request);
  main_.advance(3s);
  EXPECT_EQ(answer->error().code, errc::kTimeout);
  launcher_.latest().ready();
  EXPECT_THAT(launcher_.latest().sent, IsEmpty());  // nobody waits for it
}

TEST_F(PluginWorkerTest, ACallThatTimesOutIsCancelledAndAnsweredAtOnce) {
  auto& process = started();
  auto request = hostCall();
  request.timeout = 3s;
  const auto answer = call(request);
  main_.advance(3s);
  EXPECT_EQ(answer->error().code, errc::kTimeout);
  EXPECT_EQ(process.lastSent(), R"({"type":"cancel","callId":"2"})");
  process.say(result("2", "1"));
  main_.advance(limits::kCancelGrace);
  EXPECT_FALSE(process.killed);
}

TEST_F(PluginWorkerTest, AHandlerThatIgnoresItsCancelCostsTheWorker) {
  auto& process = started();
  const auto ignored = call("g1", "c1");
  auto request = hostCall("g1", "c2");
  request.timeout = 60s;
  const auto other = call(request);
  EXPECT_TRUE(worker_->cancel("g1", "c1"));
  EXPECT_EQ(ignored->error().code, errc::kAborted);
  EXPECT_FALSE(worker_->cancel("g1", "c1"));
  EXPECT_FALSE(worker_->cancel("g1", "c3"));
  main_.advance(limits::kCancelGrace - 1ms);
  EXPECT_FALSE(process.killed);
  main_.advance(1ms);
  EXPECT_TRUE(process.killed);
  process.dieOf(SIGKILL);
  EXPECT_EQ(other->error().code, errc::kWorkerExited);
  EXPECT_EQ(other->error().details, R"({"code":null,"signal":"SIGKILL"})");
  EXPECT_THAT(other->error().message, HasSubstr("limit cancel-grace"));
  EXPECT_THAT(told_, ElementsAre(HasSubstr("plugin-host.worker-exited")));
}

TEST_F(PluginWorkerTest, ACrashFailsItsCallsAndIsToldAndTheNextCallStartsAnew) {
  auto& process = started();
  const auto answer = call();
  process.exit(3);
  EXPECT_EQ(answer->error().code, errc::kWorkerExited);
  EXPECT_EQ(answer->error().details, R"({"code":3,"signal":null})");
  EXPECT_THAT(
      told_,
      ElementsAre(R"({"type":"plugin-host.worker-exited","pluginId":"todo","generation":"g1"})"));
  EXPECT_EQ(launcher_.processes.size(), 1U);
  call();
  EXPECT_EQ(launcher_.processes.size(), 2U);
}

TEST_F(PluginWorkerTest, TheHeapLimitIsNamed) {
  auto& process = started();
  const auto answer = call();
  process.exit(kHeapLimitExit);
  EXPECT_EQ(answer->error().code, errc::kWorkerExited);
  EXPECT_THAT(answer->error().message,
              HasSubstr("512 MiB (limit worker-heap); plugins.heapMiB and plugins.overrides"));
}

TEST_F(PluginWorkerTest, TheLimitOfTheLastCallHoldsFromTheNextStart) {
  auto request = hostCall();
  request.heap_mib = 64;
  call(request);
  auto& first = launcher_.latest();
  EXPECT_EQ(first.spec.heap_mib, 64);
  first.ready();
  request.heap_mib = 1024;
  const auto answer = call(request);
  first.exit(kHeapLimitExit);
  EXPECT_THAT(answer->error().message, HasSubstr("of 64 MiB"));
  call(request);
  EXPECT_EQ(launcher_.latest().spec.heap_mib, 1024);
}

TEST_F(PluginWorkerTest, ALimitThatNoWorkerStartsWithIsRaised) {
  auto request = hostCall();
  request.heap_mib = 1;
  call(request);
  EXPECT_EQ(launcher_.latest().spec.heap_mib, 16);
}

TEST_F(PluginWorkerTest, TheMachineBoundsTheHeapAndSaysSo) {
  most_heap_mib_ = 128;
  worker_ = std::make_shared<PluginWorker>("todo", services());
  auto& process = started();
  EXPECT_EQ(process.spec.heap_mib, 128);
  const auto answer = call();
  process.exit(kHeapLimitExit);
  EXPECT_THAT(answer->error().message, HasSubstr("128 MiB (limit worker-heap); workers.heapMiB"));
  auto request = hostCall();
  request.heap_mib = 64;
  call(request);
  EXPECT_EQ(launcher_.latest().spec.heap_mib, 64);
}

TEST_F(PluginWorkerTest, NonsenseEndsTheWorker) {
  auto& process = started();
  const auto answer = call();
  process.events.broken("nonsense");
  EXPECT_TRUE(process.killed);
  process.dieOf(SIGKILL);
  EXPECT_EQ(answer->error().code, errc::kWorkerExited);
  EXPECT_THAT(answer->error().message, HasSubstr("nonsense"));
}

TEST_F(PluginWorkerTest, AnIdleWorkerStops) {
  auto& process = started();
  main_.advance(limits::kWorkerIdle - 1ms);
  EXPECT_THAT(process.sent, IsEmpty());
  main_.advance(1ms);
  EXPECT_THAT(process.sent, ElementsAre(R"({"type":"dispose"})"));
  process.exit(0);
  EXPECT_THAT(told_, IsEmpty());
  call();
  EXPECT_EQ(launcher_.processes.size(), 2U);
}

TEST_F(PluginWorkerTest, CallsLeasesAndWatchesKeepAWorker) {
  auto& process = started();
  process.say(R"({"type":"lease-acquire","leaseId":"1"})");
  main_.advance(2 * limits::kWorkerIdle);
  EXPECT_THAT(process.sent, IsEmpty());
  process.say(R"({"type":"watch-start","watchId":"1","options":{}})");
  process.say(R"({"type":"lease-release","leaseId":"1"})");
  main_.advance(2 * limits::kWorkerIdle);
  EXPECT_THAT(process.sent, IsEmpty());
  auto request = hostCall();
  request.timeout = 4 * limits::kWorkerIdle;
  const auto answer = call(request);
  process.sent.clear();
  process.say(R"({"type":"watch-stop","watchId":"1"})");
  main_.advance(2 * limits::kWorkerIdle);
  EXPECT_THAT(process.sent, IsEmpty());
  process.say(result("2", "1"));
  main_.advance(limits::kWorkerIdle);
  EXPECT_THAT(process.sent, ElementsAre(R"({"type":"dispose"})"));
}

TEST_F(PluginWorkerTest, ACallDuringAStopWaitsForTheNextWorker) {
  auto& process = started();
  main_.advance(limits::kWorkerIdle);
  const auto answer = call();
  EXPECT_EQ(launcher_.processes.size(), 1U);
  process.exit(0);
  ASSERT_EQ(launcher_.processes.size(), 2U);
  launcher_.latest().ready();
  launcher_.latest().say(result("2", "1"));
  EXPECT_EQ(answer->text(), R"({"output":1})");
}

TEST_F(PluginWorkerTest, AStopThatTakesTooLongIsAKill) {
  auto& process = started();
  main_.advance(limits::kWorkerIdle + limits::kWorkerStop - 1ms);
  EXPECT_FALSE(process.killed);
  main_.advance(1ms);
  EXPECT_TRUE(process.killed);
}

TEST_F(PluginWorkerTest, ANewIdentityReplacesTheWorkerInOrder) {
  auto& old = started();
  const auto running = call();
  const auto answer = call("g2");
  EXPECT_EQ(old.lastSent(), R"({"type":"dispose"})");
  EXPECT_EQ(launcher_.processes.size(), 1U);
  EXPECT_EQ(call("g1")->error().code, errc::kGenerationRetired);
  old.exit(0);
  EXPECT_EQ(running->error().code, errc::kGenerationRetired);
  ASSERT_EQ(launcher_.processes.size(), 2U);
  EXPECT_EQ(launcher_.latest().spec.generation, "g2");
  launcher_.latest().ready();
  EXPECT_THAT(launcher_.latest().sent, ElementsAre(HasSubstr("\"echo\"")));
  EXPECT_TRUE(answer->pending());
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PluginWorkerTest, ANewIdentityDuringAStartWaitsForItsEnd) {
  launcher_.at_once = false;
  const auto first = call("g1");
  const auto second = call("g2");
  EXPECT_EQ(first->error().code, errc::kGenerationRetired);
  EXPECT_EQ(launcher_.processes.size(), 1U);
  launcher_.finishLaunch();
  EXPECT_TRUE(launcher_.latest().killed);
  launcher_.latest().dieOf(SIGKILL);
  ASSERT_EQ(launcher_.processes.size(), 2U);
  EXPECT_EQ(launcher_.latest().spec.generation, "g2");
  EXPECT_TRUE(second->pending());
}

TEST_F(PluginWorkerTest, ANewIdentityGivesUpTheOldDownload) {
  artifacts_.at_once = false;
  const auto first = call("g1");
  const auto second = call("g2");
  EXPECT_EQ(first->error().code, errc::kGenerationRetired);
  ASSERT_EQ(artifacts_.acquired.size(), 2U);
  artifacts_.waiting[0](std::filesystem::path("/old"));
  EXPECT_THAT(launcher_.processes, IsEmpty());
  artifacts_.waiting[1](std::filesystem::path("/new"));
  ASSERT_EQ(launcher_.processes.size(), 1U);
  EXPECT_EQ(launcher_.latest().spec.module, "/new");
}

TEST_F(PluginWorkerTest, OneIdentityHasOneContent) {
  started();
  auto request = hostCall();
  request.digest = digest('f');
  EXPECT_EQ(call(request)->error().code, errc::kArtifactMismatch);
  request = hostCall();
  request.bytes += 1;
  EXPECT_EQ(call(request)->error().code, errc::kArtifactMismatch);
}

TEST_F(PluginWorkerTest, RememberedIdentitiesAreBounded) {
  for (std::size_t index = 0; index <= limits::kRetired; ++index) {
    retire("r" + std::to_string(index));
  }
  EXPECT_EQ(call("r1")->error().code, errc::kGenerationRetired);
  EXPECT_TRUE(call("r0")->pending());
}

TEST_F(PluginWorkerTest, RetiringStopsTheWorkerAndRefusesItsGeneration) {
  auto& process = started();
  const auto fired = retire("g1");
  EXPECT_FALSE(*fired);
  EXPECT_EQ(process.lastSent(), R"({"type":"dispose"})");
  process.exit(0);
  EXPECT_TRUE(*fired);
  EXPECT_EQ(call("g1")->error().code, errc::kGenerationRetired);
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_TRUE(*retire("unknown"));
}

TEST_F(PluginWorkerTest, ASessionEndsWhatTheServerDoesNotHave) {
  auto& process = started();
  const auto answer = call();
  worker_->sessionOpened("g1");
  EXPECT_EQ(answer->error().code, errc::kAborted);  // its caller is gone with the old session
  EXPECT_EQ(process.lastSent(), R"({"type":"cancel","callId":"2"})");
  process.say(result("2", "1"));
  worker_->sessionOpened("g2");
  EXPECT_EQ(process.lastSent(), R"({"type":"dispose"})");
  process.exit(0);
  EXPECT_EQ(call("g1")->error().code, errc::kGenerationRetired);
  // A plugin that was off and is on again with the same content.
  worker_->sessionOpened("g1");
  EXPECT_TRUE(call("g1")->pending());
}

TEST_F(PluginWorkerTest, SignalsNameTheirGenerationAndEndWithTheWorker) {
  auto& process = started();
  process.say(R"({"type":"signal","signal":"usage","payload":{"free":1}})");
  EXPECT_THAT(
      told_,
      ElementsAre(
          R"({"type":"plugin-host.signal","pluginId":"todo","generation":"g1","signal":"usage","payload":{"free":1}})"));
  retire("g1");
  process.say(R"({"type":"signal","signal":"usage","payload":2})");
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(PluginWorkerTest, TooManyCallsAreRefused) {
  auto& process = started();
  std::vector<std::shared_ptr<Answer>> answers;
  for (std::size_t index = 0; index < limits::kHostActive; ++index) {
    answers.push_back(call("g1", std::to_string(index)));
  }
  const auto refused = call();
  EXPECT_EQ(refused->error().code, errc::kTooManyCalls);
  EXPECT_THAT(refused->error().message, HasSubstr("limit host-active"));
  process.say(result("2", "1"));
  EXPECT_TRUE(call()->pending());
}

TEST_F(PluginWorkerTest, InputsTogetherAreLimited) {
  auto& process = started();
  auto request = hostCall();
  request.input = '"' + std::string(limits::kHostActiveBytes - 2, 'x') + '"';
  const auto large = call(request);
  EXPECT_TRUE(large->pending());
  EXPECT_EQ(call()->error().code, errc::kTooManyCalls);
  process.say(result("2", "1"));
  EXPECT_TRUE(call()->pending());
}

TEST_F(PluginWorkerTest, ShutDownStopsTheWorkerAndRefusesCalls) {
  auto& process = started();
  const auto running = call();
  bool fired = false;
  worker_->shutDown([&fired](const Status&) { fired = true; });
  EXPECT_EQ(process.lastSent(), R"({"type":"dispose"})");
  EXPECT_EQ(call()->error().code, errc::kHostUnavailable);
  EXPECT_FALSE(fired);
  process.exit(0);
  EXPECT_TRUE(fired);
  EXPECT_EQ(running->error().code, errc::kHostUnavailable);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PluginWorkerTest, AHandlerThatFailsBecauseTheDaemonStopsIsNotToBlame) {
  auto& process = started();
  const auto aborted = call();
  const auto done = call("g1", "c2");
  worker_->shutDown({});
  process.say(
      R"({"type":"result","callId":"2","ok":false,"error":{"code":"handler_error","message":"The operation was aborted"}})");
  process.say(result("3", "7"));
  EXPECT_EQ(aborted->error().code, errc::kHostUnavailable);
  EXPECT_EQ(done->text(), R"({"output":7})");
}

TEST_F(PluginWorkerTest, AnExitWhileThereIsNoSessionIsToldToTheNext) {
  auto& process = started();
  worker_->sessionLost();
  process.exit(1);
  EXPECT_THAT(told_, IsEmpty());
  worker_->sessionOpened("g1");
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_THAT(told_[0], HasSubstr("exited"));
  worker_->sessionOpened("g1");
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(PluginWorkerTest, NobodyIsToldOfAnExitOfWhatIsOver) {
  auto& process = started();
  worker_->sessionLost();
  process.exit(1);
  worker_->sessionOpened("another");
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PluginWorkerTest, ShutDownWithoutAWorkerIsDoneAtOnce) {
  bool fired = false;
  worker_->shutDown([&fired](const Status&) { fired = true; });
  EXPECT_TRUE(fired);
}

}  // namespace
}  // namespace svc::hostworkers
