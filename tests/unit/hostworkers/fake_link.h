#pragma once

#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "svc/serverlink/server_link.h"

namespace svc::hostworkers {

/// A server the test plays. Downloads are answered by hand.
class FakeLink final : public serverlink::IServerLink {
 public:
  struct Asked {
    std::string path;
    std::filesystem::path file;
    std::uint64_t limit = 0;
    Completion<serverlink::Download> done;
  };

  struct Posted {
    std::string path;
    std::string body;
    Completion<serverlink::HttpAnswer> done;
  };

  Handle onCommand(std::string type, serverlink::CommandHandler handler) override {
    handlers[type] = std::move(handler);
    return Handle([this, type] { handlers.erase(type); });
  }
  Handle onMessage(std::string type, serverlink::MessageHandler handler) override {
    message_handlers[type] = std::move(handler);
    return Handle([this, type] { message_handlers.erase(type); });
  }
  Handle onSession(
      std::function<void(const std::vector<serverlink::PluginGeneration>&)> listener) override {
    session = std::move(listener);
    return Handle([this] { session = nullptr; });
  }
  Handle onSessionLost(std::function<void()> listener) override {
    session_lost = std::move(listener);
    return Handle([this] { session_lost = nullptr; });
  }
  Handle onRefused(std::function<void()> /*listener*/) override { return {}; }
  void post(std::string path, std::string body, Completion<serverlink::HttpAnswer> done) override {
    posts.push_back({std::move(path), std::move(body), std::move(done)});
  }
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void download(std::string path, std::filesystem::path file, std::uint64_t limit,
                Completion<serverlink::Download> done) override {
    downloads.push_back({std::move(path), std::move(file), limit, std::move(done)});
  }
  std::string hostId() const override { return "host"; }

  /// Answers the oldest download with bytes, which have this digest.
  void deliver(const std::string& bytes, const std::string& sha256) {
    auto asked = std::move(downloads.front());
    downloads.pop_front();
    std::ofstream(asked.file, std::ios::binary) << bytes;
    asked.done(serverlink::Download{bytes.size(), sha256});
  }
  void refuse(Error error) {
    auto asked = std::move(downloads.front());
    downloads.pop_front();
    asked.done(std::move(error));
  }

  std::map<std::string, serverlink::CommandHandler> handlers;
  std::map<std::string, serverlink::MessageHandler> message_handlers;
  std::function<void(const std::vector<serverlink::PluginGeneration>&)> session;
  std::function<void()> session_lost;
  std::vector<std::string> sent;
  std::deque<Asked> downloads;
  std::deque<Posted> posts;
};

}  // namespace svc::hostworkers
