// What every IScriptRuntime does, real or fake: code that is tested against the fake relies on it.
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "fakes/fake_script_runtime.h"
#include "runtime.h"
#include "shared_code.h"

namespace svc::script {
namespace {

using Instance = std::shared_ptr<IScriptInstance>;
constexpr std::chrono::seconds kTooLong{30};

/// Counts what it hears, and what had been answered when the end came.
class EndObserver final : public IScriptObserver {
 public:
  void onUncaughtError(const ScriptError&, const std::string&) override {}
  void onConsole(const std::string&, const std::string&) override {}
  void onStall(std::chrono::milliseconds, const std::string&) override {}
  void onEnded(const Termination& termination) override { ended.set_value(termination); }

  std::promise<Termination> ended;
};

/// The script of the suite: "echo" answers its body, "join" meta and body, "fail" fails with invalid_input, "hang" never
/// answers, "host.sync" and "host.async" call the host functions "double" and "later".
class IScriptRuntimeRig {
 public:
  virtual ~IScriptRuntimeRig() = default;
  virtual IScriptRuntime& runtime() = 0;
  /// Prepares the options so that an environment runs the script of the suite.
  virtual void prepare(InstanceOptions& options) = 0;
};

class RealRig final : public IScriptRuntimeRig {
 public:
  RealRig() { jsruntime::shareCompiledScripts(); }
  IScriptRuntime& runtime() override { return runtime_; }
  void prepare(InstanceOptions& options) override {
    static constexpr std::string_view kPart = R"(exports.default = (runtime) => {
      runtime.handle('echo', (meta, body) => body);
      runtime.handle('join', async (meta, body) => meta + '|' + body);
      runtime.handle('fail', () => { throw runtime.error('invalid_input', 'wrong', { details: { a: 1 } }); });
      runtime.handle('hang', () => new Promise(() => {}));
      runtime.handle('host.sync', (meta, body) => runtime.callSync('double', body));
      runtime.handle('host.async', (meta, body) => runtime.call('later', body));
    };)";
    options.root = "/";
    options.parts = {{"contract", kPart}};
  }

 private:
  jsruntime::Runtime runtime_{jsruntime::RuntimeOptions{.share = "/", .keep_spare = false}};
};

class FakeRig final : public IScriptRuntimeRig {
 public:
  IScriptRuntime& runtime() override { return runtime_; }
  void prepare(InstanceOptions&) override {
    runtime_.refuse_unknown = true;
    runtime_.respond("echo", [](const std::string&, const std::string& body) {
      return Result<std::string>(body);
    });
    runtime_.respond("join", [](const std::string& meta, const std::string& body) {
      return Result<std::string>(meta + "|" + body);
    });
    runtime_.respond("fail", [](const std::string&, const std::string&) -> Result<std::string> {
      return Error{errc::kInvalidInput, "wrong", R"({"a":1})"};
    });
    runtime_.handle("hang", [this](Invocation invocation, Completion<std::string> done) {
      runtime_.latest().pending.push_back({std::move(invocation), std::move(done)});
    });
    runtime_.respond("host.sync", [this](const std::string&, const std::string& body) {
      return runtime_.latest().hostSync("double", body);
    });
    runtime_.handle("host.async",
                    [this](const Invocation& invocation, Completion<std::string> done) {
                      runtime_.latest().hostCall("later", invocation.body, std::move(done));
                    });
  }

 private:
  FakeScriptRuntime runtime_;
};

