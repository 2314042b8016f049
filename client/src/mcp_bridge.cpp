#include "mcp_bridge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/http.h"

#include "console.h"
#include "mcp_headers.h"
#include "mcp_subscription.h"

namespace svc::client {
namespace {

using common::JsonSlices;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kInternalError = -32603;
constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
/// Requests that wait for the server at a time; each has a thread.
constexpr std::size_t kOpen = 256;

/// Whether JSON text can be the id of a request.
bool isId(std::string_view json) {
  const auto digits = json.starts_with('-') ? json.substr(1) : json;
  return json.starts_with('"') ||
         (!digits.empty() &&
          std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

/// What a client begins with, and what may be asked twice.
bool isOpening(std::string_view method) {
  return method == "initialize" || method == "server/discover" || method.ends_with("/list");
}

bool isAway(const Status& status) {
  return !status &&
         (status.error().code == errc::kUnavailable || status.error().code == codes::kUnreachable);
}

/// "{…}" of a member, or nothing.
Result<JsonSlices> objectIn(std::string_view object, std::string_view member) {
  const auto slices = JsonSlices::skim(object);
  return JsonSlices::skim(slices ? slices.value().raw(member) : std::string_view());
}

}  // namespace

/// One message of the client.
struct McpBridge::Outgoing {
  std::string text;
  std::string id{};  ///< JSON text; empty for notifications
  std::string method{};
  std::string name{};     ///< for Mcp-Name
  std::string version{};  ///< in _meta: of a client without a handshake

  [[nodiscard]] bool modern() const { return !version.empty(); }
};

/// A request that the server has not answered, or a stream of the bridge's own.
struct McpBridge::Open {
  Outgoing message;
  std::stop_source stop{};
  bool answered = false;   ///< guarded by the bridge, as the next one
  bool cancelled = false;  ///< the client wants no answer
  std::jthread thread{};

  [[nodiscard]] bool isSubscription() const { return message.method == "subscriptions/listen"; }
  [[nodiscard]] bool isStream() const { return message.text.empty() || isSubscription(); }
};

McpBridge::McpBridge(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

McpBridge::~McpBridge() { finish(std::chrono::milliseconds(0)); }

void McpBridge::line(const std::string& text) {
  if (text.find_first_not_of(" \t\r") == std::string::npos) {
    return;
  }
  if (text.size() > limits::kRpcBody) {
    const auto members = JsonSlices::skim(text);
    const auto id = members ? members.value().raw("id") : std::string_view();
    refuse(isId(id) ? id : "null", kInvalidRequest,
           fmt::format("a message of {} bytes, the limit rpcBody is {}", text.size(),
                       limits::kRpcBody));
    return;
  }
  const auto parsed = JsonSlices::parse(text);
  if (!parsed) {
    refuse("null", common::isValidJson(text) ? kInvalidRequest : kParseError,
           "not a JSON-RPC message: " + parsed.error().message);
    return;
  }
  const auto& members = parsed.value();
  Outgoing message{
      .text = text, .id = std::string(members.raw("id")), .method = members.text("method")};
  if (!message.id.empty() && !isId(message.id)) {
    refuse("null", kInvalidRequest, "the id must be a string or an integer");
    return;
  }
  const auto params = members.raw("params");
  if (const auto meta = objectIn(params, "_meta")) {
    message.version = meta.value().text(kVersionKey);
  }
  const auto slices = JsonSlices::skim(params);
  if (const auto member = memberNamedBy(message.method); slices && !member.empty()) {
    message.name = slices.value().text(member);
  }
  if (message.method == "notifications/cancelled") {
    cancel(slices ? std::string(slices.value().raw("requestId")) : std::string(), text);
  } else if (message.id.empty() || message.method.empty()) {
    const bool listens = message.method == "notifications/initialized";
    send(message);
    if (listens) {
      listen();
    }
  } else {
    start(std::move(message));
  }
}

/// What has no answer goes out in the order it came.
void McpBridge::send(const Outgoing& message) {
  const auto transport = surroundings_.connect();
  const auto status = transport ? transport.value()->call(callFor(message, {}),
                                                          {.head = [](const McpHead&) {},
                                                           .message = [](const std::string&) {}})
                                : Status(transport.error());
  if (!status) {
    surroundings_.complain(status.error().message);
  }
}

void McpBridge::start(Outgoing message) {
  std::list<std::jthread> ended;  // joined without the lock
  const std::scoped_lock lock(mutex_);
  ended.swap(ended_);
  if (open_.size() >= kOpen && !message.id.empty()) {
    refuse(message.id, kInternalError,
           fmt::format("{} requests are open, this program takes no more; ask again when some have "
                       "been answered",
                       open_.size()));
    return;
  }
  auto& open = *open_.emplace_back(std::make_unique<Open>(Open{.message = std::move(message)}));
  open.thread = std::jthread([this, &open] { run(open); });
}

/// Changes of lists, for clients with a handshake.
void McpBridge::listen() {
  {
    const std::scoped_lock lock(mutex_);
    const bool listening = std::any_of(
        open_.begin(), open_.end(), [](const auto& open) { return open->message.method.empty(); });
    if (listening) {
      return;
    }
  }
  start({.text = {}});
}

/// A server that was started again is listened to again; what it offers may be something else.
void McpBridge::follow(Open& open) {
  const auto stop = open.stop.get_token();
  bool again = false;
  do {
    int status = 0;
    if (const auto transport = surroundings_.connect()) {
      // How it ended does not matter: it is opened again.
      static_cast<void>(transport.value()->call(
          callFor(open.message, stop),
          {.head =
               [&](const McpHead& head) {
                 status = head.status;
                 if (again && status == kOk) {
                   listsMayHaveChanged();
                 }
               },
           .message = [&](std::string text) { received(open, std::move(text), status); }}));
    }
    if (refusesStream(status)) {
      return;
    }
    again = true;
  } while (pause(stop, surroundings_.listen_pause));
}

/// What a server has accepted goes on with the next one: a client that has asked once would hear nothing any more.
Status McpBridge::subscribe(Open& open) {
  const auto stop = open.stop.get_token();
  McpSubscription subscription(open.message.id);
  auto status = Status();
  do {
    int code = 0;
    const auto transport = surroundings_.connect();
    status = transport ? transport.value()->call(
                             callFor(open.message, stop),
                             {.head =
                                  [&](const McpHead& head) {
                                    code = head.status;
                                    subscription.begin(code);
                                  },
                              .message =
                                  [&](std::string text) {
                                    const auto part = subscription.take(text);
                                    if (part == McpSubscription::Part::kMessage) {
                                      received(open, std::move(text), code);
                                    } else if (part == McpSubscription::Part::kChanges) {
                                      writeAll(subscription.changes());
                                    }
                                  }})
                       : Status(transport.error());
  } while (subscription.goesOn() && pause(stop, surroundings_.listen_pause));
  return status;
}

/// Whether the stream is still wanted then.
bool McpBridge::pause(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void McpBridge::listsMayHaveChanged() {
  std::vector<std::string> lists;
  {
    const std::scoped_lock lock(mutex_);
    lists = announced_;
  }
  for (const auto& list : lists) {
    write(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/{}/list_changed"}})", list));
  }
}

void McpBridge::run(Open& open) {
  if (open.message.text.empty()) {
    follow(open);
    forget(open);
    return;
  }
  const auto status =
      open.message.modern() && open.isSubscription() ? subscribe(open) : firstExchange(open);
  bool owed = false;
  {
    const std::scoped_lock lock(mutex_);
    owed = !open.answered && !open.cancelled && !open.message.id.empty();
  }
  if (owed) {
    refuse(open.message.id, kInternalError,
           status ? "the server ended the answer before it was complete" : status.error().message);
  }
  if (!status && owed) {
    surroundings_.complain(status.error().message);
  }
  forget(open);
}

Status McpBridge::firstExchange(Open& open) {
  const auto stop = open.stop.get_token();
  auto status = exchange(open);
  for (int tries = 1; isOpening(open.message.method) && isAway(status); ++tries) {
    {
      const std::scoped_lock lock(mutex_);
      if (reached_ || open.cancelled || tries >= surroundings_.first_tries) {
        return status;
      }
    }
    if (tries == 1) {
      surroundings_.complain(status.error().message + "; this waits for it");
    }
    std::stop_source wake;
    const std::stop_callback cancelled(stop, [&wake] { wake.request_stop(); });
    const std::stop_callback ending(patience_.get_token(), [&wake] { wake.request_stop(); });
    if (!pause(wake.get_token(), surroundings_.first_pause)) {
      return status;
    }
    status = exchange(open);
  }
  if (status) {
    const std::scoped_lock lock(mutex_);
    reached_ = true;
  }
  return status;
}

/// A call whose arguments are repeated as headers is sent a second time, with those that the server has named.
Status McpBridge::exchange(Open& open) {
  const auto connected = surroundings_.connect();
  if (!connected) {
    return connected.error();
  }
  auto& transport = *connected.value();
  auto call = callFor(open.message, open.stop.get_token());
  decltype(call.headers) asked_for;
  int code = 0;
  const auto head = [&](const McpHead& received_head) {
    code = received_head.status;
    if (!received_head.session.empty()) {
      const std::scoped_lock lock(mutex_);
      session_ = received_head.session;
    }
  };
  auto status =
      transport.call(call, {.head = head, .message = [&](std::string text) {
                              if (code == kBadRequest && open.message.method == "tools/call") {
                                asked_for = headersAskedFor(text);
                              }
                              if (asked_for.empty()) {
                                received(open, std::move(text), code);
                              }
                            }});
  if (!asked_for.empty()) {
    call.headers.insert(call.headers.end(), asked_for.begin(), asked_for.end());
    status = transport.call(call, {.head = head, .message = [&](std::string text) {
                                     received(open, std::move(text), code);
                                   }});
  }
  return status;
}

/// A client without a handshake means: close the request. Of others the server does not take a lost connection for a wish.
void McpBridge::cancel(const std::string& id, const std::string& notification) {
  bool close = false;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& open : open_) {
      if (!id.empty() && open->message.id == id) {
        open->cancelled = true;
        close = open->message.modern();
        if (close) {
          open->stop.request_stop();
        }
      }
    }
  }
  if (!close) {
    // A server that does not answer must not keep this program from seeing that its client is gone.
    start({.text = notification, .method = "notifications/cancelled"});
  }
}

/// Runs on the thread that ends, which somebody else has to join.
void McpBridge::forget(Open& open) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&open](const auto& entry) { return entry.get() == &open; });
  ended_.push_back(std::move((*found)->thread));
  open_.erase(found);
  changed_.notify_all();
}

