#include <atomic>
#include <thread>

#include "call.h"
#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;
using InvokeTest = ScriptFixture;

TEST_F(InvokeTest, AnswersWithTheTextOfASynchronousHandler) {
  auto instance = create(R"(runtime.handle('join', (meta, body) => meta + '|' + body);)");
  EXPECT_EQ(text(call(instance, "join", "b", "m")), "m|b");
}

TEST_F(InvokeTest, AnswersUndefinedWithAnEmptyText) {
  auto instance = create(R"(runtime.handle('none', () => undefined);)");
  EXPECT_EQ(text(call(instance, "none")), "");
}

TEST_F(InvokeTest, WaitsForPromisesThatSettleNowOrLater) {
  auto instance = create(R"(
    runtime.handle('now', async (meta, body) => body + '!');
    runtime.handle('later', (meta, body) => new Promise((resolve) => setTimeout(() => resolve(body + '?'), 1)));
    runtime.handle('thenable', (meta, body) => ({ then: (resolve) => resolve(body + '.') }));)");
  EXPECT_EQ(text(call(instance, "now", "a")), "a!");
  EXPECT_EQ(text(call(instance, "later", "a")), "a?");
  EXPECT_EQ(text(call(instance, "thenable", "a")), "a.");
}

TEST_F(InvokeTest, NamesAFunctionThatNothingHandles) {
  auto instance = create("");
  const auto result = call(instance, "nope");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kUnknownFunction);
}

TEST_F(InvokeTest, RefusesAnAnswerThatIsNotText) {
  auto instance = create(R"(
    runtime.handle('number', () => 1);
    runtime.handle('nothing', async () => null);)");
  EXPECT_EQ(text(call(instance, "number")),
            "handler_error: the handler answered with number instead of text");
  EXPECT_EQ(text(call(instance, "nothing")),
            "handler_error: the handler answered with null instead of text");
}

TEST_F(InvokeTest, AnswersAThrownValueAsHandlerErrorAndTellsTheObserverItsStack) {
  auto instance = create(R"(
    runtime.handle('sync', () => { throw Object.assign(new TypeError('bad'), { code: 'E_BAD', retryable: true }); });
    runtime.handle('async', async () => { throw new Error('late'); });
    runtime.handle('slow', async () => { await new Promise((r) => setTimeout(r, 1)); throw 'plain'; });)");
  const auto sync = call(instance, "sync", "", "meta");
  ASSERT_FALSE(sync.ok());
  EXPECT_EQ(sync.error().code, errc::kHandlerError);
  EXPECT_EQ(sync.error().message, "bad");
  EXPECT_EQ(sync.error().details, R"({"code":"E_BAD","retryable":true})");
  EXPECT_EQ(text(call(instance, "async")), "handler_error: late");
  EXPECT_EQ(text(call(instance, "slow")), "handler_error: plain");
  const auto seen =
      observer->waitFor([](const auto& all) { return all.handler_errors.size() == 3; });
  ASSERT_EQ(seen.handler_errors.size(), 3U);
  EXPECT_EQ(seen.handler_errors[0].function, "sync");
  EXPECT_EQ(seen.handler_errors[0].meta, "meta");
  EXPECT_EQ(seen.handler_errors[0].error.name, "TypeError");
  EXPECT_TRUE(seen.handler_errors[0].error.stack.starts_with("TypeError: bad"))
      << seen.handler_errors[0].error.stack;
  EXPECT_TRUE(seen.uncaught.empty()) << "a failed call is not an unhandled rejection as well";
}

TEST_F(InvokeTest, CutsTheTextsOfAFailureAndKeepsItsFrames) {
  auto instance = create(R"(
    const long = '\u{1f600}'.repeat(2e5);
    const author = (0, eval)('(function author(make) { throw make(); }) //# sourceURL=/a.js');
    runtime.handle('error', () => author(() => Object.assign(new Error('x' + long), { name: long, code: long })));
    runtime.handle('text', () => { throw long; });
    runtime.handle('stack', () => { throw Object.assign(new Error('small'), { stack: long }); });
    runtime.handle('cause', () => { throw new Error('outer', { cause: new Error(long) }); });
    runtime.handle('own', () => { throw runtime.error('invalid_input', long, { cause: new Error(long) }); });)");
  constexpr std::size_t kMost = 200'000;  // 64 Ki characters, each of at most three bytes
  for (const char* function : {"error", "text", "stack", "cause", "own"}) {
    const auto result = call(instance, function);
    ASSERT_FALSE(result.ok()) << function;
    EXPECT_LT(result.error().message.size(), kMost) << function;
    EXPECT_LT(result.error().details.size(), kMost) << function;
  }
  const auto seen =
      observer->waitFor([](const auto& all) { return all.handler_errors.size() == 5; });
  ASSERT_EQ(seen.handler_errors.size(), 5U);
  for (const auto& [error, function, meta] : seen.handler_errors) {
    EXPECT_LT(error.name.size() + error.stack.size(), 2 * kMost) << function;
    EXPECT_EQ(error.message.find("\xef\xbf\xbd"), std::string::npos) << "a character was halved";
  }
  EXPECT_NE(seen.handler_errors[0].error.stack.find("at author (/a.js:1:"), std::string::npos);
}

