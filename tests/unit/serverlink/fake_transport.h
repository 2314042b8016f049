#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport.h"

namespace svc::serverlink {

/// A network that a test plays: it keeps what is asked and answers when it is told to.
class FakeTransport final : public ITransport {
 public:
  struct Post {
    Request request;
    std::string body;
    Completion<HttpAnswer> done;
  };
  /// What is known of one WebSocket; outlives it.
  struct SocketRecord {
    Request request;
    std::weak_ptr<ISocketListener> listener;
    std::vector<std::string> sent;
    std::uint16_t close_code = 0;
    std::string close_reason;
    bool let_go = false;
    bool has_room = true;  ///< for what may wait
    std::uint64_t progress = 0;

    void opened() const { listener.lock()->onOpened(); }
    void message(std::string text) const {
      if (const auto strong = listener.lock()) {
        strong->onMessage(std::move(text));
      }
    }
    void closed(const SocketEnd& end) const {
      if (const auto strong = listener.lock()) {
        strong->onClosed(end);
      }
    }
  };
  struct DownloadRecord {
    Request request;
    std::filesystem::path file;
    std::uint64_t limit;
    Completion<Download> done;
  };

  void post(Request request, std::string body, Completion<HttpAnswer> done) override {
    posts.push_back({std::move(request), std::move(body), std::move(done)});
  }

  std::shared_ptr<ISocket> open(Request request, std::weak_ptr<ISocketListener> listener) override {
    sockets.push_back(std::make_shared<SocketRecord>());
    sockets.back()->request = std::move(request);
    sockets.back()->listener = std::move(listener);
    return std::make_shared<Socket>(sockets.back());
  }

  void download(Request request, std::filesystem::path file, std::uint64_t limit,
                Completion<Download> done) override {
    downloads.push_back({std::move(request), std::move(file), limit, std::move(done)});
  }

  /// Answers the oldest POST.
  Post takePost() {
    auto post = std::move(posts.front());
    posts.erase(posts.begin());
    return post;
  }
  void answer(unsigned status, std::string body) {
    takePost().done(HttpAnswer{status, std::move(body)});
  }
  void fail(Error error) { takePost().done(std::move(error)); }

  std::vector<Post> posts;
  std::vector<std::shared_ptr<SocketRecord>> sockets;
  std::vector<DownloadRecord> downloads;

 private:
  class Socket final : public ISocket {
   public:
    explicit Socket(std::shared_ptr<SocketRecord> record) : record_(std::move(record)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() override { record_->let_go = true; }
    void send(std::string message) override { record_->sent.push_back(std::move(message)); }
    [[nodiscard]] bool sendWithRoom(std::string message) override {
      if (record_->has_room) {
        send(std::move(message));
      }
      return record_->has_room;
    }
    [[nodiscard]] std::uint64_t progress() const override { return record_->progress; }
    void close(std::uint16_t code, std::string reason) override {
      record_->close_code = code;
      record_->close_reason = std::move(reason);
    }

   private:
    std::shared_ptr<SocketRecord> record_;
  };
};

}  // namespace svc::serverlink
