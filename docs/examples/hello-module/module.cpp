// Serves GET /api/v1/hello/<name>. What this file shows: the descriptor, a configuration key, a required service, a
// registration that undoes itself.
#include "svc/kernel/module.h"

#include <array>
#include <memory>

#include "svc/common/envelope.h"
#include "svc/http/http.h"

#include "greeter.h"

namespace hello {
namespace {

using svc::common::Json;

constexpr std::array<svc::ServiceId, 0> kProvides{};
constexpr std::array kRequires{svc::Requirement{svc::http::IHttpServer::kId}};
constexpr std::array kConfig{svc::ConfigKey{"hello.greeting", svc::ConfigType::kString, "Hello",
                                            "first word of every greeting"}};

class HelloModule final : public svc::Module {
 public:
  svc::Status start(svc::ModuleContext& context) override {
    auto server = context.services.require<svc::http::IHttpServer>();
    if (!server) {
      return server.error();
    }
    greeter_ = std::make_unique<Greeter>(context.config.getString("hello.greeting"));
    auto route = server.value()->route(
        {"GET", "/api/v1/hello/:name"},
        [this](const svc::http::ExchangePtr& exchange) { answer(*exchange); });
    if (!route) {
      return route.error();
    }
    route_ = std::move(route).value();
    return {};
  }

  void stop() override { route_.reset(); }

 private:
  // On the io thread: it must not block.
  void answer(svc::http::IExchange& exchange) const {
    const auto& [parameter, name] = exchange.request().path_parameters.front();
    auto text = greeter_->greet(name);
    svc::http::Response response;
    if (text) {
      response.body =
          svc::common::okEnvelope(Json::object().set("greeting", std::move(text).value()));
    } else {
      response.status = 400;
      response.body = svc::common::errorEnvelope(text.error());
    }
    exchange.respond(std::move(response));
  }

  // In start order: the route goes first, so no request reaches a greeter that is gone.
  std::unique_ptr<Greeter> greeter_;
  svc::Handle route_;
};

}  // namespace
}  // namespace hello

SVC_MODULE(hello::HelloModule, "hello", "1.0.0", hello::kProvides, hello::kRequires,
           hello::kConfig);
