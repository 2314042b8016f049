#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/completion.h"
#include "svc/realtime/realtime.h"

namespace svc::realtime {

class Client;
using Frame = std::shared_ptr<const std::string>;

/// Every open window. Lives on the io thread; publish(), broadcast(), changed() and close() may be called from any
/// thread. Frames wait in one outbox, so they leave in the order they were handed in and one post carries a burst.
///
/// The outbox holds at most kOutboxLimit bytes: beyond that the frames are dropped and every client is closed with
/// 1013, because a client that missed a frame must refetch.
class Hub final : public IRealtimeHub, public std::enable_shared_from_this<Hub> {
 public:
  static constexpr std::size_t kOutboxLimit = 16UL * 1024 * 1024;

  Hub(http::IReactor& reactor, std::string server_id, std::string version);

  /// A signal of one plugin to every client. The three texts are JSON.
  void publish(std::string_view plugin_id_json, std::string_view channel_json,
               std::string_view payload_json);
  /// A whole frame to every client.
  void broadcast(std::string frame);
  void changed(Change change) override;
  [[nodiscard]] bool isFollowed(const std::string& entity, const std::string& id) const override;
  std::size_t toEveryWindow(std::string message) override;
  [[nodiscard]] Handle onChanged(ChangeListener listener) override;
  /// Closes every client with 1001 and refuses new ones. Fires on the io thread when they are gone, or after
  /// lim.wsShutdown.
  void close(Completion<void> done);

  /// The handler of one new socket, or `unavailable` while closing. Io thread.
  [[nodiscard]] Result<std::shared_ptr<http::IWebSocketHandler>> accept();

 private:
  friend class Client;

  /// Who gets a frame: everyone, or the clients subscribed to one of two targets; an empty key is none.
  struct Outgoing {
    Frame frame;
    bool for_all = false;
    std::string list_key{};
    std::string detail_key{};
  };

  void tellListeners(const Change& change);
  void offer(Outgoing outgoing);
  void flush();
  [[nodiscard]] bool follows(const std::string& key) const;
  /// One more client follows the target, or one less.
  void follow(const std::string& key, bool on);
  void opened(Client& client);
  void closed(Client& client);
  void beginClose(Completion<void> done);
  [[nodiscard]] std::vector<std::shared_ptr<Client>> snapshot() const;

  http::IReactor& reactor_;
  const Frame hello_;
  const Frame pong_;
  std::set<Client*> clients_;
  std::atomic<std::size_t> client_count_{0};
  bool closing_ = false;
  Completion<void> close_done_;
  Handle close_deadline_;

  // Shared with handles, which may outlive the hub.
  struct Listeners {
    std::mutex mutex;
    std::map<std::uint64_t, ChangeListener> by_number;
    std::uint64_t last = 0;
  };
  const std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();

  mutable std::mutex follow_mutex_;
  std::map<std::string, std::size_t, std::less<>> follow_counts_;

  std::mutex mutex_;
  std::vector<Outgoing> outbox_;
  std::size_t outbox_bytes_ = 0;
  bool overflow_ = false;
  bool flush_posted_ = false;
};

}  // namespace svc::realtime
