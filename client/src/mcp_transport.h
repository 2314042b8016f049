#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

#include "server_locator.h"

namespace svc::client {

/// One request to the MCP endpoint.
struct McpCall {
  std::string method = "POST";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Closes the connection.
  std::stop_token stop{};
};

struct McpHead {
  int status = 0;
  std::string session{};  ///< Mcp-Session-Id
};

/// What comes back, on the thread of the call.
struct McpSink {
  std::function<void(const McpHead& head)> head;
  /// The body of a plain answer, or one message of an event stream, as it comes.
  std::function<void(std::string text)> message;
};

/// The MCP endpoint of one server. Thread-safe: calls run beside each other.
class IMcpTransport {
 public:
  virtual ~IMcpTransport() = default;
  /// Blocks until the answer has ended. Errors: `unavailable` when nobody accepts the connection, `timeout`, `aborted` when it ends
  /// early or was stopped.
  [[nodiscard]] virtual Status call(const McpCall& call, const McpSink& sink) = 0;
};

/// `bearer` is the token of the client; empty = none.
[[nodiscard]] Result<std::shared_ptr<IMcpTransport>> mcpTransport(const ServerAddress& address,
                                                                  std::string bearer);

/// Takes an event stream apart.
class EventLines {
 public:
  explicit EventLines(std::function<void(std::string data)> event) : event_(std::move(event)) {}
  /// One line, without its end.
  void line(std::string_view text);

 private:
  std::function<void(std::string data)> event_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace svc::client
