#include "forms.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

namespace svc::mcp {
namespace {

using common::Json;

std::string cancelled(std::string_view reason) {
  return Json::object().set("outcome", "cancelled").set("reason", reason).dump();
}

std::string idOf(const http::ExchangePtr& exchange) {
  return std::string(exchange->request().parameter("form"));
}

Error noForm() { return {errc::kNotFound, "this form is not open, or not any more"}; }

void answerOk(http::IExchange& exchange, const Json& members) {
  exchange.respond(
      {.headers = {{"Cache-Control", "no-store"}}, .body = common::okEnvelope(members)});
}

}  // namespace

std::string Forms::open(agents::FormRequest request, std::string client,
                        Completion<common::RawJson> done) {
  auto id = parts_.random();
  const auto timeout = request.timeout;
  auto& form = forms_[id];
  form.request = std::move(request);
  form.client = std::move(client);
  form.done = std::move(done);
  form.created_at = parts_.clock.nowMs();
  form.timer = parts_.reactor.after(timeout, [weak = weak_from_this(), id] {
    if (const auto self = weak.lock()) {
      self->cancel(id, "timeout");
    }
  });
  return id;
}

void Forms::cancel(const std::string& id, std::string_view reason) { end(id, cancelled(reason)); }

void Forms::end(const std::string& id, std::string outcome) {
  const auto found = forms_.find(id);
  if (found == forms_.end()) {
    return;
  }
  auto form = std::move(found->second);
  forms_.erase(found);
  form.done(common::RawJson(std::move(outcome)));
}

Result<std::vector<Handle>> Forms::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    void (Forms::*handle)(const http::ExchangePtr& exchange);
  };
  std::vector<Handle> routes;
  for (const auto& entry : {Entry{"GET", "/api/v1/mcp/forms/:form", &Forms::show},
                            Entry{"POST", "/api/v1/mcp/forms/:form/respond", &Forms::respond},
                            Entry{"POST", "/api/v1/mcp/forms/:form/cancel", &Forms::withdraw}}) {
    auto route =
        server.route({.method = entry.method, .pattern = entry.pattern},
                     [self = shared_from_this(), handle = entry.handle](
                         const http::ExchangePtr& exchange) { ((*self).*handle)(exchange); });
    if (!route) {
      return std::move(route).error();
    }
    routes.push_back(std::move(route).value());
  }
  return routes;
}

void Forms::show(const http::ExchangePtr& exchange) {
  const auto found = forms_.find(idOf(exchange));
  if (found == forms_.end()) {
    exchange->fail(noForm());
    return;
  }
  const auto& [id, form] = *found;
  answerOk(*exchange,
           Json::object().set(
               "form", Json::object()
                           .set("id", id)
                           .set("pluginId", form.request.plugin_id)
                           .set("client", form.client.empty() ? Json() : Json(form.client))
                           .set("rendererId", form.request.renderer_id)
                           .set("title", form.request.title)
                           .set("data", Json::raw(form.request.payload))
                           .set("createdAt", form.created_at)
                           .set("expiresAt", form.created_at + form.request.timeout.count())));
}

void Forms::respond(const http::ExchangePtr& exchange) {
  auto body = common::BodyReader::parse(exchange->request().body);
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  const auto* const value = body.value().body().find("value");
  if (value == nullptr) {
    body.value().issue("Required: the answer", {Json("value")});
  }
  if (auto status = body.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  const auto text = value->dump();
  if (text.size() > limits::kInputPayload) {
    exchange->fail(
        Error{errc::kTooLarge,
              fmt::format("the answer has {} bytes as JSON, the limit inputPayload is {}",
                          text.size(), limits::kInputPayload)});
    return;
  }
  const auto id = idOf(exchange);
  if (!isOpen(id)) {
    exchange->fail(noForm());
    return;
  }
  end(id, R"({"outcome":"submitted","value":)" + text + "}");
  answerOk(*exchange, Json::object());
}

void Forms::withdraw(const http::ExchangePtr& exchange) {
  const auto id = idOf(exchange);
  if (!isOpen(id)) {
    exchange->fail(noForm());
    return;
  }
  cancel(id, "user");
  answerOk(*exchange, Json::object());
}

}  // namespace svc::mcp
