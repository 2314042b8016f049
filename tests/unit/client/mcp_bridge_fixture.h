#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp_bridge.h"

namespace svc::client {

using namespace std::chrono_literals;
using Headers = std::map<std::string, std::string>;

inline constexpr auto kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";

/// Answers each call as a test says; calls that are not answered wait until they are stopped.
class ScriptedTransport final : public IMcpTransport {
 public:
  using Script = std::function<Status(const McpCall& call, const McpSink& sink)>;

  Status call(const McpCall& call, const McpSink& sink) override {
    Script script;
    {
      const std::scoped_lock lock(mutex_);
      calls_.push_back(call);
      script = script_;
    }
    changed_.notify_all();
    return script(call, sink);
  }
  void answers(Script script) {
    const std::scoped_lock lock(mutex_);
    script_ = std::move(script);
  }
  std::vector<McpCall> awaitCalls(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 30s, [&] { return calls_.size() >= count; }));
    return calls_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Script script_ = [](const McpCall&, const McpSink&) { return Status(); };
  std::vector<McpCall> calls_;
};

inline Status untilStopped(const McpCall& call, const McpSink& /*sink*/) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, call.stop, [] { return false; });
  return Error{errc::kAborted, "stopped"};
}

inline Headers headersOf(const McpCall& call) { return {call.headers.begin(), call.headers.end()}; }

class McpBridgeTest : public ::testing::Test {
 protected:
  /// Every answer to what was sent so far.
  std::vector<std::string> finished() {
    bridge_.finish(30s);
    const std::scoped_lock lock(mutex_);
    return lines_;
  }
  void awaitLines(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 30s, [&] { return lines_.size() >= count; }));
  }
  static ScriptedTransport::Script saying(std::string text, int status = 200,
                                          std::string session = "") {
    return [=](const McpCall&, const McpSink& sink) {
      sink.head({status, session});
      sink.message(text);
      return Status();
    };
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::vector<std::string> complaints_;
  std::optional<Error> unreachable_;
  std::atomic<int> connects_ = 0;
  int there_after_ = 0;  ///< with `unreachable_`: the connection that succeeds
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>();
  McpBridge bridge_{{.connect = [this]() -> Result<std::shared_ptr<IMcpTransport>> {
                       ++connects_;
                       if (unreachable_ && connects_ != there_after_) {
                         return *unreachable_;
                       }
                       return std::shared_ptr<IMcpTransport>(transport_);
                     },
                     .write =
                         [this](const std::string& line) {
                           {
                             const std::scoped_lock lock(mutex_);
                             lines_.push_back(line);
                           }
                           changed_.notify_all();
                         },
                     .complain =
                         [this](const std::string& text) {
                           const std::scoped_lock lock(mutex_);
                           complaints_.push_back(text);
                         },
                     .listen_pause = 1ms,
                     .first_tries = 3,
                     .first_pause = 1ms}};
};

}  // namespace svc::client
