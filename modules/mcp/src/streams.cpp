#include "streams.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/mcp.h"

namespace svc::mcp {
namespace {

using common::Json;

constexpr std::string_view kKeepAlive = ": still here\n\n";

/// Clients are told apart by their session, else by their token, where they are and what they are.
std::string clientOf(const Incoming& incoming, const std::string& session) {
  if (!session.empty()) {
    return session;
  }
  const auto& request = incoming.exchange->request();
  const auto* const agent = request.header("user-agent");
  return (incoming.token ? incoming.token->id : std::string()) + ' ' + request.peer_address + ' ' +
         (agent == nullptr ? std::string() : *agent);
}

/// "_meta":{…subscriptionId: the id of the request}
std::string taggedBy(const std::string& id) {
  return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + id + '}';
}

Json acknowledged(const Wanted& wanted) {
  auto accepted = Json::object();
  for (const auto& [name, on] : {std::pair{"toolsListChanged", wanted.tools},
                                 std::pair{"promptsListChanged", wanted.prompts},
                                 std::pair{"resourcesListChanged", wanted.resources}}) {
    if (on) {
      accepted.set(name, true);
    }
  }
  if (!wanted.uris.empty()) {
    auto uris = Json::array();
    for (const auto& uri : wanted.uris) {
      uris.push(uri);
    }
    accepted.set("resourceSubscriptions", std::move(uris));
  }
  return accepted;
}

}  // namespace

struct Streams::Stream {
  struct Gone {
    std::weak_ptr<Streams> streams;
    std::weak_ptr<Stream> stream;
    void operator()() {
      if (const auto all = streams.lock()) {
        all->surroundings_.reactor.post([all, weak = stream] {
          if (const auto self = weak.lock()) {
            all->remove(self);
          }
        });
      }
    }
  };

  Stream(const Incoming& incoming, std::string who, Wanted wishes)
      : exchange(incoming.exchange),
        client(std::move(who)),
        wanted(std::move(wishes)),
        token(incoming.token),
        known(incoming.client),
        id(incoming.message.id) {
    ++known->streams;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { --known->streams; }

  const http::ExchangePtr exchange;
  const std::string client;
  const Wanted wanted;
  const TokenPtr token;
  const ClientPtr known;
  const std::string id;  ///< of the request; empty for GET
  std::string session{};
  std::optional<std::stop_callback<Gone>> on_disconnect;

  void send(std::string_view method, std::string_view members) const {
    std::string params = "{";
    params += members;
    if (!id.empty()) {
      params += (members.empty() ? "" : ",") + taggedBy(id);
    }
    exchange->write(eventText(notificationText(method, params + '}')));
  }
};

std::variant<Wanted, Refusal> wantedOf(std::string_view params, const Json& capabilities) {
  const auto slices = common::JsonSlices::skim(params);
  const auto parsed =
      Json::parse(slices ? slices.value().raw("notifications") : std::string_view());
  if (!parsed || !parsed.value().isObject()) {
    return badParams("params.notifications must be an object");
  }
  const auto& wishes = parsed.value();
  const auto wants = [&](const char* wish, const char* capability) {
    return wishes[wish].asBool() && capabilities[capability]["listChanged"].asBool();
  };
  Wanted wanted{.tools = wants("toolsListChanged", "tools"),
                .prompts = wants("promptsListChanged", "prompts"),
                .resources = wants("resourcesListChanged", "resources")};
  const auto& uris = wishes["resourceSubscriptions"].items();
  if (uris.size() > limits::kMcpUris) {
    return badParams(fmt::format("{} resources in resourceSubscriptions, the limit mcpUris is {}",
                                 uris.size(), limits::kMcpUris));
  }
  if (capabilities["resources"]["subscribe"].asBool()) {
    for (const auto& uri : uris) {
      wanted.uris.insert(uri.asString());
    }
  }
  return wanted;
}

std::string Streams::fullness(const std::string& client) const {
  if (streams_.size() >= limits::kMcpStreams) {
    return fmt::format("{} streams are open, the limit mcpStreams is {}", streams_.size(),
                       limits::kMcpStreams);
  }
  const auto own =
      std::count_if(streams_.begin(), streams_.end(),
                    [&client](const StreamPtr& stream) { return stream->client == client; });
  if (std::cmp_greater_equal(own, limits::kMcpStreamsClient)) {
    return fmt::format("{} streams of this client are open, the limit mcpStreamsClient is {}", own,
                       limits::kMcpStreamsClient);
  }
  return {};
}

void Streams::listen(const Incoming& incoming, Wanted wanted) {
  const auto client = clientOf(incoming, {});
  if (auto full = fullness(client); !full.empty()) {
    refuse(incoming, {.message = std::move(full), .status = 503}, *surroundings_.counters);
    return;
  }
  auto stream = std::make_shared<Stream>(incoming, client, std::move(wanted));
  stream->exchange->begin(streamHead());
  stream->send("notifications/subscriptions/acknowledged",
               R"("notifications":)" + acknowledged(stream->wanted).dump());
  add(std::move(stream));
}

void Streams::open(const Incoming& incoming) {
  const auto& exchange = incoming.exchange;
  auto session = incoming.scopedSession();
  auto client = clientOf(incoming, session);
  if (auto full = fullness(client); !full.empty()) {
    exchange->fail(Error{errc::kOverloaded, std::move(full)});
    return;
  }
  exchange->begin(streamHead());
  exchange->write(std::string(kKeepAlive));
  auto stream = std::make_shared<Stream>(incoming, std::move(client),
                                         Wanted{.tools = true, .prompts = true, .resources = true});
  stream->session = std::move(session);
  add(std::move(stream));
}

void Streams::add(StreamPtr stream) {
  if (closed_) {
    end(*stream);
    return;
  }
  stream->on_disconnect.emplace(stream->exchange->disconnected(),
                                Stream::Gone{weak_from_this(), stream});
  streams_.push_back(std::move(stream));
  surroundings_.counters->open_streams = streams_.size();
  if (streams_.size() == 1) {
    armKeepAlive();
  }
}

void Streams::remove(const StreamPtr& stream) {
  streams_.remove(stream);
  surroundings_.counters->open_streams = streams_.size();
  // A client that only stopped sending would wait for ever.
  stream->exchange->finish();
}

void Streams::changed(ListKind kind) {
  surroundings_.reactor.post([self = shared_from_this(), kind] {
    self->pending_.tools = self->pending_.tools || kind == ListKind::kTools;
    self->pending_.prompts = self->pending_.prompts || kind == ListKind::kPrompts;
    self->pending_.resources = self->pending_.resources || kind == ListKind::kResources ||
                               kind == ListKind::kResourceTemplates;
    self->planAnnouncement();
  });
}

void Streams::resourceUpdated(std::string uri) {
  surroundings_.reactor.post([self = shared_from_this(), uri = std::move(uri)] {
    self->pending_.uris.insert(uri);
    self->planAnnouncement();
  });
}

void Streams::planAnnouncement() {
  if (announcement_) {
    return;
  }
  announcement_ = surroundings_.reactor.after(limits::kMcpChangeJoin, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->announcement_.release();
      self->announce();
    }
  });
}

