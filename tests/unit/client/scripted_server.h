#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>

namespace svc::client {

/// A server whose every connection goes by a script, one after the other.
class ScriptedServer {
 public:
  class Connection {
   public:
    explicit Connection(Poco::Net::StreamSocket socket) : socket_(std::move(socket)) {}

    /// The head of the next request and its body of so many bytes; what has come of it when the client goes.
    std::string request(std::size_t body = 0) {
      constexpr std::string_view kEnd = "\r\n\r\n";
      for (auto end = text_.find(kEnd);
           end == std::string::npos || text_.size() < end + kEnd.size() + body;
           end = text_.find(kEnd)) {
        if (!more()) {
          return std::exchange(text_, {});
        }
      }
      const auto size = text_.find(kEnd) + kEnd.size() + body;
      auto one = text_.substr(0, size);
      text_.erase(0, size);
      return one;
    }
    /// So many bytes, whatever they are.
    void bytes(std::size_t count) {
      while (text_.size() < count && more()) {
      }
      text_.erase(0, count);
    }
    void say(const std::string& bytes) {
      socket_.sendBytes(bytes.data(), static_cast<int>(bytes.size()));
    }
    void answer(const std::string& body, const std::string& status = "200 OK") {
      say("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
          body);
    }
    void waitForEnd() {
      while (more()) {
      }
    }

   private:
    bool more() {
      char bytes[4096];
      const int count = socket_.receiveBytes(bytes, sizeof bytes);
      text_.append(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
      return count > 0;
    }

    Poco::Net::StreamSocket socket_;
    std::string text_;
  };
  using Script = std::function<void(Connection&)>;

  explicit ScriptedServer(std::vector<Script> scripts,
                          const Poco::Net::SocketAddress& address = {"127.0.0.1", Poco::UInt16{0}})
      : scripts_(std::move(scripts)), listener_(address), thread_([this] { serve(); }) {}
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() { thread_.join(); }

  [[nodiscard]] std::string authority() const { return listener_.address().toString(); }
  [[nodiscard]] std::string url() const { return "http://" + authority(); }

 private:
  void serve() {
    for (const auto& script : scripts_) {
      try {
        Connection connection(listener_.acceptConnection());
        script(connection);
      } catch (const Poco::Exception&) {  // the client has gone
      }
    }
  }

  const std::vector<Script> scripts_;
  Poco::Net::ServerSocket listener_;
  std::thread thread_;
};

}  // namespace svc::client
