#include "poco_http_client.h"

#include <istream>
#include <iterator>
#include <ostream>
#include <utility>

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/StreamCopier.h>
#include <Poco/URI.h>

namespace svc::client {
namespace {

using Poco::Net::HTTPMessage;
using Poco::Net::HTTPResponse;

Poco::Timespan timespan(std::chrono::milliseconds duration) {
  return {static_cast<Poco::Timespan::TimeDiff>(std::chrono::microseconds(duration).count())};
}

class PocoHttpClient final : public IHttpClient {
 public:
  explicit PocoHttpClient(const Poco::URI& base)
      : session_(base.getHost(), base.getPort()), prefix_(base.getPath()) {
    session_.setKeepAlive(true);
    while (prefix_.ends_with('/')) {
      prefix_.pop_back();
    }
  }

  void useAccessToken(std::string token) override { access_token_ = std::move(token); }

  Result<HttpResponse> send(const HttpRequest& request) override {
    bool connected = false;
    try {
      return exchange(request, connected);
    } catch (const Poco::TimeoutException&) {
      session_.reset();
      return Error{errc::kTimeout, "no answer from " + address() + " in time"};
    } catch (const Poco::Exception& failure) {
      session_.reset();
      if (connected) {
        return Error{errc::kAborted,
                     "the connection to " + address() + " was lost: " + failure.displayText()};
      }
      return Error{errc::kUnavailable,
                   "nothing answers at " + address() + ": " + failure.displayText()};
    }
  }

 private:
  [[nodiscard]] std::string address() const {
    return "http://" + session_.getHost() + ":" + std::to_string(session_.getPort());
  }

  /// The bytes read; the last line is left in `last`.
  static std::streamsize readLines(std::istream& source,
                                   const std::function<void(const std::string&)>& on_line,
                                   std::string& last) {
    std::streamsize size = 0;
    for (std::string line; std::getline(source, line);) {
      size += static_cast<std::streamsize>(line.size()) + (source.eof() ? 0 : 1);
      if (!source.eof()) {
        on_line(line);
      }
      last = std::move(line);
    }
    return size;
  }

  Result<HttpResponse> exchange(const HttpRequest& request, bool& connected) {
    // A connection keeps the limit it was made with, so that of an earlier request must not serve this one.
    if (std::exchange(timeout_, request.timeout) != request.timeout) {
      session_.reset();
      session_.setTimeout(timespan(request.timeout));
    }
    Poco::Net::HTTPRequest message(request.method, prefix_ + request.target, HTTPMessage::HTTP_1_1);
    message.set("Accept", "application/json");
    if (!access_token_.empty()) {
      message.set("x-svc-access-token", access_token_);
    }
    if (request.respond_async) {
      message.set("Prefer", "respond-async");
    }
    if (!request.body.empty()) {
      message.setContentType("application/json");
    }
    if (request.method != "GET") {
      message.setContentLength64(static_cast<Poco::Int64>(request.body.size()));
    }
    auto& sink = session_.sendRequest(message);
    connected = true;
    sink << request.body << std::flush;
    HTTPResponse head;
    auto& source = session_.receiveResponse(head);
    HttpResponse response;
    response.status = head.getStatus();
    const bool good = response.status == HTTPResponse::HTTP_OK;
    auto size = std::streamsize{0};
    if (good && request.save != nullptr) {
      size = Poco::StreamCopier::copyStream(source, *request.save);
    } else if (good && request.on_line) {
      size = readLines(source, request.on_line, response.body);
    } else {
      response.body.assign(std::istreambuf_iterator<char>(source), {});
      size = static_cast<std::streamsize>(response.body.size());
    }
    // The stream swallows the exception of a lost connection; without this a cut answer looks like a short one.
    if (const auto* const failure = session_.networkException()) {
      failure->rethrow();
    }
    if (head.hasContentLength() && std::cmp_not_equal(size, head.getContentLength64())) {
      throw Poco::Net::ConnectionResetException("the answer was cut short");
    }
    return response;
  }

  Poco::Net::HTTPClientSession session_;
  std::string prefix_;
  std::string access_token_;
  std::chrono::milliseconds timeout_{0};
};

}  // namespace

Result<std::unique_ptr<IHttpClient>> connectTo(const std::string& base_url) {
  try {
    const Poco::URI base(base_url);
    if (base.getScheme() == "https") {
      return Error{errc::kInvalidArgument,
                   "\"" + base_url + "\": this program speaks http only, not https"};
    }
    if (base.getScheme() != "http" || base.getHost().empty()) {
      return Error{errc::kInvalidArgument,
                   "\"" + base_url + "\" is not a server address such as http://127.0.0.1:4700"};
    }
    return Result<std::unique_ptr<IHttpClient>>(std::make_unique<PocoHttpClient>(base));
  } catch (const Poco::Exception&) {
    return Error{errc::kInvalidArgument,
                 "\"" + base_url + "\" is not a server address such as http://127.0.0.1:4700"};
  }
}

}  // namespace svc::client