void Streams::announce() {
  const auto news = std::exchange(pending_, {});
  if (news.tools) {
    send("notifications/tools/list_changed", &Wanted::tools);
  }
  if (news.prompts) {
    send("notifications/prompts/list_changed", &Wanted::prompts);
  }
  if (news.resources) {
    send("notifications/resources/list_changed", &Wanted::resources);
  }
  for (const auto& uri : news.uris) {
    sendUpdated(uri);
  }
}

void Streams::send(std::string_view method, bool Wanted::*list) {
  std::set<std::string_view> told;
  // A write may end a stream that is too far behind.
  const auto all = streams_;
  for (auto stream = all.rbegin(); stream != all.rend(); ++stream) {
    const auto& session = (*stream)->session;
    if ((*stream)->wanted.*list && (session.empty() || told.insert(session).second)) {
      (*stream)->send(method, {});
    }
  }
}

void Streams::sendUpdated(const std::string& uri) {
  const auto all = streams_;
  for (const auto& stream : all) {
    if (stream->wanted.uris.contains(uri)) {
      stream->send("notifications/resources/updated", R"("uri":)" + common::jsonString(uri));
    }
  }
}

void Streams::armKeepAlive() {
  keep_alive_ = surroundings_.reactor.after(limits::kMcpKeepAlive, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->keepAlive();
    }
  });
}

void Streams::keepAlive() {
  const auto all = streams_;
  for (const auto& stream : all) {
    stream->exchange->write(std::string(kKeepAlive));
  }
  if (!streams_.empty()) {
    armKeepAlive();
  }
}

void Streams::revoke(const TokenPtr& token) {
  const auto all = streams_;
  for (const auto& stream : all) {
    if (stream->token == token) {
      streams_.remove(stream);
      end(*stream);
    }
  }
  surroundings_.counters->open_streams = streams_.size();
}

void Streams::close() {
  closed_ = true;
  const auto all = std::exchange(streams_, {});
  surroundings_.counters->open_streams = 0;
  for (const auto& stream : all) {
    end(*stream);
  }
}

void Streams::end(Stream& stream) const {
  if (!stream.id.empty()) {
    const auto result = fmt::format(R"({{"resultType":"complete","_meta":{{)"
                                    R"("io.modelcontextprotocol/serverInfo":{},)"
                                    R"("io.modelcontextprotocol/subscriptionId":{}}}}})",
                                    surroundings_.server_info, stream.id);
    stream.exchange->write(eventText(resultText(stream.id, result)));
  }
  stream.exchange->finish();
}

}  // namespace svc::mcp
