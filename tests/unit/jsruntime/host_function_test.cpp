#include <future>
#include <thread>

#include "svc/common/codes.h"

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using HostFunctionTest = ScriptFixture;

constexpr const char* kCalls = R"(
  const show = (error) => [error instanceof Error, error.code, error.message, JSON.stringify(error.details),
                           JSON.stringify(error.issues)].join('|');
  runtime.handle('sync', (name, argument) => {
    try { return 'got:' + runtime.callSync(name, argument || undefined); } catch (error) { return show(error); }
  });
  runtime.handle('async', async (name, argument) => {
    try { return 'got:' + await runtime.call(name, argument || undefined); } catch (error) { return show(error); }
  });
  runtime.handle('rethrow', (name) => runtime.callSync(name));)";

Error detailed() {
  Error error(errc::kTooLarge, "too large", R"({"max":1})");
  error.issues = R"([{"message":"m"}])";
  return error;
}

TEST_F(HostFunctionTest, AnswersSynchronousCalls) {
  options.functions.push_back({.name = "echo", .sync = [](std::string argument) {
                                 return Result<std::string>("<" + argument + ">");
                               }});
  options.functions.push_back(
      {.name = "empty", .sync = [](const std::string&) { return Result<std::string>(""); }});
  auto instance = create(kCalls);
  EXPECT_EQ(text(call(instance, "sync", "\xC3\xA9", "echo")), "got:<\xC3\xA9>");
  EXPECT_EQ(text(call(instance, "sync", "", "echo")), "got:<>");
  EXPECT_EQ(text(call(instance, "sync", "x", "empty")), "got:undefined");
}

TEST_F(HostFunctionTest, ThrowsTheErrorsOfTheHost) {
  options.functions.push_back(
      {.name = "fails",
       .sync = [](const std::string&) -> Result<std::string> { return detailed(); }});
  auto instance = create(kCalls);
  EXPECT_EQ(text(call(instance, "sync", "", "fails")),
            R"(true|too_large|too large|{"max":1}|[{"message":"m"}])");
  const auto rethrown = call(instance, "rethrow", "", "fails");
  ASSERT_FALSE(rethrown.ok());
  EXPECT_EQ(rethrown.error().code, errc::kHandlerError)
      << "only runtime.error() answers with a code of its own";
  EXPECT_EQ(rethrown.error().details, R"({"code":"too_large"})");
}

TEST_F(HostFunctionTest, ResolvesAsynchronousCallsFromAnyThread) {
  std::vector<std::jthread> threads;
  options.functions.push_back(
      {.name = "now", .async = [](std::string argument, Completion<std::string> done) {
         done("now " + argument);
       }});
  options.functions.push_back(
      {.name = "elsewhere", .async = [&](std::string argument, Completion<std::string> done) {
         threads.emplace_back([argument = std::move(argument), done = std::move(done)]() mutable {
           done("elsewhere " + argument);
         });
       }});
  options.functions.push_back(
      {.name = "fails",
       .async = [](const std::string&, Completion<std::string> done) { done(detailed()); }});
  options.functions.push_back(
      {.name = "drops",
       .async = [](const std::string&, Completion<std::string> done) { static_cast<void>(done); }});
  auto instance = create(kCalls);
  EXPECT_EQ(text(call(instance, "async", "a", "now")), "got:now a");
  EXPECT_EQ(text(call(instance, "async", "b", "elsewhere")), "got:elsewhere b");
  EXPECT_EQ(text(call(instance, "async", "", "fails")),
            R"(true|too_large|too large|{"max":1}|[{"message":"m"}])");
  EXPECT_EQ(text(call(instance, "async", "", "drops")), "true|aborted|the request was dropped||");
}

TEST_F(HostFunctionTest, SaysWhatIsWrongWithTheCall) {
  options.functions.push_back(
      {.name = "now",
       .async = [](const std::string&, Completion<std::string> done) { done(std::string()); }});
  auto instance = create(kCalls);
  EXPECT_EQ(text(call(instance, "sync", "", "nope")), "true||there is no host function \"nope\"||");
  EXPECT_EQ(text(call(instance, "async", "", "nope")),
            "true||there is no host function \"nope\"||");
  EXPECT_EQ(text(call(instance, "sync", "", "now")),
            "true|invalid_argument|this host function is asynchronous: use runtime.call||");
}

TEST_F(HostFunctionTest, ToleratesAnswersAfterTheEnd) {
  Completion<std::string> kept;
  std::promise<void> called;
  options.functions.push_back(
      {.name = "keep", .async = [&](const std::string&, Completion<std::string> done) {
         kept = std::move(done);
         called.set_value();
       }});
  auto instance = create(kCalls);
  auto waiting = start(instance, "async", "", "keep");
  called.get_future().wait();
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
  kept(std::string("too late"));
}

TEST_F(HostFunctionTest, KeepsTheBindingFromOtherCode) {
  auto instance = create(R"(runtime.handle('look', () => {
    const found = Object.getOwnPropertyNames(globalThis).filter((name) => /svc|binding|runtime/i.test(name));
    let linked = 'none';
    try { linked = Object.keys(process._linkedBinding('svc')).join(); } catch {}
    return found.join() + ';' + linked + ';' + typeof process.emit.binding;
  });)");
  EXPECT_EQ(text(call(instance, "look")), ";none;undefined");
}

TEST_F(HostFunctionTest, TransfersBytesBothWays) {
  std::string got;
  options.functions.push_back(
      {.name = "swap", .transfer = [&got](std::string argument, std::string bytes, auto done) {
         got = argument + ":" + bytes;
         done(std::string(bytes.rbegin(), bytes.rend()));
       }});
  auto instance = create(R"(
    runtime.handle('go', async () => {
      const whole = new Uint8Array([0, 1, 254, 255, 9]);
      const back = await runtime.transfer('swap', 'text', whole.subarray(1, 4));
      const none = await runtime.transfer('swap');
      return [back instanceof Uint8Array, [...back], none].join('|');
    });)");
  EXPECT_EQ(text(call(instance, "go")), "true|255,254,1|");
  EXPECT_EQ(got, ":") << "no argument and no bytes are empty";
}

TEST_F(HostFunctionTest, ATransferFailsLikeACall) {
  options.functions.push_back(
      {.name = "fails",
       .transfer = [](const std::string&, const std::string&, auto done) { done(detailed()); }});
  options.functions.push_back(
      {.name = "plain", .sync = [](const std::string&) { return Result<std::string>(""); }});
  auto instance = create(R"(
    runtime.handle('go', async (name) => {
      try { return await runtime.transfer(name); } catch (error) { return error.code; }
    });)");
  EXPECT_EQ(text(call(instance, "go", "", "fails")), "too_large");
  EXPECT_EQ(text(call(instance, "go", "", "plain")), "invalid_argument");
}

TEST_F(HostFunctionTest, ABinaryBodyReachesTheHandlerAsBytes) {
  auto instance = create(R"(
    runtime.handle('go', (meta, body) => [meta, body instanceof Uint8Array, [...body]].join('|'));)");
  std::promise<Result<std::string>> answered;
  auto answer = answered.get_future();
  instance->invoke(
      {.function = "go", .meta = "m", .body = std::string("\0\xff", 2), .binary = true},
      [&answered](Result<std::string> result) { answered.set_value(std::move(result)); });
  EXPECT_EQ(answer.get().value(), "m|true|0,255");
}

}  // namespace
}  // namespace svc::jsruntime
