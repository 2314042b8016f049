#include "access_routes.h"

#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/json.h"

namespace svc::http {
namespace {

constexpr const char* kEnter = "/api/v1/access/enter";

std::string withoutSlash(std::string address) {
  while (address.ends_with('/')) {
    address.pop_back();
  }
  return address;
}

}  // namespace

Status AccessRoutes::attach(IHttpServer& server) {
  auto links = server.route({.method = "POST", .pattern = "/api/v1/access/links"},
                            [this](const ExchangePtr& exchange) { makeLink(exchange); });
  // The code is the proof.
  auto entrance = server.route({.method = "GET", .pattern = kEnter, .guard = Guard::kHost},
                               [this](const ExchangePtr& exchange) { enter(exchange); });
  if (!links || !entrance) {
    return links ? entrance.error() : links.error();
  }
  routes_.push_back(std::move(links).value());
  routes_.push_back(std::move(entrance).value());
  return {};
}

void AccessRoutes::makeLink(const ExchangePtr& exchange) {
  const auto code = proof_->newLink(clock_.steadyNow());
  const auto url = withoutSlash(address_()) + kEnter + "?code=" + code;
  exchange->respond({.headers = {{"cache-control", "no-store"}},
                     .body = common::okEnvelope(common::Json::object().set("url", url))});
}

void AccessRoutes::enter(const ExchangePtr& exchange) {
  const auto code = exchange->request().queryParameter("code").value_or("");
  if (!proof_->redeem(code, clock_.steadyNow())) {
    exchange->respond({.status = 403,
                       .content_type = "text/plain; charset=utf-8",
                       .headers = {{"cache-control", "no-store"}},
                       .body = "This link was used already or is older than five minutes. `svc "
                               "open` prints another one.\n"});
    return;
  }
  exchange->respond({.status = 303,
                     .content_type = {},
                     .headers = {{"location", exchange->request().base_path + "/"},
                                 {"set-cookie", proof_->setCookie(exchange->request().secure)},
                                 {"cache-control", "no-store"},
                                 {"referrer-policy", "no-referrer"}},
                     .body = {}});
}

}  // namespace svc::http
