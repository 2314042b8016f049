#include "open_api.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/code_list.h"

namespace svc::http {
namespace {

using common::Json;

constexpr std::string_view kPrefix = "/api/v1/";
constexpr std::array<std::string_view, 5> kAnyMethod{"GET", "POST", "PUT", "PATCH", "DELETE"};

struct Address {
  std::string path;                ///< with {parameters}
  std::vector<std::string> names;  ///< of them, in order
};

Address addressOf(std::string_view pattern) {
  Address out;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);
    const auto segment = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(segment.size());
    const bool is_rest = segment == "*";
    if (is_rest || segment.starts_with(':')) {
      // OpenAPI has no parameter of several segments; the pattern says that it is one.
      out.names.emplace_back(is_rest ? "rest" : segment.substr(1));
      out.path += fmt::format("/{{{}}}", out.names.back());
    } else {
      out.path += fmt::format("/{}", segment);
    }
  }
  return out;
}

const char* guardName(Guard guard) {
  switch (guard) {
    case Guard::kLocal:
      return "local";
    case Guard::kUpload:
      return "upload";
    case Guard::kHost:
      return "host";
    case Guard::kNone:
      return "none";
    case Guard::kDeferred:
      return "deferred";
  }
  return "none";
}

bool takesBody(std::string_view method) { return method != "GET" && method != "DELETE"; }

/// Statuses of failures that a route of this kind has before its handler is asked.
std::map<std::string, std::string> failuresOf(const Endpoint& endpoint, std::string_view method,
                                              bool has_parameters) {
  std::map<std::string, std::string> out;
  if (endpoint.guard != Guard::kNone) {
    out.emplace("403", "forbidden_origin or forbidden_user: who may call");
  }
  if (has_parameters) {
    out.emplace("404", "what the address names does not exist");
  }
  if (takesBody(method)) {
    out.emplace("400", "invalid_json or invalid_input: the body does not fit");
    out.emplace("413", "too_large: the body is above the limit of the route");
    if (endpoint.guard == Guard::kLocal) {
      out.emplace("415", "unsupported_media_type: the body is not declared as JSON");
    }
  }
  if (!endpoint.plugin_parameter.empty()) {
    out.emplace("503", "plugin_not_running or overloaded");
  }
  return out;
}

Json failure(std::string_view description) {
  return Json::object()
      .set("description", description)
      .set("content",
           Json::object().set(
               "application/json",
               Json::object().set("schema",
                                  Json::object().set("$ref", "#/components/schemas/Failure"))));
}

Json responsesOf(const Endpoint& endpoint, std::string_view method, bool has_parameters) {
  auto out = Json::object();
  if (endpoint.method == kWebSocketMethod) {
    out.set("101", Json::object().set("description", "the WebSocket is open"));
  } else {
    out.set("2XX", Json::object().set("description", "the answer"));
  }
  for (const auto& [status, description] : failuresOf(endpoint, method, has_parameters)) {
    out.set(status, failure(description));
  }
  out.set("default", failure("any other failure"));
  return out;
}

Json parametersOf(const std::vector<std::string>& names) {
  auto out = Json::array();
  for (const auto& name : names) {
    out.push(Json::object()
                 .set("name", name)
                 .set("in", "path")
                 .set("required", true)
                 .set("schema", Json::object().set("type", "string")));
  }
  return out;
}

/// "get_plugins_id_rpc": unique, because method and path are.
std::string operationId(std::string_view method, std::string_view path) {
  std::string out;
  for (const char c : fmt::format("{}_{}", method, path.substr(kPrefix.size()))) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.ends_with('_') && c != '}') {
      out += '_';
    }
  }
  return out;
}