void McpBridge::finish(std::chrono::milliseconds grace) {
  patience_.request_stop();
  {
    std::unique_lock lock(mutex_);
    const auto stop_all = [this](bool streams_only) {
      for (const auto& open : open_) {
        if (!streams_only || open->isStream()) {
          open->cancelled = true;
          open->stop.request_stop();
        }
      }
    };
    stop_all(true);
    changed_.wait_for(lock, grace, [this] { return open_.empty(); });
    stop_all(false);
    changed_.wait(lock, [this] { return open_.empty(); });
  }
  // The last of them have let go of the lock, and end.
  ended_.clear();
}

McpCall McpBridge::callFor(const Outgoing& message, std::stop_token stop) {
  McpCall call{.body = message.text, .stop = std::move(stop)};
  if (message.modern()) {
    call.headers = {{"MCP-Protocol-Version", mcpHeaderValue(message.version)},
                    {"Mcp-Method", mcpHeaderValue(message.method)}};
    if (!memberNamedBy(message.method).empty()) {
      call.headers.emplace_back("Mcp-Name", mcpHeaderValue(message.name));
    }
    return call;
  }
  if (message.text.empty()) {
    call.method = "GET";
  }
  const std::scoped_lock lock(mutex_);
  if (!version_.empty()) {
    call.headers.emplace_back("MCP-Protocol-Version", version_);
  }
  if (!session_.empty()) {
    call.headers.emplace_back("Mcp-Session-Id", session_);
  }
  return call;
}

