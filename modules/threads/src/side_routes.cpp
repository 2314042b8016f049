#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "input.h"
#include "requests.h"
#include "thread_limits.h"
#include "thread_routes.h"

namespace svc::threads {

using common::Json;

namespace {

std::string parameterOf(const http::ExchangePtr& exchange, std::string_view name) {
  return std::string(exchange->request().parameter(name));
}

std::string threadIn(const http::ExchangePtr& exchange) {
  return parameterOf(exchange, "threadId");
}

/// The body after its reader has no issue left; the exchange is answered otherwise.
template <class Read>
bool readInto(const http::ExchangePtr& exchange, Read read) {
  auto body = readBody(exchange->request());
  auto checked = body ? Status{} : Status{body.error()};
  if (checked) {
    read(body.value());
    checked = body.value().finish();
  }
  if (!checked) {
    exchange->fail(checked.error());
  }
  return checked.ok();
}

std::optional<std::string> neighbourOf(common::BodyReader& body, const char* key) {
  return body.body()[key].isNull() ? std::nullopt : body.optionalString(key);
}

}  // namespace

std::vector<ThreadRoutes::Entry> ThreadRoutes::sideEntries() {
  using Routes = ThreadRoutes;
  return {
      {"GET", "/api/v1/threads/:threadId/interactions", &Routes::interactions},
      {"GET", "/api/v1/threads/:threadId/interactions/:interactionId", &Routes::interaction},
      {"POST", "/api/v1/threads/:threadId/interactions/:interactionId/resolve", &Routes::resolve},
      {"POST", "/api/v1/threads/:threadId/interactions/:interactionId/respond", &Routes::respondTo},
      {"POST", "/api/v1/threads/:threadId/interactions/:interactionId/cancel", &Routes::cancel},
      {"GET", "/api/v1/threads/:threadId/queued-messages", &Routes::queued},
      {"POST", "/api/v1/threads/:threadId/queued-messages", &Routes::createQueued},
      {"POST", "/api/v1/threads/:threadId/queued-messages/group-boundary", &Routes::groupQueued},
      {"PATCH", "/api/v1/threads/:threadId/queued-messages/:queuedMessageId",
       &Routes::updateQueued},
      {"DELETE", "/api/v1/threads/:threadId/queued-messages/:queuedMessageId",
       &Routes::removeQueued},
      {"POST", "/api/v1/threads/:threadId/queued-messages/:queuedMessageId/send",
       &Routes::sendQueued},
      {"POST", "/api/v1/threads/:threadId/queued-messages/:queuedMessageId/reorder",
       &Routes::reorderQueued},
      {"GET", "/api/v1/threads/:threadId/tabs", &Routes::tabs},
      {"PUT", "/api/v1/threads/:threadId/tabs", &Routes::setTabs},
      {"GET", "/api/v1/threads/:threadId/plugin-metadata/:pluginId", &Routes::metadata},
      {"PUT", "/api/v1/threads/:threadId/plugin-metadata/:pluginId", &Routes::setMetadata},
      {"GET", "/api/v1/thread-sections", &Routes::sections},
      {"POST", "/api/v1/thread-sections", &Routes::createSection},
      {"PATCH", "/api/v1/thread-sections/:id", &Routes::renameSection},
      {"DELETE", "/api/v1/thread-sections/:id", &Routes::removeSection}};
}

void ThreadRoutes::interactions(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "interactions", desk_.interactions.list(threadIn(exchange)));
}

void ThreadRoutes::interaction(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "interaction",
         desk_.interactions.get(threadIn(exchange), parameterOf(exchange, "interactionId")));
}

void ThreadRoutes::resolve(const http::ExchangePtr& exchange) {
  Json resolution;
  if (!readInto(exchange, [&resolution](common::BodyReader& body) {
        const auto& inside = body.body()["resolution"];
        resolution = inside.isObject() ? inside : body.body();
      })) {
    return;
  }
  desk_.interactions.resolve(threadIn(exchange), parameterOf(exchange, "interactionId"), resolution,
                             [exchange](Result<Json> record) {
                               answer(*exchange, 200, "interaction", std::move(record));
                             });
}

void ThreadRoutes::respondTo(const http::ExchangePtr& exchange) {
  Json value;
  if (readInto(exchange, [&value](common::BodyReader& body) {
        const auto* given = body.body().find("value");
        if (given == nullptr) {
          body.issue("Required: the answer", {Json("value")});
          return;
        }
        value = *given;
        if (const auto bytes = value.dump().size(); bytes > limits::kInputPayload) {
          body.issue(fmt::format("the answer has {} bytes as JSON, the limit inputPayload is {}",
                                 bytes, limits::kInputPayload),
                     {Json("value")});
        }
      })) {
    answer(*exchange, 200, "interaction",
           desk_.interactions.respond(threadIn(exchange), parameterOf(exchange, "interactionId"),
                                      value));
  }
}

void ThreadRoutes::cancel(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "interaction",
         desk_.interactions.cancel(threadIn(exchange), parameterOf(exchange, "interactionId"),
                                   "user"));
}

void ThreadRoutes::queued(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "queuedMessages", desk_.queue.list(threadIn(exchange)));
}

void ThreadRoutes::updateQueued(const http::ExchangePtr& exchange) {
  Json input;
  std::int64_t expected = 0;
  if (readInto(exchange, [&](common::BodyReader& body) {
        input = readInput(body);
        const auto number = bodyNumber(body, "expectedUpdatedAt");
        if (!number || input.isNull()) {
          body.issue("Required: input and expectedUpdatedAt", {});
        }
        expected = number.value_or(0);
      })) {
    answer(*exchange, 200, "queuedMessage",
           desk_.queue.update(threadIn(exchange), parameterOf(exchange, "queuedMessageId"), input,
                              expected));
  }
}

