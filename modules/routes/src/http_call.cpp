#include "http_call.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/error_details.h"

#include "request_facts.h"

namespace svc::routes {
namespace {

/// What the script answers when the body of its response broke off.
constexpr std::string_view kCut = "cut";

const std::string* headerOf(const http::Response& head, std::string_view name) {
  const auto found = std::find_if(
      head.headers.begin(), head.headers.end(),
      [name](const http::Header& header) { return http::equalsIgnoreCase(header.name, name); });
  return found == head.headers.end() ? nullptr : &found->value;
}

void addMissing(http::Response& head, const char* name, const char* value) {
  if (headerOf(head, name) == nullptr) {
    head.headers.push_back({name, value});
  }
}

/// No browser runs scripts of these as a page, nor of pictures, sound, video and fonts. A viewer for PDF does not start in a sandbox.
constexpr std::array<std::string_view, 13> kInert = {
    "application/gzip", "application/javascript", "application/json", "application/octet-stream",
    "application/pdf",  "application/wasm",       "application/zip",  "text/css",
    "text/csv",         "text/event-stream",      "text/javascript",  "text/markdown",
    "text/plain"};
constexpr std::array<std::string_view, 4> kInertFamilies = {"image/", "audio/", "video/", "font/"};

/// Whether browsers may run scripts of a page of this type: HTML, SVG and other XML, what they guess, and what is no type that is known.
bool isActive(const std::string* content_type) {
  if (content_type == nullptr || content_type->find(',') != std::string::npos) {
    return true;  // of a list they take the last
  }
  const auto type = base::lowerAscii(
      http::trimmed(std::string_view(*content_type).substr(0, content_type->find(';'))));
  const auto is = [&type](std::string_view known) { return type == known; };
  const auto begins = [&type](std::string_view family) { return type.starts_with(family); };
  return !(std::any_of(kInert.begin(), kInert.end(), is) || type.ends_with("+json") ||
           (std::any_of(kInertFamilies.begin(), kInertFamilies.end(), begins) &&
            !type.ends_with("xml")));
}

}  // namespace

HttpCall::HttpCall(http::ExchangePtr exchange, std::string plugin_id, Auth auth)
    : exchange_(std::move(exchange)),
      plugin_id_(std::move(plugin_id)),
      auth_(auth),
      on_disconnect_(exchange_->disconnected(), RequestStop{stop_}) {}

void HttpCall::run(const http::ExchangePtr& exchange, const plugins::GenerationPtr& generation,
                   const LoadStatePtr& load, const std::string& key, Auth auth) {
  const auto call = std::make_shared<HttpCall>(exchange, generation->pluginId(), auth);
  const auto id = load->calls.add(call);
  script::Invocation invocation{.function = "http.request",
                                .meta = requestFacts(exchange->request(), id, key),
                                .body = {},
                                .stop = call->stop_.get_token()};
  generation->invokeStreaming("http:" + key, std::move(invocation), call->returned_.get_token(),
                              [call, load, id](Result<std::string> result) {
                                load->calls.remove(id);
                                call->ended(std::move(result));
                              });
}

void HttpCall::ended(Result<std::string> result) {
  if (!result) {
    fail(std::move(result).error());
  } else if (result.value() == kCut) {
    exchange_->abort();
  }
}

/// An answer that has begun can only be cut off.
void HttpCall::fail(Error error) {
  auto response = refusal(common::withDetail(std::move(error), "pluginId", plugin_id_), {});
  addProtection(response, auth_);
  exchange_->respond(std::move(response));
  exchange_->abort();
}

void HttpCall::read(Completion<std::string> done) {
  exchange_->read(
      [self = shared_from_this(), done = std::move(done)](Result<std::string> piece) mutable {
        if (!piece && piece.error().code != errc::kAborted) {
          self->fail(piece.error());
          self->stop_.request_stop();
        }
        done(std::move(piece));
      });
}

void HttpCall::respond(http::Response response, std::string body) {
  addProtection(response, auth_);
  response.body = std::move(body);
  exchange_->respond(std::move(response));
}

void HttpCall::begin(http::Response head) {
  returned_.request_stop();
  addProtection(head, auth_);
  exchange_->begin(std::move(head));
}

void HttpCall::write(std::string piece, Completion<std::string> done) {
  exchange_->write(std::move(piece), [done = std::move(done)](Status taken) mutable {
    done(taken ? Result<std::string>(std::string()) : std::move(taken).error());
  });
}

void HttpCall::finish() { exchange_->finish(); }

void addProtection(http::Response& head, Auth auth) {
  // It would let a plugin's script answer for every page of the window, also when the plugin is gone.
  std::erase_if(head.headers, [](const http::Header& header) {
    return http::equalsIgnoreCase(header.name, "service-worker-allowed");
  });
  if (auth == Auth::kLocal) {
    addMissing(head, "cross-origin-resource-policy", "same-origin");
    return;
  }
  addMissing(head, "x-content-type-options", "nosniff");
  if (isActive(headerOf(head, "content-type"))) {
    addMissing(head, "content-security-policy", "sandbox allow-scripts allow-forms");
  }
}

http::Response refusal(const Error& error, const std::string& allow) {
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.body = common::errorEnvelope(error);
  if (!allow.empty()) {
    response.headers.push_back({"allow", allow});
  }
  if (error.code == errc::kOverloaded) {
    response.headers.push_back({"retry-after", "1"});
  }
  return response;
}

}  // namespace svc::routes
