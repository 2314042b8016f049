#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

/// The runtime as the server uses it: with a spare environment.
class RuntimeTest : public ScriptFixture {
 protected:
  Result<Instance> createIn(Runtime& runtime_with_spare) {
    static constexpr std::string_view kPart =
        "exports.default = (runtime) => { runtime.handle('name', () => process.env.SVC_NAME ?? "
        "''); globalThis.mark = 1; };";
    options.parts = {{"part", kPart}};
    options.observer = std::make_shared<RecordingObserver>();
    std::promise<Result<Instance>> created;
    runtime_with_spare.create(
        taken(), [&](Result<Instance> result) { created.set_value(std::move(result)); });
    return created.get_future().get();
  }
  Runtime with_spare{RuntimeOptions{.share = SVC_TEST_SHARE}};
};

TEST_F(RuntimeTest, GivesEveryEnvironmentItsOwnIdentity) {
  std::vector<Instance> instances;
  for (const std::string name : {"one", "two", "three"}) {
    options.environment = {{"SVC_NAME", name}};
    auto created = createIn(with_spare);
    ASSERT_TRUE(created.ok());
    instances.push_back(std::move(created).value());
    EXPECT_EQ(text(call(instances.back(), "name")), name);
  }
  EXPECT_EQ(text(call(instances.front(), "name")), "one");
  EXPECT_TRUE(with_spare.shutDown(kTooLong)) << "the spare ends as well";
}

TEST_F(RuntimeTest, HonoursAHeapLimitThatTheSpareDoesNotHave) {
  ASSERT_TRUE(createIn(with_spare).ok());
  options.limits.heap_bytes = 48UL << 20;
  static constexpr std::string_view kPart =
      "exports.default = (runtime) => { runtime.handle('limit', () => "
      "String(process.getBuiltinModule('v8').getHeapStatistics().heap_size_limit >> 20)); };";
  options.parts = {{"part", kPart}};
  std::promise<Result<Instance>> created;
  with_spare.create(taken(),
                    [&](Result<Instance> result) { created.set_value(std::move(result)); });
  auto instance = created.get_future().get();
  ASSERT_TRUE(instance.ok());
  EXPECT_LT(std::stoi(text(call(instance.value(), "limit"))), 150);
}

TEST_F(RuntimeTest, RefusesNewEnvironmentsAfterShutDown) {
  EXPECT_TRUE(with_spare.shutDown(kTooLong));
  EXPECT_EQ(createIn(with_spare).error().code, errc::kUnavailable);
}

}  // namespace
}  // namespace svc::jsruntime