void ThreadRoutes::removeQueued(const http::ExchangePtr& exchange) {
  const auto removed =
      desk_.queue.remove(threadIn(exchange), parameterOf(exchange, "queuedMessageId"));
  answer(*exchange, removed ? Result<Json>(Json::object()) : removed.error());
}

void ThreadRoutes::sendQueued(const http::ExchangePtr& exchange) {
  // Both modes put the row before all others: no agent can be told something in the middle of its turn.
  if (readInto(exchange, [](common::BodyReader& body) {
        const auto mode = body.requiredString("mode");
        if (mode != "auto" && mode != "steer") {
          body.issue("Expected auto or steer", {Json("mode")});
        }
      })) {
    desk_.runner.sendQueued(
        threadIn(exchange), parameterOf(exchange, "queuedMessageId"),
        [exchange](Result<Json> sent_now) { answer(*exchange, std::move(sent_now)); });
  }
}

void ThreadRoutes::reorderQueued(const http::ExchangePtr& exchange) {
  std::optional<std::string> previous;
  std::optional<std::string> next;
  std::optional<std::string> boundary;
  if (readInto(exchange, [&](common::BodyReader& body) {
        if (body.body().find("groupBoundaryQueuedMessageId") != nullptr) {
          boundary = neighbourOf(body, "groupBoundaryQueuedMessageId").value_or(std::string());
        }
        previous = neighbourOf(body, "previousQueuedMessageId");
        next = neighbourOf(body, "nextQueuedMessageId");
      })) {
    answer(*exchange, 200, "queuedMessages",
           desk_.queue.reorder(threadIn(exchange), parameterOf(exchange, "queuedMessageId"),
                               previous, next, boundary));
  }
}

void ThreadRoutes::groupQueued(const http::ExchangePtr& exchange) {
  std::string boundary;
  std::vector<std::string> expected;
  if (readInto(exchange, [&](common::BodyReader& body) {
        boundary = neighbourOf(body, "groupBoundaryQueuedMessageId").value_or(std::string());
        expected = body.requiredStrings("expectedGroupedPrefixQueuedMessageIds");
      })) {
    answer(*exchange, 200, "queuedMessages",
           desk_.queue.setGroupBoundary(threadIn(exchange), boundary, expected));
  }
}

void ThreadRoutes::tabs(const http::ExchangePtr& exchange) {
  answer(*exchange, desk_.extras.tabs(threadIn(exchange)));
}

void ThreadRoutes::setTabs(const http::ExchangePtr& exchange) {
  Json wanted;
  std::int64_t expected = 0;
  if (readInto(exchange, [&](common::BodyReader& body) {
        wanted = body.body()["tabs"];
        for (const auto& tab : wanted.items()) {
          if (!tab["id"].isString() || !tab["kind"].isString()) {
            body.issue("each tab needs the strings id and kind", {Json("tabs")});
          }
        }
        const auto number = bodyNumber(body, "expectedRevision");
        if (!number || !wanted.isArray()) {
          body.issue("Required: expectedRevision and the array tabs", {});
        }
        expected = number.value_or(0);
      })) {
    answer(*exchange, desk_.extras.setTabs(threadIn(exchange), expected, wanted));
  }
}

void ThreadRoutes::metadata(const http::ExchangePtr& exchange) {
  if (const auto plugin_id = pluginIn(exchange)) {
    answer(*exchange, 200, "metadata", desk_.extras.metadata(threadIn(exchange), *plugin_id));
  }
}

std::optional<std::string> ThreadRoutes::pluginIn(const http::ExchangePtr& exchange) {
  auto plugin_id = parameterOf(exchange, "pluginId");
  if (auto checked = desk_.around.check_plugin(plugin_id); !checked) {
    exchange->fail(checked.error());
    return std::nullopt;
  }
  return plugin_id;
}

void ThreadRoutes::setMetadata(const http::ExchangePtr& exchange) {
  const auto plugin_id = pluginIn(exchange);
  Json members;
  if (plugin_id && readInto(exchange, [&members](common::BodyReader& body) {
        members = body.body()["metadata"];
        if (!members.isObject()) {
          body.issue("Required: an object", {Json("metadata")});
        }
      })) {
    answer(*exchange, 200, "metadata",
           desk_.extras.setMetadata(threadIn(exchange), *plugin_id, members));
  }
}

void ThreadRoutes::sections(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "threadSections", desk_.extras.sections());
}

void ThreadRoutes::createSection(const http::ExchangePtr& exchange) {
  std::string name;
  if (readInto(exchange, [&name](common::BodyReader& body) {
        name = readName(body, "name", kSectionName);
      })) {
    answer(*exchange, 201, "threadSection", desk_.extras.createSection(name));
  }
}

void ThreadRoutes::renameSection(const http::ExchangePtr& exchange) {
  std::string name;
  if (readInto(exchange, [&name](common::BodyReader& body) {
        name = readName(body, "name", kSectionName);
      })) {
    answer(*exchange, desk_.extras.renameSection(parameterOf(exchange, "id"), name));
  }
}

void ThreadRoutes::removeSection(const http::ExchangePtr& exchange) {
  answer(*exchange, desk_.extras.removeSection(parameterOf(exchange, "id")));
}

}  // namespace svc::threads
