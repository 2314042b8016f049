#include "http_connector.h"

#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "wire/http_connection.h"

namespace svc::client {
namespace {

constexpr int kGoodStatus = 200;
/// Bytes of an answer in memory, and of a line. Those of the server are far below; files go through `save`.
constexpr std::size_t kAnswerBytes = 512UL * 1024 * 1024;

class ServerHttpClient final : public IHttpClient {
 public:
  explicit ServerHttpClient(HttpAddress address) : connection_(std::move(address)) {}

  void useAccessToken(std::string token) override { access_token_ = std::move(token); }

  Result<HttpResponse> send(const HttpRequest& request) override {
    if (auto opened = connection_.open(request.timeout); !opened) {
      return std::move(opened).error();
    }
    const auto status =
        connection_.exchange(request.method, request.target, headersOf(request), request.body);
    if (!status) {
      return status.error();
    }
    HttpResponse response{.status = status.value(), .body = {}};
    auto read = receive(request, response);
    return read ? Result<HttpResponse>(std::move(response)) : std::move(read).error();
  }

 private:
  [[nodiscard]] HttpHeaders headersOf(const HttpRequest& request) const {
    HttpHeaders headers{{"Accept", "application/json"}};
    if (!access_token_.empty()) {
      headers.emplace_back("x-svc-access-token", access_token_);
    }
    if (request.respond_async) {
      headers.emplace_back("Prefer", "respond-async");
    }
    if (!request.body.empty()) {
      headers.emplace_back("Content-Type", "application/json");
    }
    return headers;
  }

  Status receive(const HttpRequest& request, HttpResponse& response) {
    const bool good = response.status == kGoodStatus;
    std::string last_line;
    for (;;) {
      const auto piece = connection_.read();
      if (!piece) {
        return piece.error();
      }
      const auto bytes = piece.value();
      if (bytes.empty()) {
        if (response.body.empty()) {
          response.body = std::move(last_line);
        }
        return {};
      }
      if (good && request.save != nullptr) {
        request.save->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        continue;
      }
      const auto known = response.body.size();
      response.body += bytes;
      if (good && request.on_line) {
        last_line = tellLines(request, response.body, known).value_or(std::move(last_line));
      }
      if (response.body.size() > kAnswerBytes) {
        return Error{errc::kAborted,
                     fmt::format("the answer has more than {} bytes", kAnswerBytes)};
      }
    }
  }

  /// Takes whole lines off, of which there is none before `known`; the last of them.
  static std::optional<std::string> tellLines(const HttpRequest& request, std::string& text,
                                              std::size_t known) {
    std::optional<std::string> line;
    std::size_t begin = 0;
    for (auto end = text.find('\n', known); end != std::string::npos;
         end = text.find('\n', begin)) {
      line = text.substr(begin, end - begin);
      request.on_line(*line);
      begin = end + 1;
    }
    text.erase(0, begin);
    return line;
  }

  HttpConnection connection_;
  std::string access_token_;
};

}  // namespace

Result<std::unique_ptr<IHttpClient>> connectTo(const std::string& base_url) {
  auto address = HttpAddress::parse(base_url);
  if (!address) {
    return Error{errc::kInvalidArgument,
                 "\"" + base_url + "\" is not a server address such as http://127.0.0.1:4700"};
  }
  if (address->tls) {
    return Error{errc::kInvalidArgument,
                 "\"" + base_url + "\": this program speaks http only, not https"};
  }
  return Result<std::unique_ptr<IHttpClient>>(
      std::make_unique<ServerHttpClient>(std::move(*address)));
}

}  // namespace svc::client
