#pragma once

namespace svc::http {

/// What an IWebSocketHandler is as well when it wants to hear of a message that is still on its way. On a slow link one message may
/// take longer than a peer is allowed to be silent.
class IWebSocketProgress {
 public:
  virtual ~IWebSocketProgress() = default;
  /// More of a message has arrived, but not its end. On the io thread.
  virtual void onReceiving() = 0;
};

}  // namespace svc::http
