#include "sdk_calls.h"

#include <charconv>
#include <string_view>
#include <utility>

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
  request.method = takeLine(rest);
  request.target = takeLine(rest);
  request.body = rest;
  request.caller_plugin = plugin_id_;
  if (!request.body.empty()) {
    request.headers.push_back({"Content-Type", "application/json"});
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
                     (*done)(fmt::format("{}\n{}", response.value().status, response.value().body));
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
