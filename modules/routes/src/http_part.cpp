#include "http_part.h"

#include <string_view>
#include <utility>

#include "svc/common/json.h"
#include "svc/common/limits/http.h"

#include "http_call.h"
#include "plugin_socket.h"
#include "request_facts.h"
#include "routes_scripts.h"

namespace svc::routes {
namespace {

using common::Json;
using Done = Completion<std::string>;
using TokenUsed = std::function<void(const std::string& plugin_id)>;

Error answered() { return Error{errc::kAborted, "the request has been answered"}; }

/// "<id> <rest>"
std::pair<std::string, std::string_view> splitId(std::string_view argument) {
  const auto space = std::min(argument.find(' '), argument.size());
  return {std::string(argument.substr(0, space)),
          argument.substr(std::min(space + 1, argument.size()))};
}

/// Sends the head of an answer, with its whole body or as the begin of one in pieces.
template <class Send>
void sendHead(const LoadStatePtr& load, std::string_view argument, Done done, const Send& send) {
  const auto [id, text] = splitId(argument);
  const auto call = load->calls.find(id);
  auto head = responseHead(text);
  if (!call) {
    done(answered());
  } else if (!head) {
    done(std::move(head).error());
  } else {
    send(*call, std::move(head).value());
    done(std::string());
  }
}

std::vector<script::HostFunction> callFunctions(const LoadStatePtr& load) {
  return script::hostFunctions({
      {.name = "http.read",
       .transfer =
           [load](const std::string& id, const std::string&, Done done) {
             if (const auto call = load->calls.find(id)) {
               call->read(std::move(done));
             } else {
               done(answered());
             }
           }},
      {.name = "http.respond",
       .transfer =
           [load](const std::string& argument, std::string bytes, Done done) {
             sendHead(load, argument, std::move(done),
                      [&bytes](HttpCall& call, http::Response head) {
                        call.respond(std::move(head), std::move(bytes));
                      });
           }},
      {.name = "http.begin",
       .transfer =
           [load](const std::string& argument, const std::string&, Done done) {
             sendHead(load, argument, std::move(done),
                      [](HttpCall& call, http::Response head) { call.begin(std::move(head)); });
           }},
      {.name = "http.write",
       .transfer =
           [load](const std::string& id, std::string bytes, Done done) {
             if (const auto call = load->calls.find(id)) {
               call->write(std::move(bytes), std::move(done));
             } else {
               done(answered());
             }
           }},
      {.name = "http.finish",
       .transfer =
           [load](const std::string& id, const std::string&, Done done) {
             if (const auto call = load->calls.find(id)) {
               call->finish();
             }
             done(std::string());
           }},
  });
}

std::vector<script::HostFunction> socketFunctions(const LoadStatePtr& load) {
  return script::hostFunctions({
      {.name = "http.sendText",
       .sync = [load](const std::string& argument) -> Result<std::string> {
         const auto [id, text] = splitId(argument);
         if (const auto socket = load->sockets.find(id)) {
           socket->sendText(std::string(text));
         }
         return std::string();
       }},
      {.name = "http.sendBinary",
       .transfer =
           [load](const std::string& id, std::string bytes, Done done) {
             if (const auto socket = load->sockets.find(id)) {
               socket->sendBinary(std::move(bytes));
             }
             done(std::string());
           }},
      {.name = "http.closeSocket",
       .sync = [load](const std::string& argument) -> Result<std::string> {
         const auto closed = Json::parse(argument);
         if (!closed) {
           return closed.error();
         }
         if (const auto socket = load->sockets.find(closed.value()["id"].asString())) {
           socket->close(static_cast<std::uint16_t>(closed.value()["code"].asInteger()),
                         closed.value()["reason"].asString());
         }
         return std::string();
       }},
      {.name = "http.messageLimit",
       .sync = [](const std::string&) -> Result<std::string> {
         return std::to_string(limits::kPluginWsMessage);
       }},
  });
}

std::vector<script::HostFunction> registrationFunctions(const LoadStatePtr& load,
                                                        const std::string& plugin_id,
                                                        const TokenUsed& token_used) {
  const auto registration = [load, plugin_id, token_used](auto add) {
    return [load, plugin_id, token_used, add](const std::string& text) -> Result<std::string> {
      const auto route = Json::parse(text);
      const auto auth = route ? authOf(route.value()["auth"].asString()) : std::nullopt;
      if (!auth) {
        return Error{errc::kInvalidArgument, "not a route: " + text};
      }
      add(load->routes, route.value(), *auth);
      if (*auth == Auth::kToken) {
        token_used(plugin_id);
      }
      return std::string();
    };
  };
  return script::hostFunctions(
      {{.name = "http.addRoute",
        .sync = registration([](PluginRoutes& routes, const Json& route, Auth auth) {
          routes.addRoute(route["method"].asString(), route["path"].asString(), auth);
        })},
       {.name = "http.addSocket",
        .sync = registration([](PluginRoutes& routes, const Json& route, Auth auth) {
          routes.addSocket(route["path"].asString(), auth);
        })}});
}

}  // namespace

plugins::ApiPart httpPart(std::shared_ptr<Loads> loads, TokenUsed token_used) {
  return {.name = "http",
          .script = scripts::kHttp,
          .functions = [loads = std::move(loads), token_used = std::move(token_used)](
                           const std::weak_ptr<plugins::IGeneration>& generation) {
            std::vector<script::HostFunction> functions;
            const auto held = generation.lock();
            if (!held) {
              return functions;
            }
            const auto load = loads->create(held->loadId(), generation);
            const auto add = [&functions](std::vector<script::HostFunction> group) {
              std::ranges::move(group, std::back_inserter(functions));
            };
            add(registrationFunctions(load, held->pluginId(), token_used));
            add(callFunctions(load));
            add(socketFunctions(load));
            return functions;
          }};
}

}  // namespace svc::routes
