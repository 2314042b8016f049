#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "svc/http/http.h"
#include "svc/kernel/completion.h"
#include "svc/realtime/realtime.h"

namespace svc::realtime {

class Client;
/// The place of a client among those that are open.
struct OpenPlace
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
};
using OpenPlaces = boost::intrusive::list<OpenPlace, boost::intrusive::constant_time_size<false>>;
using Frame = std::shared_ptr<const std::string>;

/// Every open window. Lives on the io thread; publish(), broadcast(), changed() and close() may be called from any
/// thread. Frames wait in one outbox, so they leave in the order they were handed in and one post carries a burst.
///
/// What is in the outbox goes to the windows some at a time (kSlice): other connections are served in between, however many
/// windows there are.
///
/// The outbox holds at most kOutboxLimit bytes: beyond that the frames are dropped and every client is closed with
/// 1013, because a client that missed a frame must refetch.
class Hub final : public IRealtimeHub, public std::enable_shared_from_this<Hub> {
 public:
  static constexpr std::size_t kOutboxLimit = 16UL * 1024 * 1024;
  /// Frames that are sent without a pause: a fraction of a millisecond.
  static constexpr std::size_t kSlice = 32;

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
  void postFlush();
  /// Sends a slice, and posts itself while there is more.
  void flush();
  /// Sends about so many frames; false when nothing is left.
  bool sendSome(std::size_t most);
  /// Makes what is in the outbox the frames that are being sent, to the windows there are now.
  void takeOutbox();
  /// Everybody has what was being sent. False when there is more in the outbox.
  bool restIfEmpty();
  [[nodiscard]] std::size_t sendFrames(Client& client);
  [[nodiscard]] bool follows(const std::string& key) const;
  /// One more client follows the target, or one less.
  void follow(const std::string& key, bool on);
  void opened(Client& client);
  void closed(Client& client);
  void beginClose(Completion<void> done);
  [[nodiscard]] std::vector<std::shared_ptr<Client>> snapshot();

  http::IReactor& reactor_;
  const Frame hello_;
  const Frame pong_;
  OpenPlaces clients_;
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
  /// Also while frames are being sent.
  bool flush_posted_ = false;

  // What is being sent; those before next_ have it, or came later.
  std::vector<Outgoing> sending_;
  OpenPlaces::iterator next_ = clients_.end();
  /// Of sending_, what goes to one client. Kept for its memory.
  std::vector<Frame> to_one_;
};

}  // namespace svc::realtime
