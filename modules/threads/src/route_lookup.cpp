#include "route_lookup.h"

#include <memory>
#include <utility>

namespace svc::threads {

void askRoute(http::IHttpServer& server, std::string target, Completion<common::Json> done) {
  using common::Json;
  http::Request request;
  request.method = "GET";
  request.target = std::move(target);
  server.dispatch(std::move(request), {},
                  [done = std::make_shared<Completion<Json>>(std::move(done))](
                      const Result<http::Response>& answer) {
                    const bool found = answer && answer.value().status == 200;
                    auto body = found ? Json::parse(answer.value().body) : Result<Json>(Json());
                    (*done)(body ? std::move(body).value() : Json());
                  });
}

}  // namespace svc::threads
