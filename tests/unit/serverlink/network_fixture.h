#pragma once

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "main_loop.h"
#include "network.h"

namespace svc::serverlink {

/// The real network under a main loop of its own.
class NetworkFixture : public testing::Test {
 protected:
  NetworkFixture() { std::filesystem::create_directories(root_); }
  ~NetworkFixture() override {
    network_.stop();
    std::filesystem::remove_all(root_);
  }

  /// Runs the main loop until the condition holds; false after 20 s, which no test should need.
  bool runUntil(const std::function<bool()>& condition) {
    return main_.runUntil(condition, std::chrono::steady_clock::now() + std::chrono::seconds(20));
  }

  Result<HttpAnswer> post(const Endpoint& endpoint, const std::string& path = "/x",
                          const std::string& body = "{}") {
    std::optional<Result<HttpAnswer>> result;
    network_.post({endpoint, path, "key"}, body, [&](auto answer) { result = std::move(answer); });
    EXPECT_TRUE(runUntil([&] { return result.has_value(); }));
    return *std::move(result);
  }

  Result<Download> download(const Endpoint& endpoint, const std::filesystem::path& file,
                            std::uint64_t limit = 1'000'000) {
    std::optional<Result<Download>> result;
    network_.download({endpoint, "/x", "key"}, file, limit,
                      [&](auto answer) { result = std::move(answer); });
    EXPECT_TRUE(runUntil([&] { return result.has_value(); }));
    return *std::move(result);
  }

  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("network" + std::to_string(::getpid()));
  kernel::MainLoop main_;
  Network network_{main_, main_.context()};
};

/// What a WebSocket has told.
struct SocketStory : ISocketListener {
  void onOpened() override { opened = true; }
  void onMessage(std::string text) override { messages.push_back(std::move(text)); }
  void onClosed(const SocketEnd& how) override { end = how; }

  bool opened = false;
  std::vector<std::string> messages;
  std::optional<SocketEnd> end;
};

}  // namespace svc::serverlink
