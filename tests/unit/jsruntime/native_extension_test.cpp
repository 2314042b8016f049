#include <future>

#include <v8.h>

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using ::testing::HasSubstr;

/// Offers `wait()`, which returns once it is interrupted, and remembers what happens to it.
class Waiter final : public script::INativeExtension {
 public:
  void install(v8::Isolate* isolate, v8::Local<v8::Context> context,
               v8::Local<v8::Object> exports) override {
    isolate_ = isolate;
    const auto wait = v8::Function::New(
                          context,
                          [](const v8::FunctionCallbackInfo<v8::Value>& info) {
                            auto* self =
                                static_cast<Waiter*>(info.Data().As<v8::External>()->Value());
                            self->waiting_.set_value();
                            self->interrupted_.get_future().wait();
                          },
                          v8::External::New(isolate, this))
                          .ToLocalChecked();
    exports->Set(context, v8::String::NewFromUtf8Literal(isolate, "wait"), wait).Check();
  }
  void interrupt() override { interrupted_.set_value(); }
  void close() override {
    closed_in_scope_ = v8::Isolate::GetCurrent() == isolate_ && isolate_->InContext();
    ++closed;
  }

  bool awaitCall() { return waiting_.get_future().wait_for(kTooLong) == std::future_status::ready; }
  [[nodiscard]] bool closedInScope() const { return closed_in_scope_; }
  int closed = 0;

 private:
  v8::Isolate* isolate_ = nullptr;
  bool closed_in_scope_ = false;
  std::promise<void> waiting_;
  std::promise<void> interrupted_;
};

class NativeExtensionTest : public ScriptFixture {
 protected:
  NativeExtensionTest() { options.natives.push_back({"waiter", waiter}); }

  std::shared_ptr<Waiter> waiter = std::make_shared<Waiter>();
};

TEST_F(NativeExtensionTest, PartsGetWhatItInstalls) {
  const auto instance = create(
      "const { wait } = runtime.native('waiter');"
      "runtime.handle('kind', () => typeof wait + (runtime.native('waiter').wait === wait));");
  EXPECT_EQ(text(call(instance, "kind")), "functiontrue");
}

TEST_F(NativeExtensionTest, AnUnknownNameThrows) {
  const auto created = tryCreate("runtime.native('nobody');");
  ASSERT_FALSE(created.ok());
  EXPECT_THAT(created.error().message, HasSubstr("there is no native extension \"nobody\""));
}

TEST_F(NativeExtensionTest, TerminationInterruptsAndThenClosesIt) {
  const auto instance =
      create("runtime.handle('wait', () => { runtime.native('waiter').wait(); for (;;); });");
  auto answer = start(instance, "wait");
  ASSERT_TRUE(waiter->awaitCall());
  EXPECT_EQ(waiter->closed, 0);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(text(answer.get()).substr(0, 18), "plugin_not_running");
  EXPECT_EQ(waiter->closed, 1);
  EXPECT_TRUE(waiter->closedInScope());
}

TEST_F(NativeExtensionTest, TheWatchdogInterruptsIt) {
  options.limits.watchdog = std::chrono::milliseconds(20);
  options.limits.terminate = std::chrono::milliseconds(40);
  const auto instance = create("runtime.handle('wait', () => runtime.native('waiter').wait());");
  auto answer = start(instance, "wait");
  EXPECT_EQ(observer->waitForEnd().reason, script::TerminationReason::kWatchdog);
  EXPECT_EQ(waiter->closed, 1);
}

TEST_F(NativeExtensionTest, AFailedStartClosesIt) {
  ASSERT_FALSE(tryCreate("throw new Error('no');").ok());
  EXPECT_TRUE(runtime.shutDown(kTooLong));
  EXPECT_EQ(waiter->closed, 1);
}

}  // namespace
}  // namespace svc::jsruntime
