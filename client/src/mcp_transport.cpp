#include "mcp_transport.h"

#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "svc/common/limits/http.h"

#include "wire/http_connection.h"

namespace svc::client {
namespace {

/// The server shows life more often than that.
constexpr auto kSilence = limits::kRpcTimeout;
/// Bytes of an answer in memory, and of one message of a stream. Those of the server are far below.
constexpr std::size_t kMessageBytes = 512UL * 1024 * 1024;

/// Cuts a stream into lines, which may end with \r\n.
class Lines {
 public:
  explicit Lines(EventLines& events) : events_(events) {}

  void add(std::string_view bytes) {
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      begun_ += bytes.substr(0, end);
      if (begun_.ends_with('\r')) {
        begun_.pop_back();
      }
      events_.line(begun_);
      begun_.clear();
      bytes.remove_prefix(end + 1);
    }
    begun_ += bytes;
  }

  [[nodiscard]] std::size_t held() const { return begun_.size(); }

 private:
  EventLines& events_;
  std::string begun_;
};

class HttpMcpTransport final : public IMcpTransport {
 public:
  HttpMcpTransport(HttpAddress address, std::string token, std::string bearer)
      : address_(std::move(address)), token_(std::move(token)), bearer_(std::move(bearer)) {}

  Status call(const McpCall& call, const McpSink& sink) override {
    auto connection = take();
    if (auto opened = connection->open(kSilence); !opened) {
      return opened;
    }
    auto status = exchange(*connection, call, sink);
    if (status) {
      const std::scoped_lock lock(mutex_);
      idle_.push_back(std::move(connection));
    }
    return status;
  }

 private:
  std::unique_ptr<HttpConnection> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<HttpConnection>(address_);
    }
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }

  [[nodiscard]] HttpHeaders headersOf(const McpCall& call) const {
    HttpHeaders headers{
        {"Accept",
         call.method == "GET" ? "text/event-stream" : "application/json, text/event-stream"},
        {"User-Agent", "svc-mcp"},
        // Nobody but this program can take the answer: when it ends, also by force, its calls end.
        {"Svc-Ends-With-Connection", "true"}};
    if (!token_.empty()) {
      headers.emplace_back("x-svc-access-token", token_);
    }
    if (!bearer_.empty()) {
      headers.emplace_back("Authorization", "Bearer " + bearer_);
    }
    if (call.method != "GET") {
      headers.emplace_back("Content-Type", "application/json");
    }
    headers.insert(headers.end(), call.headers.begin(), call.headers.end());
    return headers;
  }

  Status exchange(HttpConnection& connection, const McpCall& call, const McpSink& sink) {
    const std::stop_callback on_stop(call.stop, [&connection] { connection.interrupt(); });
    const auto status = connection.exchange(call.method, "/api/v1/mcp", headersOf(call), call.body);
    if (!status) {
      return status.error();
    }
    sink.head({status.value(), connection.header("Mcp-Session-Id")});
    const bool stream = connection.header("Content-Type").starts_with("text/event-stream");
    EventLines events(sink.message);
    Lines lines(events);
    std::string body;
    for (;;) {
      const auto piece = connection.read();
      if (!piece) {
        return piece.error();
      }
      const auto bytes = piece.value();
      if (bytes.empty()) {
        break;
      }
      if (stream) {
        lines.add(bytes);
      } else {
        body += bytes;
      }
      if (body.size() + lines.held() > kMessageBytes) {
        return Error{errc::kAborted,
                     fmt::format("the answer has more than {} bytes", kMessageBytes)};
      }
    }
    if (!body.empty()) {
      sink.message(std::move(body));
    }
    return {};
  }

  const HttpAddress address_;
  const std::string token_;
  const std::string bearer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HttpConnection>> idle_;
};

}  // namespace

Result<std::shared_ptr<IMcpTransport>> mcpTransport(const ServerAddress& address,
                                                    std::string bearer) {
  auto at = HttpAddress::parse(address.url);
  if (!at || at->tls) {
    return Error{errc::kInvalidArgument, address.origin + ": \"" + address.url +
                                             "\" is not a server address such as "
                                             "http://127.0.0.1:4700"};
  }
  return std::shared_ptr<IMcpTransport>(
      std::make_shared<HttpMcpTransport>(std::move(*at), address.access_token, std::move(bearer)));
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
