#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::client {

/// The names of the lists ("tools", "prompts", "resources") whose changes a server with these capabilities (JSON text) tells.
[[nodiscard]] std::vector<std::string> listsAnnouncedBy(std::string_view capabilities);

/// Whether a server that answers with this HTTP status has no such stream: another try would be answered alike.
[[nodiscard]] bool refusesStream(int status);

/// One `subscriptions/listen` of a client over all streams that it is carried by: a server that was started again knows nothing of it. For
/// one thread.
class McpSubscription {
 public:
  /// What the client gets of a message of the server.
  enum class Part {
    kMessage,  ///< the message itself
    kChanges,  ///< changes() in its place
    kNothing,  ///< the stream ends, and not what the client has asked for
  };

  /// `id` is JSON text.
  explicit McpSubscription(std::string id) : id_(std::move(id)) {}

  /// A stream is answered with this HTTP status.
  void begin(int status);
  [[nodiscard]] Part take(const std::string& text);

  /// A server has accepted it, and none has refused it since.
  [[nodiscard]] bool goesOn() const { return accepted_ && !refused_; }
  /// Notifications that everything that was subscribed to may be something else, as a server writes them.
  [[nodiscard]] std::vector<std::string> changes() const;

 private:
  const std::string id_;
  std::vector<std::string> lists_;  // as they were acknowledged last
  int status_ = 0;
  bool accepted_ = false;
  bool refused_ = false;
  bool acknowledged_ = false;  // on this stream
};

}  // namespace svc::client