Json operationOf(const Endpoint& endpoint, std::string_view method, const Address& address) {
  const auto tag = endpoint.pattern.substr(kPrefix.size());
  const bool is_socket = endpoint.method == kWebSocketMethod;
  auto out = Json::object();
  out.set("operationId", operationId(is_socket ? "socket" : method, address.path));
  out.set("tags", Json(Json::Array{tag.substr(0, tag.find('/'))}));
  if (!address.names.empty()) {
    out.set("parameters", parametersOf(address.names));
  }
  if (takesBody(method) && !is_socket) {
    const auto* type = endpoint.guard == Guard::kLocal ? "application/json" : "*/*";
    out.set("requestBody", Json::object().set("content", Json::object().set(type, Json::object())));
    out.set("x-svc-body-limit", static_cast<std::uint64_t>(endpoint.body_limit.get()));
  }
  out.set("responses", responsesOf(endpoint, method, !address.names.empty()));
  out.set("x-svc-guard", guardName(endpoint.guard));
  out.set("x-svc-pattern", endpoint.pattern);
  if (endpoint.method == "*") {
    out.set("x-svc-any-method", true);
  }
  if (is_socket) {
    out.set("x-svc-websocket", true);
  }
  return out;
}

Json failureSchema() {
  auto codes = Json::array();
  for (const auto code : common::wireCodes()) {
    codes.push(std::string(code.name()));
  }
  const auto text = [] { return Json::object().set("type", "string"); };
  auto error = Json::object();
  error.set("type", "object");
  error.set("required", Json(Json::Array{"code", "message"}));
  error.set("properties", Json::object()
                              .set("code", text().set("examples", std::move(codes)))
                              .set("message", text())
                              .set("issues", Json::object().set("type", "array"))
                              .set("details", Json::object()));
  return Json::object()
      .set("type", "object")
      .set("required", Json(Json::Array{"ok", "error"}))
      .set("properties",
           Json::object().set("ok", Json::object().set("const", false)).set("error", error));
}

std::vector<EndpointPtr> sorted(const std::vector<EndpointPtr>& endpoints) {
  std::vector<EndpointPtr> out;
  std::copy_if(endpoints.begin(), endpoints.end(), std::back_inserter(out),
               [](const EndpointPtr& each) { return each->pattern.starts_with(kPrefix); });
  std::sort(out.begin(), out.end(), [](const EndpointPtr& left, const EndpointPtr& right) {
    return std::tie(left->pattern, left->method) < std::tie(right->pattern, right->method);
  });
  return out;
}

/// Adds what is one operation for the document: a route of any method is one of each. What is there already stays: a route that
/// names its method comes before one that takes any, as with requests; a socket beside a GET is noted there.
void addTo(Json& path, const Endpoint& endpoint, const Address& address) {
  const auto add = [&](std::string_view method) {
    std::string name(method);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (path.find(name) == nullptr) {
      path.set(name, operationOf(endpoint, method, address));
    }
  };
  if (endpoint.method == "*") {
    std::for_each(kAnyMethod.begin(), kAnyMethod.end(), add);
  } else if (endpoint.method == kWebSocketMethod) {
    if (const auto* get = path.find("get"); get != nullptr) {
      auto both = *get;
      path.set("get", both.set("x-svc-websocket", true));
    } else {
      add("GET");
    }
  } else {
    add(endpoint.method);
  }
}

}  // namespace

Json openApi(const std::vector<EndpointPtr>& endpoints, std::string_view version) {
  std::map<std::string, Json> paths;
  // '(' and '*' sort before letters: the exact methods of a path have to come first.
  auto routes = sorted(endpoints);
  std::stable_partition(routes.begin(), routes.end(), [](const EndpointPtr& each) {
    return each->method != "*" && each->method != kWebSocketMethod;
  });
  for (const auto& endpoint : routes) {
    const auto address = addressOf(endpoint->pattern);
    addTo(paths.try_emplace(address.path, Json::object()).first->second, *endpoint, address);
  }
  auto all = Json::object();
  for (auto& [path, operations] : paths) {
    all.set(path, std::move(operations));
  }
  auto info = Json::object();
  info.set("title", "svc");
  info.set("version", version);
  info.set(
      "description",
      "What bodies and answers hold is said by /docs/openapi.json, failures by /docs/errors.html.");
  auto out = Json::object();
  out.set("openapi", "3.1.0");
  out.set("info", std::move(info));
  out.set("paths", std::move(all));
  out.set("components",
          Json::object().set("schemas", Json::object().set("Failure", failureSchema())));
  return out;
}

}  // namespace svc::http
