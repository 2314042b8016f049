#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mcp_transport.h"

namespace svc::client {

/// MCP between lines and the endpoint of a server: each line becomes a POST, each message that comes back a line. Every request is
/// answered once, also when the server is gone. line() and finish() are for one thread; lines are written from any, one at a time.
class McpBridge {
 public:
  struct Surroundings {
    /// Finds the server, anew each time: it may have been started again since.
    std::function<Result<std::shared_ptr<IMcpTransport>>()> connect;
    std::function<void(const std::string& line)> write;
    /// For people.
    std::function<void(const std::string& text)> complain;
    /// Until a stream of changes that has ended is opened again.
    std::chrono::milliseconds listen_pause{2000};
    /// A client and the server may be started together: what a client asks first waits for a server so many times so long.
    /// Clients give up a handshake after 30 seconds, some after ten.
    int first_tries = 40;
    std::chrono::milliseconds first_pause{500};
  };

  explicit McpBridge(Surroundings surroundings);
  ~McpBridge();
  McpBridge(const McpBridge&) = delete;
  McpBridge& operator=(const McpBridge&) = delete;

  void line(const std::string& text);
  /// No line comes any more: streams end, and requests get this long.
  void finish(std::chrono::milliseconds grace);

 private:
  struct Outgoing;
  struct Open;

  void send(const Outgoing& message);
  void start(Outgoing message);
  void run(Open& open);
  [[nodiscard]] Status exchange(Open& open);
  /// exchange(), for what is asked before anything was answered.
  [[nodiscard]] Status firstExchange(Open& open);
  [[nodiscard]] Status subscribe(Open& open);
  [[nodiscard]] static bool pause(const std::stop_token& stop, std::chrono::milliseconds time);
  void listen();
  void follow(Open& open);
  void listsMayHaveChanged();
  void cancel(const std::string& id, const std::string& notification);
  void received(Open& open, std::string text, int status);
  void forget(Open& open);
  void refuse(std::string_view id, int code, const std::string& message);
  [[nodiscard]] McpCall callFor(const Outgoing& message, std::stop_token stop);
  void write(const std::string& line);
  void writeAll(const std::vector<std::string>& lines);

  const Surroundings surroundings_;
  std::stop_source patience_;  // stopped: nothing waits for a server any more
  std::mutex write_mutex_;
  std::mutex mutex_;  // what follows
  std::condition_variable changed_;
  std::list<std::unique_ptr<Open>> open_;
  std::list<std::jthread> ended_;
  std::string version_;  // of the handshake
  std::string session_;
  bool reached_ = false;  // a server has answered
  std::vector<std::string>
      announced_;  // lists whose changes the server tells, as the handshake says
};

}  // namespace svc::client
