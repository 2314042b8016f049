#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

#include "connector.h"
#include "http_call.h"

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;

constexpr unsigned kHttpVersion = 11;
/// The answer to session/open names every plugin's generation.
constexpr std::uint64_t kAnswerLimit = 4UL * 1024 * 1024;

class Post final : public ILiveCall, public std::enable_shared_from_this<Post> {
 public:
  Post(asio::io_context& context, Request request, std::string body,
       UniqueFunction<void(Result<HttpAnswer>)> done)
      : context_(context),
        server_(request.endpoint.server.text()),
        deadline_(context),
        done_(std::move(done)) {
    message_.version(kHttpVersion);
    message_.method(http::verb::post);
    message_.target(request.endpoint.server.base_path + request.path);
    message_.set(http::field::host, request.endpoint.server.authority());
    message_.set(http::field::content_type, "application/json");
    message_.set(http::field::accept, "application/json");
    message_.set(http::field::authorization, "Bearer " + request.bearer);
    message_.set(http::field::connection, "close");
    message_.body() = std::move(body);
    message_.prepare_payload();
    parser_.body_limit(kAnswerLimit);
    endpoint_ = std::move(request.endpoint);
  }

  void start() {
    const auto connector = std::make_shared<Connector>(context_, endpoint_);
    connector_ = connector;
    connector->start([self = shared_from_this()](Result<NetStream> connected) {
      if (!connected) {
        self->finish(std::move(connected).error());
      } else if (self->done_) {
        self->stream_.emplace(std::move(connected).value());
        self->send();
      }
    });
  }

  void abandon() override {
    const auto connector = connector_.lock();
    finish(Error{errc::kAborted, "the request was given up"});
    if (connector) {
      connector->abort();
    }
  }

 private:
  void send() {
    deadline_.expires_after(limits::kSessionConnect);
    deadline_.async_wait([self = shared_from_this()](const ErrorCode& failure) {
      if (!failure) {
        self->finish(Error{errc::kTimeout, self->server_ + " did not answer in time"});
      }
    });
    http::async_write(*stream_, message_,
                      [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                        if (failure) {
                          self->lost(failure);
                        } else {
                          self->receive();
                        }
                      });
  }

  void receive() {
    http::async_read(*stream_, buffer_, parser_,
                     [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                       if (failure) {
                         self->lost(failure);
                         return;
                       }
                       auto& answer = self->parser_.get();
                       self->finish(HttpAnswer{answer.result_int(), std::move(answer.body())});
                     });
  }

  void lost(const ErrorCode& failure) {
    finish(Error{errc::kHostUnavailable,
                 fmt::format("the connection to {} was lost: {}", server_, failure.message())});
  }

  void finish(Result<HttpAnswer> result) {
    if (auto done = std::exchange(done_, nullptr)) {
      deadline_.cancel();
      if (stream_) {
        stream_->close();
      }
      done(std::move(result));
    }
  }

  asio::io_context& context_;
  Endpoint endpoint_;
  std::string server_;
  asio::steady_timer deadline_;
  UniqueFunction<void(Result<HttpAnswer>)> done_;
  std::weak_ptr<Connector> connector_;
  std::optional<NetStream> stream_;
  http::request<http::string_body> message_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
};

}  // namespace

void postJson(asio::io_context& context, LiveCalls& live, Request request, std::string body,
              UniqueFunction<void(Result<HttpAnswer>)> done) {
  const auto post =
      std::make_shared<Post>(context, std::move(request), std::move(body), std::move(done));
  if (live.add(post)) {
    post->start();
  }
}

}  // namespace svc::serverlink
