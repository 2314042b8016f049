#include "sdk_calls.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <boost/beast/core/detail/base64.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::sdkclient {
namespace {

/// What stands before the next line break, which is dropped.
std::string_view takeLine(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

constexpr std::string_view kJson = "application/json";

namespace base64 = boost::beast::detail::base64;

/// Of text that this module's script has encoded.
std::string decodeBase64(std::string_view text) {
  std::string bytes(base64::decoded_size(text.size()), '\0');
  bytes.resize(base64::decode(bytes.data(), text.data(), text.size()).first);
  return bytes;
}

std::string encodeBase64(std::string_view bytes) {
  std::string text(base64::encoded_size(bytes.size()), '\0');
  text.resize(base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

/// Status, line break, body; bytes have their type behind the status, and are Base64.
std::string answerText(const http::Response& response) {
  if (response.content_type.starts_with(kJson)) {
    return fmt::format("{}\n{}", response.status, response.body);
  }
  const auto type =
      std::string_view(response.content_type)
          .substr(0, std::min(response.content_type.find(';'), response.content_type.size()));
  return fmt::format("{} {}\n{}", response.status, type, encodeBase64(response.body));
}

std::uint64_t readId(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void SdkCalls::send(const std::string& argument, Completion<std::string> done) {
  std::string_view rest(argument);
  const auto call_id = readId(takeLine(rest));
  auto stop = open(call_id);
  if (!stop) {
    done(Error{errc::kOverloaded,
               fmt::format("{} calls of svc.sdk are open, more wait for one to end", kMaxOpen)});
    return;
  }
  http::Request request;
  auto method = takeLine(rest);
  const auto bytes_type = method.substr(std::min(method.find(' ') + 1, method.size()));
  const bool is_bytes = method.find(' ') != std::string_view::npos;
  request.method = method.substr(0, method.find(' '));
  request.target = takeLine(rest);
  request.body = is_bytes ? decodeBase64(rest) : std::string(rest);
  request.caller_plugin = plugin_id_;
  if (is_bytes || !request.body.empty()) {
    request.headers.push_back(
        {"Content-Type", is_bytes ? std::string(bytes_type) : std::string(kJson)});
  }
  server_.dispatch(std::move(request), *std::move(stop),
                   [self = shared_from_this(), call_id,
                    done = std::make_shared<Completion<std::string>>(std::move(done))](
                       Result<http::Response> response) {
                     self->close(call_id);
                     if (!response) {
                       (*done)(std::move(response).error());
                       return;
                     }
                     (*done)(answerText(response.value()));
                   });
}

void SdkCalls::cancel(const std::string& call_id) {
  std::optional<std::stop_source> source;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto call = calls_.find(readId(call_id)); call != calls_.end()) {
      source = call->second;
    }
  }
  if (source) {
    source->request_stop();
  }
}

std::optional<std::stop_token> SdkCalls::open(std::uint64_t call_id) {
  const std::scoped_lock lock(mutex_);
  if (calls_.size() >= kMaxOpen) {
    return std::nullopt;
  }
  return calls_[call_id].get_token();
}

void SdkCalls::close(std::uint64_t call_id) {
  const std::scoped_lock lock(mutex_);
  calls_.erase(call_id);
}

}  // namespace svc::sdkclient
