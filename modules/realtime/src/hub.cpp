#include "hub.h"

#include <algorithm>
#include <utility>

#include "svc/common/json.h"
#include "svc/common/limits/http.h"

#include "client.h"
#include "target.h"

namespace svc::realtime {
namespace {

constexpr std::uint16_t kGoingAway = 1001;
constexpr std::uint16_t kTryAgainLater = 1013;

Frame helloFrame(std::string server_id, std::string version) {
  auto hello = common::Json::object();
  hello.set("type", "hello")
      .set("serverId", std::move(server_id))
      .set("version", std::move(version));
  return std::make_shared<const std::string>(hello.dump());
}

}  // namespace

Hub::Hub(http::IReactor& reactor, std::string server_id, std::string version)
    : reactor_(reactor),
      hello_(helloFrame(std::move(server_id), std::move(version))),
      pong_(std::make_shared<const std::string>(R"({"type":"pong"})")) {}

void Hub::publish(std::string_view plugin_id_json, std::string_view channel_json,
                  std::string_view payload_json) {
  if (client_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  std::string frame;
  frame.reserve(plugin_id_json.size() + channel_json.size() + payload_json.size() + 64);
  frame.append(R"({"type":"plugin-signal","pluginId":)").append(plugin_id_json);
  frame.append(R"(,"channel":)").append(channel_json);
  frame.append(R"(,"payload":)").append(payload_json).push_back('}');
  offer({.frame = std::make_shared<const std::string>(std::move(frame)), .for_all = true});
}

void Hub::broadcast(std::string frame) {
  if (client_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  offer({.frame = std::make_shared<const std::string>(std::move(frame)), .for_all = true});
}

Handle Hub::onChanged(ChangeListener listener) {
  const std::scoped_lock lock(listeners_->mutex);
  const auto number = ++listeners_->last;
  listeners_->by_number.emplace(number, std::move(listener));
  return Handle([listeners = listeners_, number] {
    const std::scoped_lock guard(listeners->mutex);
    listeners->by_number.erase(number);
  });
}

void Hub::tellListeners(const Change& change) {
  std::vector<ChangeListener> called;
  {
    const std::scoped_lock lock(listeners_->mutex);
    for (const auto& [number, listener] : listeners_->by_number) {
      called.push_back(listener);
    }
  }
  for (const auto& listener : called) {
    listener(change);
  }
}

void Hub::changed(Change change) {
  tellListeners(change);
  if (client_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  auto keys = changeKeys(change.entity, change.id);
  if (change.audience == Audience::kDetail || change.audience == Audience::kNobody) {
    keys.list.clear();
  }
  if (change.audience == Audience::kList || change.audience == Audience::kNobody) {
    keys.detail.clear();
  }
  if (keys.list.empty() && (keys.detail.empty() || !follows(keys.detail))) {
    return;
  }
  auto list = common::Json::array();
  for (auto& kind : change.kinds) {
    list.push(std::move(kind));
  }
  auto message = common::Json::object();
  message.set("type", "changed").set("entity", std::move(change.entity));
  if (!change.id.empty()) {
    message.set("id", std::move(change.id));
  }
  message.set("changes", std::move(list));
  auto text = message.dump();
  if (!change.metadata.empty()) {
    text.pop_back();
    text.append(R"(,"metadata":)").append(change.metadata).push_back('}');
  }
  offer({.frame = std::make_shared<const std::string>(std::move(text)),
         .list_key = std::move(keys.list),
         .detail_key = std::move(keys.detail)});
}

bool Hub::follows(const std::string& key) const {
  const std::scoped_lock lock(follow_mutex_);
  return follow_counts_.contains(key);
}

bool Hub::isFollowed(const std::string& entity, const std::string& id) const {
  return follows(changeKeys(entity, id).detail);
}

void Hub::follow(const std::string& key, bool on) {
  const std::scoped_lock lock(follow_mutex_);
  auto& count = follow_counts_[key];
  count += on ? 1 : -1;
  if (count == 0) {
    follow_counts_.erase(key);
  }
}

std::size_t Hub::toEveryWindow(std::string message) {
  const auto windows = client_count_.load(std::memory_order_acquire);
  broadcast(std::move(message));
  return windows;
}

void Hub::offer(Outgoing outgoing) {
  bool post = false;
  {
    const std::scoped_lock lock(mutex_);
    outbox_bytes_ += outgoing.frame->size();
    if (outbox_bytes_ > kOutboxLimit) {
      overflow_ = true;
      outbox_.clear();
    }
    if (!overflow_) {
      outbox_.push_back(std::move(outgoing));
    }
    post = !std::exchange(flush_posted_, true);
  }
  if (post) {
    postFlush();
  }
}

void Hub::postFlush() {
  reactor_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->flush();
    }
  });
}

void Hub::flush() {
  if (sendSome(kSlice)) {
    postFlush();
  }
}

bool Hub::sendSome(std::size_t most) {
  if (next_ == clients_.end()) {
    takeOutbox();
  }
  for (std::size_t sent = 0; sent < most && next_ != clients_.end();) {
    // Held and passed first, because sending may close it.
    const auto client = static_cast<Client&>(*next_++).shared_from_this();
    // Looking at one that gets nothing takes its time, too.
    sent += std::max<std::size_t>(1, sendFrames(*client));
  }
  return next_ != clients_.end() || !restIfEmpty();
}

void Hub::takeOutbox() {
  sending_.clear();
  bool overflow = false;
  {
    const std::scoped_lock lock(mutex_);
    sending_.swap(outbox_);
    overflow = std::exchange(overflow_, false);
    outbox_bytes_ = 0;
  }
  next_ = clients_.begin();
  if (overflow) {
    for (const auto& client : snapshot()) {
      client->close(kTryAgainLater,
                    "signals arrive faster than they can be sent; reconnect and refetch");
    }
  }
}

bool Hub::restIfEmpty() {
  sending_.clear();
  to_one_.clear();
  const std::scoped_lock lock(mutex_);
  flush_posted_ = overflow_ || !outbox_.empty();
  return !flush_posted_;
}

std::size_t Hub::sendFrames(Client& client) {
  const auto follows_key = [&client](const std::string& key) {
    return !key.empty() && client.subscribedTo(key);
  };
  to_one_.clear();
  for (const auto& outgoing : sending_) {
    if (outgoing.for_all || follows_key(outgoing.list_key) || follows_key(outgoing.detail_key)) {
      to_one_.push_back(outgoing.frame);
    }
  }
  if (!to_one_.empty()) {
    client.send(to_one_);
  }
  return to_one_.size();
}

Result<std::shared_ptr<http::IWebSocketHandler>> Hub::accept() {
  if (closing_) {
    return Error{errc::kUnavailable, "the server is shutting down"};
  }
  return std::shared_ptr<http::IWebSocketHandler>(std::make_shared<Client>(shared_from_this()));
}

void Hub::opened(Client& client) {
  // Before those that still get what is being sent, which was published before this one came.
  clients_.push_front(client);
  client_count_.fetch_add(1, std::memory_order_release);
  if (closing_) {
    client.close(kGoingAway, "the server is shutting down");
  }
}

void Hub::closed(Client& client) {
  if (!client.is_linked()) {
    return;  // its handshake failed
  }
  const auto place = clients_.iterator_to(client);
  if (next_ == place) {
    ++next_;
  }
  clients_.erase(place);
  client_count_.fetch_sub(1, std::memory_order_release);
  if (closing_ && clients_.empty()) {
    close_deadline_.reset();
    close_done_({});
  }
}

void Hub::close(Completion<void> done) {
  auto held = std::make_shared<Completion<void>>(std::move(done));
  reactor_.post([self = shared_from_this(), held] { self->beginClose(std::move(*held)); });
}

void Hub::beginClose(Completion<void> done) {
  closing_ = true;
  while (sendSome(kSlice)) {
  }
  if (clients_.empty()) {
    done({});
    return;
  }
  close_done_ = std::move(done);
  close_deadline_ = reactor_.after(limits::kWsShutdown, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->close_done_({});
    }
  });
  for (const auto& client : snapshot()) {
    client->close(kGoingAway, "the server is shutting down");
  }
}

std::vector<std::shared_ptr<Client>> Hub::snapshot() {
  std::vector<std::shared_ptr<Client>> clients;
  clients.reserve(client_count_.load(std::memory_order_relaxed));
  for (auto& place : clients_) {
    clients.push_back(static_cast<Client&>(place).shared_from_this());
  }
  return clients;
}

}  // namespace svc::realtime
