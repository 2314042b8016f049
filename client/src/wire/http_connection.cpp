#include "wire/http_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <limits>
#include <optional>

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <fmt/format.h>

#include "wire/socket.h"

namespace svc::client {
namespace {

namespace http = boost::beast::http;

/// Bytes of a head, and of the lines between the pieces of a body.
constexpr std::size_t kHeadLimit = 64UL * 1024;
constexpr std::size_t kPieceBytes = 64UL * 1024;

}  // namespace

/// What has come and is not taken apart yet, and the answer it belongs to.
struct HttpConnection::Answer {
  [[nodiscard]] std::size_t held() const { return end - begin; }

  std::unique_ptr<char[]> bytes = std::make_unique_for_overwrite<char[]>(kHeadLimit);
  std::size_t begin = 0;
  std::size_t end = 0;
  std::unique_ptr<char[]> piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  std::optional<http::response_parser<http::buffer_body>> parser;
};

HttpConnection::HttpConnection(HttpAddress address)
    : address_(std::move(address)), answer_(std::make_unique<Answer>()) {}

HttpConnection::~HttpConnection() = default;

Status HttpConnection::open(std::chrono::milliseconds patience) {
  patience_ = patience;
  // What can be read now is the end of the connection, or an answer that nobody has asked for.
  pollfd kept{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (std::exchange(reusable_, false) && answer_->held() == 0 && ::poll(&kept, 1, 0) == 0) {
    return {};
  }
  socket_.reset();
  answer_->begin = answer_->end = 0;
  auto connected = connectSocket(address_, patience);
  if (!connected) {
    return connected.error().code == errc::kTimeout ? lost(connected.error())
                                                    : unreachable(address_, connected.error());
  }
  socket_ = std::move(connected).value();
  return {};
}

Result<int> HttpConnection::exchange(std::string_view method, std::string_view target,
                                     const HttpHeaders& headers, std::string_view body) {
  auto text = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", method, address_.path, target,
                          address_.authority());
  for (const auto& [name, value] : headers) {
    if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return Error{errc::kInvalidArgument, "a header of the request breaks its line"};
    }
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (method != "GET") {
    text += fmt::format("Content-Length: {}\r\n", body.size());
  }
  text.append("\r\n").append(body);
  if (auto sent = sendAll(socket_.get(), text, patience_); !sent) {
    return lost(sent.error());
  }
  auto& parser = answer_->parser.emplace();
  parser.header_limit(kHeadLimit);
  // Whoever takes the pieces bounds them.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  while (!parser.is_header_done()) {
    if (auto parsed = parse(); !parsed) {
      return std::move(parsed).error();
    }
  }
  return static_cast<int>(parser.get().result_int());
}

std::string HttpConnection::header(std::string_view name) const {
  const auto value = answer_->parser->get()[boost::beast::string_view(name.data(), name.size())];
  return {value.data(), value.size()};
}

Result<std::string_view> HttpConnection::read() {
  auto& parser = *answer_->parser;
  auto& body = parser.get().body();
  while (!parser.is_done()) {
    body.data = answer_->piece.get();
    body.size = kPieceBytes;
    if (auto parsed = parse(); !parsed) {
      return std::move(parsed).error();
    }
    if (body.size < kPieceBytes) {
      return std::string_view(answer_->piece.get(), kPieceBytes - body.size);
    }
  }
  reusable_ = parser.keep_alive();
  return std::string_view();
}

void HttpConnection::interrupt() const { ::shutdown(socket_.get(), SHUT_RDWR); }

/// One step, for which bytes are fetched when those that are there do not suffice.
Status HttpConnection::parse() {
  auto& parser = *answer_->parser;
  if (answer_->held() > 0) {
    boost::beast::error_code failure;
    answer_->begin += parser.put({answer_->bytes.get() + answer_->begin, answer_->held()}, failure);
    if (failure && failure != http::error::need_more && failure != http::error::need_buffer) {
      return lost(fmt::format("what comes is no HTTP ({})", failure.message()));
    }
    if (failure != http::error::need_more) {
      return {};
    }
  }
  return fill();
}

Status HttpConnection::fill() {
  auto& answer = *answer_;
  std::memmove(answer.bytes.get(), answer.bytes.get() + answer.begin, answer.held());
  answer.end -= std::exchange(answer.begin, 0);
  if (answer.end == kHeadLimit) {
    return lost(fmt::format("its head has more than {} bytes", kHeadLimit));
  }
  const auto got = receiveSome(socket_.get(), answer.bytes.get() + answer.end,
                               kHeadLimit - answer.end, patience_);
  if (!got) {
    return lost(got.error());
  }
  answer.end += got.value();
  if (got.value() > 0) {
    return {};
  }
  if (!answer.parser->got_some()) {
    return lost("it was closed without an answer");
  }
  boost::beast::error_code cut;
  answer.parser->put_eof(cut);
  return cut ? Status(lost("the answer was cut short")) : Status();
}

Error HttpConnection::lost(std::string_view why) const {
  return {errc::kAborted, fmt::format("the connection to {} was lost: {}", address_.text(), why)};
}

Error HttpConnection::lost(const Error& error) const {
  return error.code == errc::kTimeout
             ? Error{errc::kTimeout, fmt::format("no answer from {} in time", address_.text())}
             : lost(std::string_view(error.message));
}

}  // namespace svc::client
