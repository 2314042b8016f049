#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace svc::test {

struct RawResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
};

/// A blocking client that sends exactly the bytes it is given. Reads give up after ten seconds, so that a broken
/// server fails a test instead of hanging it.
class RawClient {
 public:
  /// `before_connect` runs when the client has its descriptor.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0,
                     const std::function<void()>& before_connect = {})
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (before_connect) {
      before_connect();
    }
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void finishSending() const { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) {
      ::close(std::exchange(socket_, -1));
    }
  }
  /// Closes with a reset.
  void abort() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

  /// The next response; status 0 when the connection ended instead.
  enum class Body : bool { kNone, kRead };
  RawResponse read(Body body = Body::kRead) {
    RawResponse response;
    const auto end = fillUntil("\r\n\r\n");
    if (end == std::string::npos) {
      return response;
    }
    parseHead(buffer_.substr(0, end), response);
    buffer_.erase(0, end + 4);
    if (response.status == 100 || body == Body::kNone) {
      return response;
    }
    if (response.headers.contains("content-length")) {
      response.body = take(std::strtoul(response.headers["content-length"].c_str(), nullptr, 10));
    } else if (response.headers["transfer-encoding"] == "chunked") {
      response.body = readChunks();
    } else if (response.status != 204 && response.status != 304) {
      while (fill()) {
      }
      response.body = std::exchange(buffer_, {});
    }
    return response;
  }

  /// True when the server ends the connection without sending more.
  bool closedByServer() { return buffer_.empty() && !fill(); }
  /// Bytes up to the end of the connection.
  std::string readToEnd() {
    while (fill()) {
    }
    return std::exchange(buffer_, {});
  }
  std::string take(std::size_t count) {
    while (buffer_.size() < count && fill()) {
    }
    auto taken = buffer_.substr(0, count);
    buffer_.erase(0, taken.size());
    return taken;
  }

 private:
  bool fill() {
    std::array<char, 16384> chunk;
    const auto count = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (count <= 0) {
      return false;
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    return true;
  }

  std::size_t fillUntil(std::string_view mark) {
    for (;;) {
      if (const auto found = buffer_.find(mark); found != std::string::npos) {
        return found;
      }
      if (!fill()) {
        return std::string::npos;
      }
    }
  }

  static void parseHead(std::string_view text, RawResponse& response) {
    response.status = std::atoi(std::string(text.substr(9, 3)).c_str());
    while (text.find("\r\n") != std::string_view::npos) {
      text.remove_prefix(text.find("\r\n") + 2);
      const auto line = text.substr(0, text.find("\r\n"));
      std::string name(line.substr(0, line.find(": ")));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      response.headers[name] = line.substr(line.find(": ") + 2);
    }
  }

  std::string readChunks() {
    std::string body;
    for (;;) {
      const auto end = fillUntil("\r\n");
      if (end == std::string::npos) {
        return body + "<cut>";
      }
      const auto size = std::strtoul(buffer_.substr(0, end).c_str(), nullptr, 16);
      buffer_.erase(0, end + 2);
      body += take(size);
      take(2);
      if (size == 0) {
        return body;
      }
    }
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace svc::test
