#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

#include "fakes/fake_executor.h"
#include "plugin_worker.h"

namespace svc::hostworkers {

/// A process the test plays.
class FakeProcess final : public IWorkerProcess {
 public:
  explicit FakeProcess(WorkerSpec worker_spec, WorkerEvents worker_events)
      : spec(std::move(worker_spec)), events(std::move(worker_events)) {}
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void sendAtOnce(std::string message) override {
    at_once.push_back(message);
    send(std::move(message));
  }
  void kill() override { killed = true; }

  /// What the worker says.
  void say(const std::string& line) {
    auto message = parseWorkerMessage(line);
    ASSERT_TRUE(message.ok()) << line << ": " << message.error().message;
    events.messages({std::move(message).value()});
  }
  void ready() {
    say(R"({"type":"ready","protocolVersion":2,"pluginId":")" + spec.plugin_id +
        R"(","generation":")" + spec.generation + R"("})");
  }
  void exit(int code) { events.gone({.code = code, .signal = 0, .last_words = last_words}); }
  void dieOf(int signal) { events.gone({.code = {}, .signal = signal, .last_words = last_words}); }
  /// The message of the last call, and its number.
  [[nodiscard]] std::string lastSent() const { return sent.empty() ? std::string() : sent.back(); }

  WorkerSpec spec;
  WorkerEvents events;
  std::vector<std::string> sent;
  std::vector<std::string> at_once;
  std::string last_words;
  bool killed = false;
};

class FakeLauncher final : public IWorkerLauncher {
 public:
  void launch(WorkerSpec spec, WorkerEvents events,
              Completion<std::shared_ptr<IWorkerProcess>> done) override {
    processes.push_back(std::make_shared<FakeProcess>(std::move(spec), std::move(events)));
    if (!at_once) {
      waiting.push_back(std::move(done));
    } else if (failure) {
      done(*failure);
    } else {
      done(std::shared_ptr<IWorkerProcess>(processes.back()));
    }
  }
  void finishLaunch() {
    auto done = std::move(waiting.front());
    waiting.pop_front();
    done(std::shared_ptr<IWorkerProcess>(processes.back()));
  }
  [[nodiscard]] FakeProcess& latest() { return *processes.back(); }

  bool at_once = true;
  std::optional<Error> failure;
  std::vector<std::shared_ptr<FakeProcess>> processes;
  std::deque<Completion<std::shared_ptr<IWorkerProcess>>> waiting;
};

class FakeArtifacts final : public IArtifacts {
 public:
  void acquire(const Artifact& artifact, Completion<std::filesystem::path> done) override {
    acquired.push_back(artifact);
    if (!at_once) {
      waiting.push_back(std::move(done));
    } else if (failure) {
      done(*failure);
    } else {
      done(std::filesystem::path("/cache") / artifact.digest);
    }
  }
  void remove(const std::string& plugin_id) override { removed.push_back(plugin_id); }
  void keepOnly(std::set<std::string> plugin_ids) override { kept = std::move(plugin_ids); }

  bool at_once = true;
  std::optional<Error> failure;
  std::vector<Artifact> acquired;
  std::deque<Completion<std::filesystem::path>> waiting;
  std::vector<std::string> removed;
  std::optional<std::set<std::string>> kept;
};

class FakeWatches final : public IWatchSession {
 public:
  explicit FakeWatches(std::size_t& count) : count_(count) { count_ = 0; }
  void start(const std::string& /*watch_id*/, const std::string& /*options*/) override { ++count_; }
  void stop(const std::string& /*watch_id*/) override { --count_; }
  void acknowledge(const std::string& /*watch_id*/, std::int64_t /*sequence*/) override {}
  [[nodiscard]] std::size_t count() const override { return count_; }

 private:
  std::size_t& count_;
};

/// A call's answer, as text.
struct Answer {
  std::optional<Result<std::string>> result;
  [[nodiscard]] bool pending() const { return !result; }
  [[nodiscard]] std::string text() const {
    if (!result) {
      return "pending";
    }
    return *result ? result->value() : std::string(result->error().code.name());
  }
  [[nodiscard]] const Error& error() const { return result->error(); }
};

class WorkersFixture : public ::testing::Test {
 protected:
  static std::string digest(char digit) { return std::string(64, digit); }

  static HostCall hostCall(const std::string& generation = "g1",
                           const std::string& call_id = "c1") {
    HostCall call;
    call.plugin_id = "todo";
    call.generation = generation;
    call.digest = digest(generation.back());
    call.bytes = 10;
    call.call_id = call_id;
    call.method = "echo";
    call.input = "1";
    call.timeout = limits::kHostCall;
    return call;
  }
  template <class T = std::string>
  static Completion<T> into(const std::shared_ptr<Answer>& answer) {
    return [answer](Result<T> result) { answer->result = std::move(result); };
  }
  WorkerServices services() {
    return {.main = main_,
            .artifacts = artifacts_,
            .launcher = launcher_,
            .watches = [this](auto) { return std::make_unique<FakeWatches>(watches_); },
            .tell = [this](std::string message) { told_.push_back(std::move(message)); },
            .most_heap_mib = most_heap_mib_,
            .log = log_};
  }

  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "workers", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
  test::FakeExecutor main_;
  FakeArtifacts artifacts_;
  FakeLauncher launcher_;
  std::size_t watches_ = 0;
  std::int64_t most_heap_mib_ = 0;
  std::vector<std::string> told_;
};

}  // namespace svc::hostworkers
