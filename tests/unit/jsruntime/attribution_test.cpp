// What escapes from a callback goes to the owner of the code that set the callback up.
#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using AttributionTest = ScriptFixture;

/// `own` runs its body with an owner that takes the failure and remembers it; `eval` runs without one.
constexpr const char* kOwner = R"js(
  const failures = [];
  const waiting = [];
  const owner = (error, origin) => {
    failures.push(origin + ': ' + (error.message ?? error));
    waiting.splice(0).forEach((wake) => wake());
    return !String(error.message).includes('not mine');
  };
  runtime.handle('own', (meta, body) => runtime.attribute(owner, () => String(eval(body))));
  runtime.handle('eval', (meta, body) => String(eval(body)));
  runtime.handle('failure', async () => {
    if (failures.length === 0) await new Promise((wake) => waiting.push(wake));
    return failures.shift();
  });)js";

TEST_F(AttributionTest, TakesWhatEveryKindOfCallbackThrows) {
  auto instance = create(kOwner);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"setTimeout(() => { throw new Error('timeout') })", "timer: timeout"},
      {"setImmediate(() => { throw new Error('immediate') })", "timer: immediate"},
      {"process.nextTick(() => { throw new Error('tick') })", "timer: tick"},
      {"queueMicrotask(() => { throw new Error('microtask') })", "timer: microtask"},
      {"void Promise.reject(new Error('detached'))", "rejection: detached"},
      {"(async () => { await null; throw new Error('async') })()", "rejection: async"},
      {"(async () => { await new Promise((r) => setImmediate(r)); "
       "setTimeout(() => { throw new Error('nested') }) })()",
       "timer: nested"},
      {"const e = new (process.getBuiltinModule('events'))(); "
       "setTimeout(() => e.emit('error', new Error('emitter')))",
       "timer: emitter"},
      {"process.getBuiltinModule('fs').readFile('/', () => { throw new Error('file') })",
       "timer: file"},
      {"const net = process.getBuiltinModule('net'); const s = net.createServer().listen(0, "
       "'127.0.0.1', () => net.connect(s.address().port).on('connect', function () { "
       "this.destroy(); "
       "s.close(); throw new Error('socket') }))",
       "timer: socket"}};
  for (const auto& [code, expected] : cases) {
    EXPECT_TRUE(call(instance, "own", code).ok()) << code;
    EXPECT_EQ(text(call(instance, "failure")), expected) << code;
  }
  EXPECT_TRUE(observer->waitFor([](const auto&) { return true; }).uncaught.empty());
}

TEST_F(AttributionTest, LeavesTheCallbacksOfOthersAlone) {
  auto instance = create(kOwner);
  EXPECT_TRUE(call(instance, "own", "setInterval(() => {}, 1000)").ok());
  EXPECT_TRUE(call(instance, "eval", "setTimeout(() => { throw new Error('elsewhere') })").ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.uncaught.empty(); });
  ASSERT_EQ(seen.uncaught.size(), 1U);
  EXPECT_EQ(seen.uncaught[0].error.message, "elsewhere");
  EXPECT_EQ(seen.uncaught[0].origin, "timer");
}

TEST_F(AttributionTest, ReportsWhatItsOwnerDoesNotTake) {
  auto instance = create(kOwner);
  EXPECT_TRUE(call(instance, "own", "void Promise.reject(new Error('not mine'))").ok());
  auto seen = observer->waitFor([](const auto& all) { return !all.uncaught.empty(); });
  ASSERT_EQ(seen.uncaught.size(), 1U);
  EXPECT_EQ(seen.uncaught[0].error.message, "not mine");
  EXPECT_EQ(seen.uncaught[0].origin, "rejection");
  EXPECT_TRUE(
      call(instance, "own", "queueMicrotask(() => { throw new Error('not mine either') })").ok());
  seen = observer->waitFor([](const auto& all) { return all.uncaught.size() >= 2; });
  ASSERT_EQ(seen.uncaught.size(), 2U);
  EXPECT_EQ(seen.uncaught[1].error.message, "not mine either");
}

TEST_F(AttributionTest, TellsOwnersApart) {
  auto instance = create(R"js(
    const seen = [];
    let wake;
    const named = (name) => (error) => { seen.push(name + ' ' + error.message); if (seen.length === 2) wake(); return true; };
    runtime.handle('both', () => {
      const done = new Promise((resolve) => { wake = () => resolve(seen.join(', ')); });
      runtime.attribute(named('a'), () => setTimeout(() => { throw new Error('1'); }, 1));
      runtime.attribute(named('b'), () => setTimeout(() => { throw new Error('2'); }, 2));
      return done;
    });)js");
  EXPECT_EQ(text(call(instance, "both")), "a 1, b 2");
}

}  // namespace
}  // namespace svc::jsruntime