TEST_F(InvokeTest, AnswersErrorsOfTheRuntimeWithTheirCode) {
  auto instance = create(R"(
    runtime.handle('own', () => {
      throw runtime.error('invalid_input', 'wrong', { issues: [{ message: 'x' }], details: { a: 1 } });
    });
    runtime.handle('fake', () => { throw Object.assign(new Error('fake'), { code: 'invalid_input' }); });)");
  const auto own = call(instance, "own");
  ASSERT_FALSE(own.ok());
  EXPECT_EQ(own.error().code, errc::kInvalidInput);
  EXPECT_EQ(own.error().message, "wrong");
  EXPECT_EQ(own.error().details, R"({"a":1})");
  EXPECT_EQ(own.error().issues, R"([{"message":"x"}])");
  const auto fake = call(instance, "fake");
  ASSERT_FALSE(fake.ok());
  EXPECT_EQ(fake.error().code, errc::kHandlerError);
}

TEST_F(InvokeTest, SurvivesThrownValuesThatCannotBeDescribed) {
  auto instance = create(R"(
    runtime.handle('proxy', () => { throw new Proxy({}, { get() { throw new Error('no'); } }); });
    runtime.handle('symbol', () => { throw Symbol('s'); });)");
  EXPECT_FALSE(call(instance, "proxy").ok());
  EXPECT_EQ(text(call(instance, "symbol")), "handler_error: Symbol(s)");
}

TEST_F(InvokeTest, KeepsEveryKindOfText) {
  auto instance = create(R"(runtime.handle('echo', (meta, body) => body);
    runtime.handle('lone', () => 'a\ud800b');)");
  for (const std::string sample :
       {"", "plain", "caf\xC3\xA9", "\xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xBF\xC3\xBF"}) {
    EXPECT_EQ(text(call(instance, "echo", sample)), sample);
  }
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(text(call(instance, "echo", with_zero)), with_zero);
  EXPECT_EQ(text(call(instance, "lone")),
            "a\xEF\xBF\xBD"
            "b");
}

TEST_F(InvokeTest, CarriesLargeBodies) {
  auto instance = create(R"(runtime.handle('echo', (meta, body) => body);
    runtime.handle('parse', (meta, body) => String(JSON.parse(body).text.length));)");
  const std::string ascii(9UL << 20, 'x');
  EXPECT_EQ(text(call(instance, "echo", ascii)), ascii);
  EXPECT_EQ(text(call(instance, "parse", R"({"text":")" + ascii + "\"}")),
            std::to_string(ascii.size()));
  std::string wide;
  for (int count = 0; count < (1 << 20); ++count) {
    wide += "\xE2\x82\xAC";
  }
  EXPECT_EQ(text(call(instance, "echo", wide)), wide);
}

TEST_F(InvokeTest, AnswersTenThousandCallsFromSeveralThreads) {
  auto instance = create(R"(
    runtime.handle('sync', (meta, body) => body);
    runtime.handle('async', async (meta, body) => body);
    runtime.handle('slow', (meta, body) => new Promise((resolve) => setImmediate(resolve, body)));)");
  constexpr int kThreads = 4;
  constexpr int kCallsEach = 2500;
  std::atomic<int> wrong{0};
  std::atomic<int> left{kThreads * kCallsEach};
  std::promise<void> all;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int count = 0; count < kCallsEach; ++count) {
          const auto body = std::to_string(thread * kCallsEach + count);
          const char* function = count % 3 == 0 ? "sync" : count % 3 == 1 ? "async" : "slow";
          instance->invoke({function, "", body}, [&, body](Result<std::string> result) {
            wrong += !result.ok() || result.value() != body ? 1 : 0;
            if (--left == 0) {
              all.set_value();
            }
          });
        }
      });
    }
  }
  ASSERT_EQ(all.get_future().wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(instance->stats().pending_calls, 0U);
}

