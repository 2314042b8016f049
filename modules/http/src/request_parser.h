#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "svc/http/http.h"

namespace svc::http {

/// What the transport needs to know of a request beside the Request itself.
struct MessageFacts {
  unsigned version = 11;
  bool keep_alive = true;
  bool chunked = false;
  bool has_transfer_encoding = false;
  bool only_chunked = false;  ///< no coding beside "chunked"
  bool upgrade = false;
  bool expects_continue = false;
  std::optional<std::uint64_t> content_length{};
  std::size_t host_headers = 0;
  std::size_t origin_headers = 0;
  // Positions in Request::headers of the first header of each kind.
  std::optional<std::size_t> host{};
  std::optional<std::size_t> origin{};
  std::optional<std::size_t> content_type{};
  std::optional<std::size_t> fetch_site{};
  std::optional<std::size_t> request_id{};

  [[nodiscard]] bool hasBody() const {
    return chunked || (content_length.has_value() && *content_length > 0);
  }
};

/// Beast's HTTP/1 grammar, writing straight into a Request. For one message.
class RequestGrammar final : public boost::beast::http::basic_parser<true> {
 public:
  enum class Body : bool { kKeep, kDiscard };

  RequestGrammar(Request& request, MessageFacts& facts);

  void expectBody(std::size_t limit, Body body);
  [[nodiscard]] std::size_t bodyBytes() const { return body_bytes_; }

 private:
  using ErrorCode = boost::beast::error_code;
  using StringView = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb method, StringView method_text, StringView target,
                       int version, ErrorCode& failure) override;
  void on_response_impl(int code, StringView reason, int version, ErrorCode& failure) override;
  void on_field_impl(boost::beast::http::field field, StringView name, StringView value,
                     ErrorCode& failure) override;
  void on_header_impl(ErrorCode& failure) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode& failure) override;
  std::size_t on_body_impl(StringView bytes, ErrorCode& failure) override;
  void on_chunk_header_impl(std::uint64_t size, StringView extensions, ErrorCode& failure) override;
  std::size_t on_chunk_body_impl(std::uint64_t remaining, StringView bytes,
                                 ErrorCode& failure) override;
  void on_finish_impl(ErrorCode& failure) override;

  Request& request_;
  MessageFacts& facts_;
  bool in_header_ = true;
  Body body_ = Body::kKeep;
  std::size_t body_limit_ = 0;
  std::size_t body_bytes_ = 0;
};

/// Turns bytes into Requests, one after another, with the service's limits.
/// Lives on the io thread.
class RequestParser {
 public:
  enum class Progress : std::uint8_t { kNeedMore, kHeader, kComplete, kFailed };
  using Body = RequestGrammar::Body;

  /// Starts the next message, whose parts go to `request`.
  void reset(Request& request);
  /// Reads `input` and says how much of it is used up. Stops once after the header, once at the end.
  [[nodiscard]] Progress parse(std::string_view input, std::size_t& consumed);

  /// The rest is meant for the body: at most `limit` bytes.
  void expectBody(std::size_t limit, Body body);

  [[nodiscard]] const MessageFacts& facts() const { return facts_; }
  /// Why parse() failed.
  [[nodiscard]] const Error& failure() const { return *failure_; }

 private:
  [[nodiscard]] Progress headerDone();
  [[nodiscard]] Progress fail(Errc code, std::string message);
  [[nodiscard]] Progress fail(const boost::beast::error_code& reason);

  // Beast's parser serves one message; building the next in place is cheap.
  std::optional<RequestGrammar> grammar_;
  MessageFacts facts_;
  bool header_reported_ = false;
  std::size_t header_bytes_ = 0;
  std::size_t body_limit_ = 0;
  std::optional<Error> failure_;
};

/// Splits the target into path and query. False when it is neither "/path" nor an absolute http URL; the
/// authority of the latter replaces the Host header.
[[nodiscard]] bool splitTarget(Request& request, const MessageFacts& facts);

/// 1 to 128 characters of [A-Za-z0-9._-].
[[nodiscard]] bool isValidRequestId(std::string_view id);

}  // namespace svc::http
