#include "mcp_transport.h"

#include <istream>
#include <iterator>
#include <mutex>
#include <ostream>

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/URI.h>

#include "svc/common/limits.h"

namespace svc::client {
namespace {

using Poco::Net::HTTPClientSession;
using Poco::Net::HTTPMessage;

/// The server shows life more often than that.
constexpr auto kSilence = limits::kRpcTimeout;

/// Ends the reads of a connection; it is closed by the thread that reads.
struct ShutDown {
  HTTPClientSession& session;
  void operator()() const {
    try {
      session.socket().shutdown();
    } catch (const Poco::Exception&) {  // it has ended by itself
    }
  }
};

class PocoMcpTransport final : public IMcpTransport {
 public:
  PocoMcpTransport(const Poco::URI& base, std::string token, std::string bearer)
      : host_(base.getHost()),
        port_(base.getPort()),
        path_(base.getPath()),
        token_(std::move(token)),
        bearer_(std::move(bearer)) {
    while (path_.ends_with('/')) {
      path_.pop_back();
    }
    path_ += "/api/v1/mcp";
  }

  Status call(const McpCall& call, const McpSink& sink) override {
    auto session = take();
    bool connected = false;
    try {
      exchange(*session, call, sink, connected);
      keep(std::move(session));
      return {};
    } catch (const Poco::TimeoutException&) {
      return Error{errc::kTimeout, "no answer from " + address() + " in time"};
    } catch (const Poco::Exception& failure) {
      return connected ? Error{errc::kAborted, "the connection to " + address() +
                                                   " was lost: " + failure.displayText()}
                       : Error{errc::kUnavailable,
                               "nothing answers at " + address() + ": " + failure.displayText()};
    }
  }

 private:
  [[nodiscard]] std::string address() const {
    return "http://" + host_ + ":" + std::to_string(port_);
  }

  std::unique_ptr<HTTPClientSession> take() {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
    auto session = std::make_unique<HTTPClientSession>(host_, port_);
    session->setKeepAlive(true);
    session->setTimeout(Poco::Timespan(std::chrono::microseconds(kSilence).count()));
    return session;
  }

  void keep(std::unique_ptr<HTTPClientSession> session) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(session));
  }

  void exchange(HTTPClientSession& session, const McpCall& call, const McpSink& sink,
                bool& connected) {
    Poco::Net::HTTPRequest message(call.method, path_, HTTPMessage::HTTP_1_1);
    message.set("Accept",
                call.method == "GET" ? "text/event-stream" : "application/json, text/event-stream");
    message.set("User-Agent", "svc-mcp");
    // Nobody but this program can take the answer: when it ends, also by force, its calls end.
    message.set("Svc-Ends-With-Connection", "true");
    if (!token_.empty()) {
      message.set("x-svc-access-token", token_);
    }
    if (!bearer_.empty()) {
      message.set("Authorization", "Bearer " + bearer_);
    }
    for (const auto& [name, value] : call.headers) {
      message.set(name, value);
    }
    if (call.method != "GET") {
      message.setContentType("application/json");
      message.setContentLength64(static_cast<Poco::Int64>(call.body.size()));
    }
    auto& out = session.sendRequest(message);
    connected = true;
    out << call.body << std::flush;
    const std::stop_callback on_stop(call.stop, ShutDown{session});
    Poco::Net::HTTPResponse head;
    auto& in = session.receiveResponse(head);
    sink.head({static_cast<int>(head.getStatus()), head.get("Mcp-Session-Id", "")});
    if (head.getContentType().starts_with("text/event-stream")) {
      EventLines events(sink.message);
      for (std::string line; std::getline(in, line);) {
        events.line(line.ends_with('\r') ? std::string_view(line).substr(0, line.size() - 1)
                                         : std::string_view(line));
      }
    } else if (std::string body{std::istreambuf_iterator<char>(in), {}}; !body.empty()) {
      sink.message(std::move(body));
    }
    if (const auto* const failure = session.networkException()) {
      failure->rethrow();
    }
  }

  const std::string host_;
  const Poco::UInt16 port_;
  std::string path_;
  const std::string token_;
  const std::string bearer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HTTPClientSession>> idle_;
};

}  // namespace

Result<std::shared_ptr<IMcpTransport>> mcpTransport(const ServerAddress& address,
                                                    std::string bearer) {
  try {
    const Poco::URI base(address.url);
    if (base.getScheme() == "http" && !base.getHost().empty()) {
      return std::shared_ptr<IMcpTransport>(
          std::make_shared<PocoMcpTransport>(base, address.access_token, std::move(bearer)));
    }
  } catch (const Poco::Exception&) {  // said below
  }
  return Error{errc::kInvalidArgument, address.origin + ": \"" + address.url +
                                           "\" is not a server address such as "
                                           "http://127.0.0.1:4700"};
}

void EventLines::line(std::string_view text) {
  constexpr std::string_view kData = "data:";
  if (text.empty()) {
    if (std::exchange(has_data_, false)) {
      event_(std::exchange(data_, {}));
    }
    return;
  }
  if (!text.starts_with(kData)) {
    return;  // a comment, or a field that says nothing here
  }
  text.remove_prefix(kData.size());
  if (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  // Lines of one event are joined; inside JSON a space does as well as a line break.
  data_ += std::exchange(has_data_, true) ? " " : "";
  data_ += text;
}

}  // namespace svc::client