TEST_F(InvokeTest, AbortsTheSignalOfACallWhoseCallerGivesUp) {
  auto instance = create(R"(
    runtime.handle('wait', (meta, body, call) => new Promise((resolve) => {
      call.signal.addEventListener('abort', () => resolve('aborted'));
      if (call.signal.aborted) resolve('at once');
    }));
    runtime.handle('late', async (meta, body, call) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return String(call.signal.aborted);
    });)");
  std::stop_source stop;
  auto waiting = start(instance, "wait", "", "", stop.get_token());
  EXPECT_EQ(text(call(instance, "late")), "false");
  stop.request_stop();
  ASSERT_EQ(waiting.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(text(waiting.get()), "aborted");

  std::stop_source before;
  before.request_stop();
  auto stopped = start(instance, "wait", "", "", before.get_token());
  ASSERT_EQ(stopped.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(text(stopped.get()), "at once");

  std::stop_source middle;
  auto late = start(instance, "late", "", "", middle.get_token());
  middle.request_stop();
  ASSERT_EQ(late.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(text(late.get()), "true");
}

TEST_F(InvokeTest, IgnoresAnAbortAfterTheAnswer) {
  auto instance = create(R"(let kept;
    runtime.handle('keep', (meta, body, call) => { kept = call; call.signal; return 'ok'; });
    runtime.handle('look', () => String(kept.signal.aborted));)");
  std::stop_source stop;
  EXPECT_EQ(text(start(instance, "keep", "", "", stop.get_token()).get()), "ok");
  stop.request_stop();
  EXPECT_EQ(text(call(instance, "look")), "false");
}

TEST_F(InvokeTest, RefusesMoreCallsThanTheLimit) {
  auto instance = create(R"(runtime.handle('hang', () => new Promise(() => {}));)");
  std::vector<std::future<Result<std::string>>> waiting;
  for (std::size_t count = 0; count < CallTable::kMaxCalls; ++count) {
    waiting.push_back(start(instance, "hang"));
  }
  EXPECT_EQ(text(call(instance, "hang")),
            "overloaded: more than 65536 calls wait for this plugin: try again later");
  EXPECT_TRUE(terminate(instance));
  for (auto& answer : waiting) {
    ASSERT_EQ(answer.get().error().code, errc::kPluginNotRunning);
  }
}

TEST_F(InvokeTest, FailsPendingAndLaterCallsWhenTheEnvironmentEnds) {
  auto instance = create(R"(runtime.handle('hang', () => new Promise(() => {}));)");
  auto pending = start(instance, "hang");
  EXPECT_TRUE(terminate(instance));
  ASSERT_EQ(pending.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(pending.get().error().code, errc::kPluginNotRunning);
  EXPECT_EQ(call(instance, "hang").error().code, errc::kPluginNotRunning);
  EXPECT_TRUE(terminate(instance)) << "a second time answers too";
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kRequested);
}

TEST_F(InvokeTest, ReportsAPartThatFails) {
  const auto created = tryCreate("throw new Error('broken part');");
  ASSERT_FALSE(created.ok());
  EXPECT_NE(created.error().message.find("svc:test failed: Error: broken part"), std::string::npos)
      << created.error().message;
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kBootstrapFailed);
}

TEST_F(InvokeTest, SharesTheApiObjectBetweenParts) {
  static constexpr std::string_view kFirst =
      "exports.default = (runtime, api) => { api.value = 'shared'; };";
  options.parts.push_back({"first", kFirst});
  auto instance = create("runtime.handle('value', () => api.value);");
  EXPECT_EQ(text(call(instance, "value")), "shared");
}

TEST_F(InvokeTest, MeasuresCpuHeapAndPendingCalls) {
  auto instance = create(R"(runtime.handle('hang', () => new Promise(() => {}));
    runtime.handle('work', () => { const end = Date.now() + 20; while (Date.now() < end); return ''; });)");
  auto hanging = start(instance, "hang");
  EXPECT_TRUE(call(instance, "work").ok());
  const auto stats = instance->stats();
  EXPECT_GT(stats.cpu_ms, 0U);
  EXPECT_GT(stats.heap_bytes, 1UL << 20);
  EXPECT_EQ(stats.pending_calls, 1U);
}

}  // namespace
}  // namespace svc::jsruntime
