#pragma once

#include <cstddef>
#include <memory>

#include "svc/http/http.h"

#include "admission.h"

namespace svc::routes {

/// The mount of every plugin's HTTP and WebSocket routes. Requests arrive on the io thread.
class RouteMount {
 public:
  explicit RouteMount(std::shared_ptr<Admission> admission) : admission_(std::move(admission)) {}
  /// `body_limit`: plugins.httpBodyMax.
  [[nodiscard]] Status attach(http::IHttpServer& server, const http::BodyLimit& body_limit);

 private:
  using SocketAnswer = Completion<std::shared_ptr<http::IWebSocketHandler>>;

  void handle(const http::ExchangePtr& exchange);
  void accept(http::Request request, SocketAnswer done);

  std::shared_ptr<Admission> admission_;
  Handle requests_;
  Handle sockets_;
};

}  // namespace svc::routes
