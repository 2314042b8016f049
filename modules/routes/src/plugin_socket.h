#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "load_state.h"

namespace svc::routes {

/// Close code of a socket whose plugin is reloaded, disabled or shut down.
inline constexpr std::uint16_t kServiceRestart = 1012;
inline constexpr std::string_view kGoneReason = "the plugin was reloaded or stopped";

/// One WebSocket between its client and the script of one load: each event is a call of the script, and a client that
/// is ahead of the script is not read from. Events come on the io thread; send() and close() may be called from any.
class PluginSocket final : public http::IWebSocketHandler,
                           public std::enable_shared_from_this<PluginSocket> {
 public:
  /// Messages that may wait for the script before the client is held back.
  static constexpr std::size_t kWaitingMessages = 64;

  struct Target {
    LoadStatePtr load;
    std::string id;
    std::string source;  ///< names its calls in the plugin's statistics
  };
  enum class Handlers : bool { kReady, kFailed };

  /// `handlers`: whether the script has given handlers; without them the socket closes at once with 1011.
  PluginSocket(Target target, Handlers handlers)
      : target_(std::move(target)), handlers_(handlers) {}

  void onOpen(const http::WebSocketPtr& socket) override;
  void onText(std::string text) override;
  void onBinary(std::string bytes) override;
  void onClose(std::uint16_t code, const std::string& reason) override;

  void sendText(std::string text);
  void sendBinary(std::string bytes);
  void close(std::uint16_t code, std::string_view reason);

 private:
  void deliver(std::string function, std::string message, bool binary);
  void taken(std::size_t bytes);
  void call(script::Invocation invocation, Completion<std::string> done);
  [[nodiscard]] http::WebSocketPtr socket() const;

  const Target target_;
  const Handlers handlers_;
  mutable std::mutex mutex_;
  http::WebSocketPtr socket_;
  std::size_t waiting_messages_ = 0;
  std::size_t waiting_bytes_ = 0;
  bool held_back_ = false;
};

}  // namespace svc::routes