void McpBridge::refuse(std::string_view id, int code, const std::string& message) {
  write(fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})", id, code,
                    common::jsonString(message)));
}

void McpBridge::writeAll(const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    write(line);
  }
}

void McpBridge::write(const std::string& line) {
  const std::scoped_lock lock(write_mutex_);
  surroundings_.write(line);
}

void McpBridge::received(Open& open, std::string text, int status) {
  const auto parsed = JsonSlices::parse(text);
  if (parsed && !parsed.value().raw("jsonrpc").empty()) {
    const auto& members = parsed.value();
    if (members.raw("method").empty() && members.raw("id") == open.message.id) {
      const std::scoped_lock lock(mutex_);
      open.answered = true;
      const auto result = JsonSlices::skim(members.raw("result"));
      if (open.message.method == "initialize" && result) {
        version_ = result.value().text("protocolVersion");
        announced_ = listsAnnouncedBy(result.value().raw("capabilities"));
      }
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    write(text);
    return;
  }
  // Refused before it reached the endpoint: by a guard, or by something that is no svc server.
  if (open.message.id.empty()) {
    return;
  }
  const auto error = parsed ? objectIn(text, "error") : Result<JsonSlices>(parsed.error());
  const auto reason = error ? error.value().text("message") : std::string();
  {
    const std::scoped_lock lock(mutex_);
    open.answered = true;
  }
  if (error && error.value().text("code") == errc::kUnknownRoute.name()) {
    return refuse(
        open.message.id, kInternalError,
        "MCP is turned off at this server: `svc settings set mcp.enabled true` turns it on");
  }
  refuse(open.message.id, kInternalError,
         reason.empty() ? fmt::format("the server answered with HTTP status {}", status) : reason);
}

}  // namespace svc::client
