#include "endpoint.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json_slices.h"
#include "svc/common/limits/http.h"
#include "svc/common/limits/mcp.h"

#include "open_request.h"

namespace svc::mcp {
namespace {

using common::Json;
using common::JsonSlices;

constexpr const char* kPath = "/api/v1/mcp";
constexpr const char* kSession = "Mcp-Session-Id";
/// Of results that clients may keep: they may not, lists are cheap and differ by caller.
constexpr std::string_view kNotKept = R"("ttlMs":0,"cacheScope":"private")";

struct ListMethod {
  std::string_view method;
  ListKind kind;
  std::string_view capability;
};
constexpr std::array<ListMethod, 4> kLists{
    {{"tools/list", ListKind::kTools, "tools"},
     {"prompts/list", ListKind::kPrompts, "prompts"},
     {"resources/list", ListKind::kResources, "resources"},
     {"resources/templates/list", ListKind::kResourceTemplates, "resources"}}};

/// What only clients with a handshake have.
constexpr std::array<std::string_view, 5> kOnlyHandshake{
    "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"};
constexpr std::array<std::string_view, 2> kOnlyModern{"server/discover", "subscriptions/listen"};

template <class List>
bool contains(const List& list, std::string_view method) {
  return std::find(list.begin(), list.end(), method) != list.end();
}

/// A member of an object that was checked as a whole; nullopt when it is not a string.
std::optional<std::string> textMember(std::string_view object, std::string_view member) {
  const auto slices = JsonSlices::skim(object);
  if (!slices || !slices.value().raw(member).starts_with('"')) {
    return std::nullopt;
  }
  return slices.value().text(member);
}

}  // namespace

Result<std::vector<Handle>> Endpoint::attach(http::IHttpServer& server) {
  std::vector<Handle> routes;
  for (const auto& [method, handle] :
       {std::pair{"POST", &Endpoint::post}, std::pair{"GET", &Endpoint::get},
        std::pair{"DELETE", &Endpoint::notAllowed}}) {
    auto route =
        server.route({.method = method,
                      .pattern = kPath,
                      .guard = http::Guard::kLocal,
                      .body_limit = limits::kRpcBody},
                     [self = shared_from_this(), handle](const http::ExchangePtr& exchange) {
                       ((*self).*handle)(exchange);
                     });
    if (!route) {
      return std::move(route).error();
    }
    routes.push_back(std::move(route).value());
  }
  return routes;
}

std::optional<TokenPtr> Endpoint::admit(http::IExchange& exchange) const {
  const auto* const sent = exchange.request().header("Authorization");
  if (sent == nullptr) {
    return TokenPtr();
  }
  constexpr std::string_view kScheme = "bearer ";
  const auto text = http::trimmed(*sent);
  // A proxy's password, which it has looked at and passes on: a client with it has no token.
  constexpr std::string_view kPassword = "basic ";
  if (http::equalsIgnoreCase(text.substr(0, kPassword.size()), kPassword)) {
    return TokenPtr();
  }
  auto token = http::equalsIgnoreCase(text.substr(0, kScheme.size()), kScheme)
                   ? tokens_->find(http::trimmed(text.substr(kScheme.size())))
                   : nullptr;
  if (!token) {
    ++surroundings().counters->unauthorized;
    unauthorized(exchange, "this is no token of the service, or one that was revoked");
    return std::nullopt;
  }
  tokens_->used(*token);
  return token;
}

void Endpoint::recognise(Incoming& incoming) const {
  const auto& request = incoming.exchange->request();
  const auto* const agent = request.header("User-Agent");
  const auto info = JsonSlices::skim(incoming.meta.client_info);
  const auto* const version = request.header("MCP-Protocol-Version");
  Introduction introduction{.agent = agent == nullptr ? std::string() : *agent,
                            .token = incoming.token};
  if (info) {
    introduction.name = info.value().text("name");
    introduction.version = info.value().text("version");
  }
  if (incoming.message.method == "initialize") {
    if (const auto params = JsonSlices::skim(incoming.message.params)) {
      introduction.capabilities = params.value().raw("capabilities");
    }
    introduction.revision =
        negotiated(textMember(incoming.message.params, "protocolVersion").value_or(std::string()));
    incoming.session = sessionFor(surroundings().random(), introduction);
  } else if (incoming.modern()) {
    introduction.revision = kNewest;
  } else if (version != nullptr) {
    introduction.revision = *version;
  }
  incoming.client = surroundings().clients->seen(incoming.scopedSession(), std::move(introduction));
}

void Endpoint::get(const http::ExchangePtr& exchange) {
  const auto token = admit(*exchange);
  if (!token) {
    return;
  }
  const auto& request = exchange->request();
  const auto* const version = request.header("MCP-Protocol-Version");
  const auto* const session = request.header(kSession);
  // A stream of its own is for clients with a handshake; others use subscriptions/listen.
  if (request.method != "GET" || !takesStreams(request) ||
      (version != nullptr && *version == kNewest)) {
    notAllowed(exchange);
    return;
  }
  Incoming incoming{.exchange = exchange, .message = {}, .meta = {}, .token = *token};
  incoming.session = session == nullptr ? std::string() : session->substr(0, limits::kMcpSession);
  recognise(incoming);
  streams_->open(incoming);
}

void Endpoint::notAllowed(const http::ExchangePtr& exchange) {
  exchange->respond({.status = 405, .content_type = {}, .headers = {{"Allow", "POST"}}});
}

void Endpoint::post(const http::ExchangePtr& exchange) {
  auto& counters = *surroundings().counters;
  ++counters.requests;
  const auto token = admit(*exchange);
  if (!token) {
    return;
  }
  const auto& request = exchange->request();
  auto parsed = parseMessage(request.body);
  auto refusal = std::get_if<Refusal>(&parsed);
  if (refusal != nullptr) {
    ++counters.refused;
    respond(*exchange, refusal->status, errorText(*refusal));
    return;
  }
  Incoming incoming{.exchange = exchange,
                    .message = std::move(std::get<Message>(parsed)),
                    .meta = {},
                    .token = *token};
  const auto refused = [&](Refusal why) {
    ++counters.refused;
    why.id = incoming.message.id.empty() ? "null" : incoming.message.id;
    respond(*exchange, why.status, errorText(why));
  };
  auto meta = readMeta(incoming.message);
  if (auto* const bad = std::get_if<Refusal>(&meta)) {
    refused(std::move(*bad));
    return;
  }
  incoming.meta = std::move(std::get<Meta>(meta));
  auto era = eraOf(request, incoming.message, incoming.meta);
  if (auto* const bad = std::get_if<Refusal>(&era)) {
    refused(std::move(*bad));
    return;
  }
  incoming.era = std::get<Era>(era);
  if (const auto* const session = request.header(kSession);
      session != nullptr && !incoming.modern() && session->size() <= limits::kMcpSession) {
    incoming.session = *session;
  }
  recognise(incoming);
  exchange->request().body = {};
  if (incoming.message.kind == Message::Kind::kRequest) {
    this->request(std::move(incoming));
    return;
  }
  notification(incoming);
}

void Endpoint::notification(const Incoming& incoming) {
  const auto& message = incoming.message;
  if (message.kind == Message::Kind::kResponse) {
    open_->answered(message);
  } else if (message.method == "notifications/cancelled" && !incoming.modern()) {
    const auto params = JsonSlices::skim(message.params);
    open_->cancel(incoming.scopedSession(),
                  params ? params.value().raw("requestId") : std::string_view());
  }
  incoming.exchange->respond({.status = 202, .content_type = {}});
}

void Endpoint::request(Incoming incoming) {
  const auto& method = incoming.message.method;
  if (contains(incoming.modern() ? std::span<const std::string_view>(kOnlyHandshake)
                                 : std::span<const std::string_view>(kOnlyModern),
               method)) {
    unknownMethod(incoming);
  } else if (method == "ping") {
    result(incoming, {});
  } else if (method == "initialize") {
    answerOnMain(std::move(incoming), &Endpoint::initialize);
  } else if (method == "server/discover") {
    answerOnMain(std::move(incoming), &Endpoint::discover);
  } else if (method == "subscriptions/listen") {
    main_.post(
        [self = shared_from_this(), incoming = std::move(incoming)] { self->listen(incoming); });
  } else if (std::any_of(kLists.begin(), kLists.end(),
                         [&](const ListMethod& list) { return list.method == method; })) {
    answerOnMain(std::move(incoming), &Endpoint::list);
  } else {
    ask(std::move(incoming));
  }
}

void Endpoint::answerOnMain(Incoming incoming, void (Endpoint::*method)(const Incoming&)) {
  main_.post([self = shared_from_this(), incoming = std::move(incoming), method] {
    self->plugins_.settled(limits::kMcpPluginsStart, [self, incoming, method](const Status&) {
      ((*self).*method)(incoming);
    });
  });
}

void Endpoint::initialize(const Incoming& incoming) {
  const auto version = textMember(incoming.message.params, "protocolVersion");
  if (!version) {
    refuse(incoming, badParams("params.protocolVersion must be a string"));
    return;
  }
  auto answer = Json::object()
                    .set("protocolVersion", negotiated(*version))
                    .set("capabilities", catalogue_->capabilities())
                    .set("serverInfo", Json::raw(common::RawJson(surroundings().server_info)));
  if (auto text = catalogue_->instructions(incoming.caller()); !text.empty()) {
    answer.set("instructions", std::move(text));
  }
  http::Response response{.content_type = "application/json",
                          .headers = {{"Cache-Control", "no-store"}, {kSession, incoming.session}},
                          .body = resultText(incoming.message.id, answer.dump())};
  if (incoming.exchange->request().header("Origin") != nullptr) {
    response.headers.push_back({"Access-Control-Expose-Headers", kSession});
  }
  incoming.exchange->respond(std::move(response));
}

void Endpoint::discover(const Incoming& incoming) {
  auto supported = Json::array();
  for (const auto revision : kRevisions) {
    supported.push(revision);
  }
  auto answer = Json::object()
                    .set("supportedVersions", std::move(supported))
                    .set("capabilities", catalogue_->capabilities());
  if (auto text = catalogue_->instructions(incoming.caller()); !text.empty()) {
    answer.set("instructions", std::move(text));
  }
  const auto text = answer.dump();
  result(incoming, std::string(membersOf(text)).append(",").append(kNotKept));
}

void Endpoint::list(const Incoming& incoming) {
  const auto* const found = std::find_if(
      kLists.begin(), kLists.end(),
      [&](const ListMethod& entry) { return entry.method == incoming.message.method; });
  if (catalogue_->capabilities().find(found->capability) == nullptr) {
    unknownMethod(incoming);
    return;
  }
  const auto params = JsonSlices::skim(incoming.message.params);
  const auto cursor = params ? params.value().raw("cursor") : std::string_view();
  if (!cursor.empty() && !cursor.starts_with('"')) {
    refuse(incoming, badParams("params.cursor must be a string"));
    return;
  }
  auto page =
      catalogue_->page(found->kind, incoming.caller(), params ? params.value().text("cursor") : "");
  if (auto* const refusal = std::get_if<Refusal>(&page)) {
    refuse(incoming, std::move(*refusal));
    return;
  }
  auto members = std::move(std::get<std::string>(page));
  if (incoming.modern()) {
    members.append(",").append(kNotKept);
  }
  result(incoming, members);
}

void Endpoint::listen(const Incoming& incoming) {
  if (!takesStreams(incoming.exchange->request())) {
    refuse(incoming, {.code = rpc::kInvalidRequest,
                      .message = "subscriptions/listen is answered as text/event-stream, which the "
                                 "Accept header does not have",
                      .status = 406});
    return;
  }
  auto wanted = wantedOf(incoming.message.params, catalogue_->capabilities());
  if (auto* const refusal = std::get_if<Refusal>(&wanted)) {
    refuse(incoming, std::move(*refusal));
    return;
  }
  surroundings().reactor.post(
      [self = shared_from_this(), incoming, wanted = std::move(std::get<Wanted>(wanted))] {
        if (incoming.revoked()) {
          unauthorized(*incoming.exchange, std::string(kRevoked));
          return;
        }
        self->streams_->listen(incoming, wanted);
      });
}

void Endpoint::result(const Incoming& incoming, std::string_view members) const {
  const auto& id = incoming.message.id;
  respond(*incoming.exchange, 200,
          incoming.modern()
              ? resultText(id, modernResult("complete", surroundings().server_info, members))
              : resultText(id, fmt::format("{{{}}}", members)));
}

void Endpoint::refuse(const Incoming& incoming, Refusal refusal) const {
  mcp::refuse(incoming, std::move(refusal), *surroundings().counters);
}

void Endpoint::unknownMethod(const Incoming& incoming) const {
  refuse(incoming, {.code = rpc::kMethodNotFound,
                    .message = fmt::format("there is no method \"{}\"", incoming.message.method),
                    .status = incoming.modern() ? 404U : 200U});
}

}  // namespace svc::mcp
