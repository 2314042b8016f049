#include "request_parser.h"

#include <algorithm>
#include <limits>

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

namespace svc::http {
namespace {

namespace beast_http = boost::beast::http;

// The body buffer grows with what arrives; a Content-Length alone reserves no more than this.
constexpr std::size_t kReserve = 64UL * 1024;

/// Beast would join the lines; other programs on the way may have read them as two.
bool hasFoldedLine(std::string_view header) {
  for (auto end = header.find('\n'); end != std::string_view::npos && end + 1 < header.size();
       end = header.find('\n', end + 1)) {
    if (header[end + 1] == ' ' || header[end + 1] == '\t') {
      return true;
    }
  }
  return false;
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RequestGrammar::RequestGrammar(Request& request, MessageFacts& facts)
    : request_(request), facts_(facts) {
  // Our own limits name the actual value; Beast's do not.
  body_limit(std::numeric_limits<std::uint64_t>::max());
  header_limit(static_cast<std::uint32_t>(limits::kHeaders + 1));
}

void RequestGrammar::expectBody(std::size_t limit, Body body) {
  body_limit_ = limit;
  body_ = body;
  eager(true);
  if (body == Body::kKeep && facts_.content_length) {
    request_.body.reserve(std::min<std::size_t>(*facts_.content_length, kReserve));
  }
}

void RequestGrammar::on_request_impl(beast_http::verb, StringView method_text, StringView target,
                                     int version, ErrorCode&) {
  request_.method.assign(method_text.data(), method_text.size());
  request_.target.assign(target.data(), target.size());
  request_.headers.reserve(8);
  facts_.version = static_cast<unsigned>(version);
}

void RequestGrammar::on_response_impl(int, StringView, int, ErrorCode&) {}

void RequestGrammar::on_field_impl(beast_http::field field, StringView name, StringView value,
                                   ErrorCode&) {
  if (!in_header_) {
    return;  // trailers of a chunked body carry nothing the service uses
  }
  const auto note_first = [position = request_.headers.size()](std::optional<std::size_t>& slot) {
    slot = slot.value_or(position);
  };
  switch (field) {
    case beast_http::field::host:
      ++facts_.host_headers;
      note_first(facts_.host);
      break;
    case beast_http::field::origin:
      ++facts_.origin_headers;
      note_first(facts_.origin);
      break;
    case beast_http::field::content_type:
      note_first(facts_.content_type);
      break;
    case beast_http::field::transfer_encoding:
      facts_.only_chunked =
          !facts_.has_transfer_encoding && equalsIgnoreCase(view(value), "chunked");
      facts_.has_transfer_encoding = true;
      break;
    case beast_http::field::expect:
      facts_.expects_continue = equalsIgnoreCase(view(value), "100-continue");
      break;
    default:
      if (equalsIgnoreCase(view(name), "x-request-id")) {
        note_first(facts_.request_id);
      } else if (equalsIgnoreCase(view(name), "sec-fetch-site")) {
        note_first(facts_.fetch_site);
      }
  }
  request_.headers.push_back(
      {std::string(name.data(), name.size()), std::string(value.data(), value.size())});
}

void RequestGrammar::on_header_impl(ErrorCode&) { in_header_ = false; }

void RequestGrammar::on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) {}

std::size_t RequestGrammar::on_body_impl(StringView bytes, ErrorCode& failure) {
  body_bytes_ += bytes.size();
  if (body_bytes_ > body_limit_) {
    failure = beast_http::error::body_limit;
    return 0;
  }
  if (body_ == Body::kKeep) {
    request_.body.append(bytes.data(), bytes.size());
  }
  return bytes.size();
}

void RequestGrammar::on_chunk_header_impl(std::uint64_t, StringView, ErrorCode&) {}

std::size_t RequestGrammar::on_chunk_body_impl(std::uint64_t, StringView bytes,
                                               ErrorCode& failure) {
  return on_body_impl(bytes, failure);
}

void RequestGrammar::on_finish_impl(ErrorCode&) {}

void RequestParser::reset(Request& request) {
  facts_ = {};
  header_reported_ = false;
  header_bytes_ = 0;
  failure_.reset();
  grammar_.emplace(request, facts_);
}

void RequestParser::expectBody(std::size_t limit, Body body) {
  body_limit_ = limit;
  grammar_->expectBody(limit, body);
}

RequestParser::Progress RequestParser::parse(std::string_view input, std::size_t& consumed) {
  consumed = 0;
  while (!grammar_->is_done()) {
    const auto rest = input.substr(consumed);
    if (rest.empty()) {
      return Progress::kNeedMore;
    }
    boost::beast::error_code failure;
    const auto used = grammar_->put(boost::asio::const_buffer(rest.data(), rest.size()), failure);
    consumed += used;
    if (!header_reported_) {
      if (hasFoldedLine(rest.substr(0, used))) {
        return fail(errc::kInvalidInput,
                    "a header continues on the next line, which HTTP/1.1 no longer allows");
      }
      header_bytes_ += used;
      const auto seen = header_bytes_ + (grammar_->is_header_done() ? 0 : rest.size() - used);
      if (seen > limits::kHeaders) {
        return fail(
            errc::kTooLarge,
            fmt::format("the request's headers are larger than {} bytes (at least {} bytes)",
                        limits::kHeaders, seen));
      }
    }
    if (failure == beast_http::error::need_more) {
      // Bodies are used up as they come; what stays is the line of a chunk header or trailer.
      return header_reported_ && rest.size() - used > limits::kHeaders
                 ? fail(errc::kInvalidInput, "the request has an endless chunk header")
                 : Progress::kNeedMore;
    }
    if (failure) {
      return fail(failure);
    }
    if (!header_reported_ && grammar_->is_header_done()) {
      return headerDone();
    }
  }
  return header_reported_ ? Progress::kComplete : headerDone();
}

RequestParser::Progress RequestParser::headerDone() {
  header_reported_ = true;
  facts_.keep_alive = grammar_->keep_alive();
  facts_.chunked = grammar_->chunked();
  facts_.upgrade = grammar_->upgrade();
  if (const auto length = grammar_->content_length()) {
    facts_.content_length = *length;
  }
  if (facts_.has_transfer_encoding && (!facts_.only_chunked || facts_.version < 11)) {
    return fail(errc::kInvalidInput, "the only transfer encoding of a request may be \"chunked\"");
  }
  if (facts_.host_headers > 1 || (facts_.version >= 11 && facts_.host_headers == 0)) {
    return fail(errc::kInvalidInput, "a request has exactly one Host header");
  }
  return Progress::kHeader;
}

RequestParser::Progress RequestParser::fail(Errc code, std::string message) {
  failure_.emplace(code, std::move(message));
  return Progress::kFailed;
}

RequestParser::Progress RequestParser::fail(const boost::beast::error_code& reason) {
  if (reason == beast_http::error::body_limit) {
    return fail(errc::kTooLarge,
                fmt::format("the request body is larger than {} bytes (at least {} bytes)",
                            body_limit_, grammar_->bodyBytes()));
  }
  if (reason == beast_http::error::header_limit) {
    return fail(errc::kTooLarge,
                fmt::format("the request's headers are larger than {} bytes (at least {} bytes)",
                            limits::kHeaders, limits::kHeaders + 1));
  }
  if (reason == beast_http::error::bad_transfer_encoding ||
      reason == beast_http::error::bad_content_length) {
    return fail(
        errc::kInvalidInput,
        "the request's length is ambiguous: Content-Length and Transfer-Encoding contradict");
  }
  return fail(errc::kInvalidInput,
              fmt::format("the request is not valid HTTP/1.1: {}", reason.message()));
}

bool splitTarget(Request& request, const MessageFacts& facts) {
  constexpr std::string_view kScheme = "http://";
  std::string_view target = request.target;
  if (equalsIgnoreCase(target.substr(0, kScheme.size()), kScheme)) {
    target.remove_prefix(kScheme.size());
    const auto authority = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(authority.size());
    if (authority.empty() || !facts.host) {
      return false;
    }
    request.headers[*facts.host].value = authority;
    if (!target.starts_with('/')) {
      request.path = "/";
      request.query = target.substr(target.empty() ? 0 : 1);
      return true;
    }
  }
  if (!target.starts_with('/')) {
    return false;
  }
  const auto mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string_view::npos) {
    request.query = target.substr(mark + 1);
  }
  return true;
}

bool isValidRequestId(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace svc::http
