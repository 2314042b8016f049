#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>

#include "svc/base/environment.h"
#include "svc/base/random.h"
#include "svc/common/json.h"
#include "svc/kernel/executor.h"

#include "unit/plugins/temp_directory.h"

namespace svc::agentd {

/// Timers that fire when the test says so, told apart by their delay.
class FakeTimers {
 public:
  Handle after(std::chrono::milliseconds delay, Task task) {
    const auto timer = std::make_shared<Timer>(Timer{delay, std::move(task)});
    timers_.push_back(timer);
    return Handle([weak = std::weak_ptr(timer)] {
      if (const auto cancelled = weak.lock()) {
        cancelled->task = nullptr;
      }
    });
  }
  /// All that wait for so long; how many those were.
  int fire(std::chrono::milliseconds delay) {
    int fired = 0;
    for (const auto& timer : std::exchange(timers_, {})) {
      if (timer->delay != delay) {
        timers_.push_back(timer);
      } else if (timer->task) {
        ++fired;
        auto task = std::move(timer->task);
        task();
      }
    }
    return fired;
  }

 private:
  struct Timer {
    std::chrono::milliseconds delay;
    Task task;
  };
  std::list<std::shared_ptr<Timer>> timers_;
};

/// Runs the scripted agent in a directory of its own, and the io thread's work in the test.
class ScriptedTest : public ::testing::Test {
 protected:
  /// What starts it, for a script as JSON text.
  std::vector<std::string> scripted(const std::string& script) {
    const auto number = std::to_string(++scripts_);
    const auto file = directory_.write("script" + number + ".json", script);
    log_ = directory_.path() / ("log" + number);
    return {"/usr/bin/env", "node", SVC_TEST_SCRIPTED_AGENT, file.string(), log_.string()};
  }
  /// What the last one has heard so far.
  [[nodiscard]] std::vector<common::Json> heard() const {
    std::vector<common::Json> messages;
    std::ifstream file(log_);
    for (std::string line; std::getline(file, line);) {
      messages.push_back(common::Json::parse(line).value());
    }
    return messages;
  }
  [[nodiscard]] std::vector<std::string> heardMethods() const {
    std::vector<std::string> methods;
    for (const auto& message : heard()) {
      const auto& method = message["method"].asString();
      methods.push_back(method.empty() ? "answer" : method);
    }
    return methods;
  }
  void until(const std::function<bool()>& done) {
    const auto work = boost::asio::make_work_guard(*io_);
    while (!done()) {
      io_->restart();
      ASSERT_GT(io_->run_one_for(std::chrono::seconds(20)), 0U) << "nothing happens any more";
    }
  }
  /// Runs what is ready now.
  void settle() {
    io_->restart();
    io_->poll();
  }
  static bool alive(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto end = text.rfind(") ");
    return end != std::string::npos && text[end + 2] != 'Z';
  }

  const std::shared_ptr<boost::asio::io_context> io_ = std::make_shared<boost::asio::io_context>();
  svc::test::TempDirectory directory_;
  FakeTimers timers_;

 private:
  int scripts_ = 0;
  std::filesystem::path log_;
};

}  // namespace svc::agentd
