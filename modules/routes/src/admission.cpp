#include "admission.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"
#include "svc/http/text.h"

namespace svc::routes {
namespace {

/// `x-svc-plugin-token`, else the bearer token, else `?token=`; "" when none is there.
std::string presentedToken(const http::Request& request) {
  if (const auto* own = request.header("x-svc-plugin-token")) {
    return *own;
  }
  constexpr std::string_view kBearer = "bearer ";
  const auto* authorization = request.header("authorization");
  if (authorization != nullptr &&
      http::equalsIgnoreCase(std::string_view(*authorization).substr(0, kBearer.size()), kBearer)) {
    return authorization->substr(kBearer.size());
  }
  return request.queryParameter("token").value_or("");
}

}  // namespace

struct Admission::Attempt {
  std::shared_ptr<const http::Request> request;
  Kind kind = Kind::kRequest;
  Done done;
  std::string plugin_id{};
  std::string path{};

  void refuse(Error error, std::string allow = {}) {
    done({.refusal = common::withDetail(std::move(error), "pluginId", plugin_id),
          .allow = std::move(allow)});
  }
};

void Admission::admit(std::shared_ptr<const http::Request> request, Kind kind, Done done) {
  auto attempt = std::make_shared<Attempt>(
      Attempt{.request = std::move(request), .kind = kind, .done = std::move(done)});
  attempt->plugin_id = attempt->request->parameter("id");
  attempt->path = fmt::format("/{}", attempt->request->parameter("*"));
  loaded_.acquire(attempt->plugin_id, [weak = weak_from_this(),
                                       attempt](const Result<plugins::GenerationPtr>& generation) {
    if (const auto self = weak.lock()) {
      self->found(attempt, generation);
    } else {
      attempt->refuse(Error{errc::kUnavailable, "the server is shutting down"});
    }
  });
}

Admission::Outcome Admission::match(const Attempt& attempt,
                                    const plugins::GenerationPtr& generation, Auth& auth) const {
  Outcome outcome{.generation = generation, .load = loads_->find(generation->loadId())};
  if (outcome.load) {
    const auto& routes = outcome.load->routes;
    auto route = attempt.kind == Kind::kWebSocket
                     ? routes.findSocket(attempt.path)
                     : routes.findRoute(attempt.request->method, attempt.path);
    outcome.key = std::move(route.key);
    outcome.allow = std::move(route.allow);
    outcome.auth = auth = route.auth;
  }
  return outcome;
}

void Admission::found(const AttemptPtr& attempt, const Result<plugins::GenerationPtr>& generation) {
  const auto& request = *attempt->request;
  if (!generation) {
    auto error = generation.error();
    // Nothing says who may call a plugin that is not there, so strangers learn no details of it.
    if (!server_.check(http::Guard::kUpload, request)) {
      error.details.clear();
      if (error.code == errc::kPluginNotRunning) {
        error.message = fmt::format("plugin \"{}\" is not running", attempt->plugin_id);
      }
    }
    attempt->refuse(std::move(error));
    return;
  }
  auto auth = Auth::kLocal;
  auto outcome = match(*attempt, generation.value(), auth);
  if (outcome.key.empty()) {
    const bool socket = attempt->kind == Kind::kWebSocket;
    auto what = fmt::format("plugin \"{}\" has no {} {}{}", attempt->plugin_id,
                            socket ? "WebSocket" : request.method, attempt->path,
                            outcome.allow.empty() ? "" : "; the path takes " + outcome.allow);
    attempt->refuse(Error{errc::kUnknownRoute, std::move(what)}, std::move(outcome.allow));
    return;
  }
  if (auth == Auth::kToken) {
    outcome = {};  // the lease does not outlast the check
    checkToken(attempt);
    return;
  }
  if (auto allowed = auth == Auth::kLocal ? server_.check(http::Guard::kLocal, request) : Status();
      !allowed) {
    attempt->refuse(allowed.error());
    return;
  }
  attempt->done(std::move(outcome));
}

void Admission::checkToken(const AttemptPtr& attempt) {
  auto presented = presentedToken(*attempt->request);
  const auto unauthorized = [](std::string_view what) {
    return Error{
        errc::kUnauthorized,
        fmt::format("{}; send the plugin's token as x-svc-plugin-token header or as bearer "
                    "token (svc plugin token prints it)",
                    what)};
  };
  if (presented.empty()) {
    attempt->refuse(unauthorized("this route needs a token"));
    return;
  }
  tokens_->check(attempt->plugin_id, std::move(presented),
                 [weak = weak_from_this(), attempt, unauthorized](const Result<bool>& valid) {
                   const auto self = weak.lock();
                   if (!valid) {
                     attempt->refuse(valid.error());
                   } else if (!valid.value()) {
                     attempt->refuse(unauthorized("the token is not valid for this plugin"));
                   } else if (self) {
                     self->lookUp(attempt);
                   } else {
                     attempt->refuse(Error{errc::kUnavailable, "the server is shutting down"});
                   }
                 });
}

void Admission::lookUp(const AttemptPtr& attempt) {
  loaded_.acquire(attempt->plugin_id, [weak = weak_from_this(),
                                       attempt](const Result<plugins::GenerationPtr>& generation) {
    if (const auto self = weak.lock()) {
      self->foundAgain(attempt, generation);
    } else {
      attempt->refuse(Error{errc::kUnavailable, "the server is shutting down"});
    }
  });
}

void Admission::foundAgain(const AttemptPtr& attempt,
                           const Result<plugins::GenerationPtr>& generation) {
  if (!generation) {
    attempt->refuse(generation.error());
    return;
  }
  auto auth = Auth::kLocal;
  auto outcome = match(*attempt, generation.value(), auth);
  if (outcome.key.empty() || auth != Auth::kToken) {
    attempt->refuse(
        Error{errc::kPluginNotRunning, "the route changed while its token was checked; try again"});
    return;
  }
  attempt->done(std::move(outcome));
}

}  // namespace svc::routes
