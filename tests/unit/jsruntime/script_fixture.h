#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime.h"
#include "shared_code.h"

namespace svc::jsruntime {

/// Longer than anything here takes: a test that waits for it has failed.
inline constexpr std::chrono::seconds kTooLong{30};

/// Remembers everything it is told and lets a test wait for it. Thread-safe.
class RecordingObserver final : public script::IScriptObserver {
 public:
  struct Line {
    std::string level;
    std::string text;
  };
  struct Uncaught {
    script::ScriptError error;
    std::string origin;
  };
  struct HandlerError {
    script::ScriptError error;
    std::string function;
    std::string meta;
  };
  struct Seen {
    std::vector<Line> lines;
    std::vector<Uncaught> uncaught;
    std::vector<HandlerError> handler_errors;
    std::vector<std::string> stalls;
    std::optional<script::Termination> ended;
  };

  void onUncaughtError(const script::ScriptError& error, const std::string& origin) override {
    note([&](Seen& seen) { seen.uncaught.push_back({error, origin}); });
  }
  void onConsole(const std::string& level, const std::string& text) override {
    note([&](Seen& seen) { seen.lines.push_back({level, text}); });
  }
  void onHandlerError(const script::ScriptError& error, const std::string& function,
                      const std::string& meta) override {
    note([&](Seen& seen) { seen.handler_errors.push_back({error, function, meta}); });
  }
  void onStall(std::chrono::milliseconds, const std::string& stack) override {
    note([&](Seen& seen) { seen.stalls.push_back(stack); });
  }
  void onEnded(const script::Termination& termination) override {
    note([&](Seen& seen) { seen.ended = termination; });
  }

  /// What was seen once `ready` holds (or when waiting became pointless: the test's expectations then fail).
  template <class Ready>
  Seen waitFor(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTooLong, [&] { return ready(seen_); });
    return seen_;
  }
  script::Termination waitForEnd() {
    return waitFor([](const Seen& seen) { return seen.ended.has_value(); })
        .ended.value_or(script::Termination{});
  }

 private:
  template <class Change>
  void note(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change(seen_);
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Seen seen_;
};

/// A folder that goes away with its test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "svc-script-XXXXXX").string();
    path_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// An environment of the real runtime. Parts are JavaScript: the body of `(runtime, api, require) => { … }`.
class ScriptFixture : public ::testing::Test {
 protected:
  using Instance = std::shared_ptr<script::IScriptInstance>;

  static std::string part(const std::string& body) {
    return "exports.default = function (runtime, api) {\n" + body + "\n};";
  }

  enum class Code { kShared, kOwn };

  /// `kOwn`: the process compiles everything itself, when no other fixture was there before.
  explicit ScriptFixture(Code code = Code::kShared) {
    if (code == Code::kShared) {
      shareCompiledScripts();
    }
    options.name = "test";
    options.root = folder.path();
    options.cache_dir = folder.path() / ".cache";
    options.observer = observer;
  }

  /// The functions go to the next environment, the rest to every one.
  script::InstanceOptions taken() {
    return {.name = options.name,
            .root = options.root,
            .cache_dir = options.cache_dir,
            .environment = options.environment,
            .limits = options.limits,
            .parts = options.parts,
            .functions = std::exchange(options.functions, {}),
            .natives = options.natives,
            .observer = options.observer};
  }

  Result<Instance> tryCreate(const std::string& body) {
    options.parts.push_back({"test", kept(part(body))});
    std::promise<Result<Instance>> created;
    auto future = created.get_future();
    runtime.create(taken(),
                   [&created](Result<Instance> result) { created.set_value(std::move(result)); });
    return future.get();
  }
  Instance create(const std::string& body) {
    auto created = tryCreate(body);
    if (!created) {
      ADD_FAILURE() << created.error().message;
      std::abort();
    }
    return std::move(created).value();
  }

  static std::future<Result<std::string>> start(const Instance& instance, std::string function,
                                                std::string body = "", std::string meta = "",
                                                std::stop_token stop = {}) {
    auto answer = std::make_shared<std::promise<Result<std::string>>>();
    instance->invoke(
        {std::move(function), std::move(meta), std::move(body), std::move(stop)},
        [answer](Result<std::string> result) { answer->set_value(std::move(result)); });
    return answer->get_future();
  }
  static Result<std::string> call(const Instance& instance, std::string function,
                                  std::string body = "", std::string meta = "") {
    auto answer = start(instance, std::move(function), std::move(body), std::move(meta));
    if (answer.wait_for(kTooLong) != std::future_status::ready) {
      return Error{errc::kTimeout, "no answer"};
    }
    return answer.get();
  }
  static std::string text(const Result<std::string>& result) {
    return result ? result.value()
                  : std::string(result.error().code.name()) + ": " + result.error().message;
  }
  static bool terminate(const Instance& instance) {
    auto gone = std::make_shared<std::promise<void>>();
    instance->terminate("the test is over", [gone](Status) { gone->set_value(); });
    return gone->get_future().wait_for(kTooLong) == std::future_status::ready;
  }

  ScratchFolder folder;
  std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>();
  script::InstanceOptions options;
  Runtime runtime{RuntimeOptions{.share = SVC_TEST_SHARE,
                                 .kill_children_after = std::chrono::milliseconds(500),
                                 .keep_spare = false,
                                 .log = nullptr}};

 private:
  /// Environments read the text of a part in place, those that were given up until the process ends.
  static const std::string& kept(std::string source) {
    static auto* const sources = new std::list<std::string>;
    return sources->emplace_back(std::move(source));
  }
};

}  // namespace svc::jsruntime