template <class Rig>
class ScriptRuntimeContractTest : public ::testing::Test {
 protected:
  Instance create() {
    InstanceOptions options;
    options.name = "contract";
    options.observer = observer_;
    options.functions.push_back({.name = "double", .sync = [](const std::string& text) {
                                   return Result<std::string>(text + text);
                                 }});
    options.functions.push_back(
        {.name = "later", .async = [](std::string text, Completion<std::string> done) {
           done(Result<std::string>("later " + std::move(text)));
         }});
    rig_.prepare(options);
    std::promise<Instance> created;
    rig_.runtime().create(std::move(options), [&](Result<Instance> result) {
      created.set_value(std::move(result).value());
    });
    return created.get_future().get();
  }
  static std::future<Result<std::string>> start(IScriptInstance& instance, std::string function,
                                                std::string body = "", std::string meta = "") {
    auto answer = std::make_shared<std::promise<Result<std::string>>>();
    instance.invoke({std::move(function), std::move(meta), std::move(body)},
                    [answer](Result<std::string> result) { answer->set_value(std::move(result)); });
    return answer->get_future();
  }
  static std::string call(IScriptInstance& instance, std::string function, std::string body = "",
                          std::string meta = "") {
    auto answer = start(instance, std::move(function), std::move(body), std::move(meta));
    if (answer.wait_for(kTooLong) != std::future_status::ready) {
      return "no answer";
    }
    const auto result = answer.get();
    return result ? result.value() : "error " + std::string(result.error().code.name());
  }
  static bool terminate(IScriptInstance& instance, const std::string& why) {
    auto gone = std::make_shared<std::promise<void>>();
    instance.terminate(why, [gone](Status) { gone->set_value(); });
    return gone->get_future().wait_for(kTooLong) == std::future_status::ready;
  }

  Rig rig_;
  std::shared_ptr<EndObserver> observer_ = std::make_shared<EndObserver>();
};

using Rigs = ::testing::Types<RealRig, FakeRig>;
TYPED_TEST_SUITE(ScriptRuntimeContractTest, Rigs);

TYPED_TEST(ScriptRuntimeContractTest, AnswersInvocations) {
  const auto instance = this->create();
  EXPECT_EQ(this->call(*instance, "echo", "text"), "text");
  EXPECT_EQ(this->call(*instance, "echo", ""), "");
  EXPECT_EQ(this->call(*instance, "join", "body", "meta"), "meta|body");
}

TYPED_TEST(ScriptRuntimeContractTest, CarriesErrors) {
  const auto instance = this->create();
  auto answer = this->start(*instance, "fail");
  ASSERT_EQ(answer.wait_for(kTooLong), std::future_status::ready);
  const auto result = answer.get();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kInvalidInput);
  EXPECT_EQ(result.error().message, "wrong");
  EXPECT_EQ(result.error().details, R"({"a":1})");
}

TYPED_TEST(ScriptRuntimeContractTest, NamesWhatNothingHandles) {
  const auto instance = this->create();
  EXPECT_EQ(this->call(*instance, "nobody"), "error unknown_function");
}

TYPED_TEST(ScriptRuntimeContractTest, LetsScriptsCallHostFunctions) {
  const auto instance = this->create();
  EXPECT_EQ(this->call(*instance, "host.sync", "ab"), "abab");
  EXPECT_EQ(this->call(*instance, "host.async", "x"), "later x");
}

TYPED_TEST(ScriptRuntimeContractTest, FailsWhatIsPendingBeforeItReportsTheEnd) {
  const auto instance = this->create();
  auto pending = this->start(*instance, "hang");
  EXPECT_EQ(this->call(*instance, "echo", "x"), "x");
  EXPECT_TRUE(this->terminate(*instance, "enough"));
  ASSERT_EQ(pending.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(pending.get().error().code, errc::kPluginNotRunning);
  auto ended = this->observer_->ended.get_future();
  ASSERT_EQ(ended.wait_for(std::chrono::seconds(0)), std::future_status::ready)
      << "before terminate() completes";
  const auto termination = ended.get();
  EXPECT_EQ(termination.reason, TerminationReason::kRequested);
  EXPECT_EQ(termination.message, "enough");
}

TYPED_TEST(ScriptRuntimeContractTest, RefusesCallsAfterTheEnd) {
  const auto instance = this->create();
  EXPECT_TRUE(this->terminate(*instance, "enough"));
  EXPECT_EQ(this->call(*instance, "echo"), "error plugin_not_running");
  EXPECT_TRUE(this->terminate(*instance, "again"));
}

TYPED_TEST(ScriptRuntimeContractTest, EndsWhenItsOwnerLetsGo) {
  this->create().reset();
  auto ended = this->observer_->ended.get_future();
  ASSERT_EQ(ended.wait_for(kTooLong), std::future_status::ready);
  EXPECT_EQ(ended.get().reason, TerminationReason::kRequested);
}

}  // namespace
}  // namespace svc::script
