#include <algorithm>
#include <limits>
#include <utility>

#include "svc/common/codes.h"

#include "input.h"
#include "requests.h"
#include "thread_limits.h"
#include "thread_record.h"
#include "thread_routes.h"
#include "timeline.h"

namespace svc::threads {

using common::Json;

namespace {

std::string threadOf(const http::ExchangePtr& exchange) {
  return std::string(exchange->request().parameter("threadId"));
}

std::string given(common::BodyReader& body, std::string_view key) {
  return body.body()[key].isNull() ? std::string()
                                   : body.optionalString(key).value_or(std::string());
}

/// Answers once; the exchange is what the completion keeps.
Completion<Json> completing(const http::ExchangePtr& exchange) {
  return [exchange](Result<Json> members) { answer(*exchange, std::move(members)); };
}

Completion<Json> completing(const http::ExchangePtr& exchange, unsigned status,
                            const char* member) {
  return [exchange, status, member](Result<Json> record) {
    answer(*exchange, status, member, std::move(record));
  };
}

constexpr const char* kModes[] = {"start", "auto", "queue-if-active", "steer", "steer-if-active"};

Result<SendRequest> readSend(const http::Request& request, const std::string& thread_id,
                             bool with_mode) {
  auto parsed_body = readBody(request);
  if (!parsed_body) {
    return std::move(parsed_body).error();
  }
  auto& body = parsed_body.value();
  SendRequest wanted;
  if (with_mode) {
    wanted.mode = body.requiredString("mode");
    if (std::find(std::begin(kModes), std::end(kModes), wanted.mode) == std::end(kModes) &&
        body.body()["mode"].isString()) {
      body.issue("Expected start, auto, queue-if-active, steer or steer-if-active", {Json("mode")});
    }
  }
  const auto sender = given(body, "senderThreadId");
  wanted.message = {.thread_id = thread_id,
                    .input = readInput(body),
                    .execution = readExecution(body),
                    .sources = readSources(body),
                    .initiator = sender.empty() ? "user" : "agent",
                    .sender_thread_id = sender,
                    .typed = request.caller_plugin.empty()};
  if (!request.caller_plugin.empty()) {
    wanted.message.origin = "plugin";
    wanted.message.origin_plugin_id = request.caller_plugin;
  }
  if (wanted.message.input.isNull() && body.finish()) {
    body.issue("Required: an array of at least one block", {Json("input")});
  }
  wanted.send_at = bodyNumber(body, "sendAt").value_or(0);
  if (auto checked = body.finish(); !checked) {
    return std::move(checked).error();
  }
  return wanted;
}

}  // namespace

std::vector<ThreadRoutes::Entry> ThreadRoutes::turnEntries() {
  using Routes = ThreadRoutes;
  return {{"POST", "/api/v1/threads/:threadId/send", &Routes::send},
          {"POST", "/api/v1/threads/:threadId/retry", &Routes::retry},
          {"POST", "/api/v1/threads/:threadId/stop", &Routes::stop},
          {"POST", "/api/v1/threads/:threadId/compact", &Routes::compact},
          {"POST", "/api/v1/threads/:threadId/edit-message", &Routes::editMessage},
          {"GET", "/api/v1/threads/:threadId/output", &Routes::output},
          {"GET", "/api/v1/threads/:threadId/prompt-history", &Routes::promptHistory},
          {"GET", "/api/v1/threads/:threadId/default-execution-options", &Routes::executionOptions},
          {"GET", "/api/v1/threads/:threadId/events", &Routes::events},
          {"GET", "/api/v1/threads/:threadId/events/wait", &Routes::waitForEvent}};
}

std::vector<ThreadRoutes::ReadEntry> ThreadRoutes::readEntries() {
  using Routes = ThreadRoutes;
  return {{"/api/v1/threads/:threadId/timeline", &Routes::timeline},
          {"/api/v1/threads/:threadId/timeline/turns/:turnId", &Routes::turnRows},
          {"/api/v1/threads/:threadId/conversation-outline", &Routes::outline}};
}

Status ThreadRoutes::knowsSender(const SendRequest& wanted) const {
  const auto& sender = wanted.message.sender_thread_id;
  if (sender.empty() || desk_.book.thread(sender)) {
    return {};
  }
  return Error{errc::kInvalidInput, "senderThreadId: there is no thread \"" + sender + "\""};
}

void ThreadRoutes::send(const http::ExchangePtr& exchange) {
  auto wanted = readSend(exchange->request(), threadOf(exchange), true);
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  if (const auto known = knowsSender(wanted.value()); !known) {
    return exchange->fail(known.error());
  }
  desk_.runner.send(std::move(wanted).value(), completing(exchange));
}

void ThreadRoutes::retry(const http::ExchangePtr& exchange) {
  auto parsed_body = readBody(exchange->request());
  if (!parsed_body) {
    return exchange->fail(parsed_body.error());
  }
  auto& body = parsed_body.value();
  auto request_id = given(body, "turnRequestId");
  const auto send_at = bodyNumber(body, "sendAt").value_or(0);
  if (const auto checked = body.finish(); !checked) {
    return exchange->fail(checked.error());
  }
  desk_.runner.retry(threadOf(exchange), std::move(request_id), send_at, completing(exchange));
}

void ThreadRoutes::stop(const http::ExchangePtr& exchange) {
  desk_.runner.stop(threadOf(exchange), "manual-stop", completing(exchange, 200, "thread"));
}

void ThreadRoutes::compact(const http::ExchangePtr& exchange) {
  const auto thread = desk_.book.thread(threadOf(exchange));
  if (!thread) {
    return exchange->fail(thread.error());
  }
  const bool busy = isBusy(threadStateOf(thread.value().status).value_or(ThreadState::kIdle));
  exchange->fail({errc::kConflict,
                  busy ? "the thread is busy; wait for the end of its turn"
                       : "the agent of this thread compacts its context by itself only; some take "
                         "a command for it as a message, such as /compact"});
}

void ThreadRoutes::editMessage(const http::ExchangePtr& exchange) {
  auto body = readBody(exchange->request());
  if (!body) {
    return exchange->fail(body.error());
  }
  (void)body.value().requiredString("operationId");
  if (readInput(body.value()).isNull() && body.value().finish()) {
    body.value().issue("Required: an array of at least one block", {Json("input")});
  }
  if (const auto checked = body.value().finish(); !checked) {
    return exchange->fail(checked.error());
  }
  if (const auto thread = desk_.book.thread(threadOf(exchange)); !thread) {
    return exchange->fail(thread.error());
  }
  exchange->fail({errc::kConflict,
                  "the agent of this thread cannot go back to an earlier message; fork the thread "
                  "there, or say it as a new message"});
}

void ThreadRoutes::output(const http::ExchangePtr& exchange) {
  const auto id = threadOf(exchange);
  const auto thread = desk_.book.thread(id);
  answer(*exchange, 200, "output",
         thread ? Result<Json>(lastAssistantText(desk_.book.store(), id)) : thread.error());
}

void ThreadRoutes::timeline(const http::ExchangePtr& exchange, const std::stop_token& stop) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max() - 1;
  auto& request = exchange->request();
  const auto limit = queryNumber(request, "segmentLimit", 1, kSegmentsMax);
  const auto before = queryNumber(request, "beforeAnchorSeq", 1, kAny);
  const auto after = queryNumber(request, "afterSequence", 0, kAny);
  for (const auto* number : {&limit, &before, &after}) {
    if (!*number) {
      return exchange->fail(number->error());
    }
  }
  if (before.value().has_value() != request.queryParameter("beforeAnchorId").has_value()) {
    return exchange->fail({errc::kInvalidInput,
                           "beforeAnchorSeq and beforeAnchorId: expected both, as olderCursor has "
                           "them, or none"});
  }
  const auto nested = queryFlag(request, "includeNestedRows");
  const auto summary = queryFlag(request, "summaryOnly");
  if (!nested || !summary) {
    return exchange->fail(nested ? summary.error() : nested.error());
  }
  const auto id = threadOf(exchange);
  const auto live = desk_.live.of(id);
  answer(*exchange,
         desk_.timelines.read(
             {.thread_id = id,
              .segment_limit = static_cast<std::size_t>(limit.value().value_or(kSegments)),
              .before_anchor_seq = before.value().value_or(0),
              .after_sequence = after.value(),
              .include_nested = nested.value().value_or(false),
              .summary_only = summary.value().value_or(false),
              .stop = stop},
             live));
}

void ThreadRoutes::turnRows(const http::ExchangePtr& exchange, const std::stop_token& stop) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max() - 1;
  const auto first = queryNumber(exchange->request(), "sourceSeqStart", 1, kAny);
  const auto last = queryNumber(exchange->request(), "sourceSeqEnd", 1, kAny);
  if (!first || !last || !first.value() || !last.value()) {
    return exchange->fail({errc::kInvalidInput,
                           "sourceSeqStart and sourceSeqEnd: expected the "
                           "numbers of the turn's row"});
  }
  answer(*exchange, readTurnRows(desk_.book, threadOf(exchange), *first.value(), *last.value(),
                                 kTimelineEvents, stop));
}

void ThreadRoutes::outline(const http::ExchangePtr& exchange, const std::stop_token& stop) {
  answer(*exchange, desk_.log.outline(threadOf(exchange), stop));
}

void ThreadRoutes::promptHistory(const http::ExchangePtr& exchange) {
  const auto limit = queryNumber(exchange->request(), "limit", 1, kPageMax);
  if (!limit) {
    return exchange->fail(limit.error());
  }
  answer(*exchange, 200, "entries",
         desk_.log.promptHistory(threadOf(exchange),
                                 static_cast<std::size_t>(limit.value().value_or(kPage))));
}

void ThreadRoutes::executionOptions(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "options", desk_.log.executionOptions(threadOf(exchange)));
}

void ThreadRoutes::events(const http::ExchangePtr& exchange) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max() - 1;
  auto& request = exchange->request();
  const auto after = queryNumber(request, "afterSeq", 0, kAny);
  const auto before = queryNumber(request, "beforeSeq", 0, kAny);
  const auto limit = queryNumber(request, "limit", 1, kPageMax);
  for (const auto* number : {&after, &before, &limit}) {
    if (!*number) {
      return exchange->fail(number->error());
    }
  }
  const auto order = request.queryParameter("order").value_or("asc");
  if (order != "asc" && order != "desc") {
    return exchange->fail({errc::kInvalidInput, "order: expected asc or desc"});
  }
  answer(
      *exchange, 200, "events",
      desk_.log.list({.thread_id = threadOf(exchange),
                      .after_seq = after.value().value_or(0),
                      // Before the first one there is none; a query without a bound says 0.
                      .before_seq = before.value() ? std::max<std::int64_t>(*before.value(), 1) : 0,
                      .descending = order == "desc",
                      .types = queryList(request, "types"),
                      .limit = static_cast<std::size_t>(limit.value().value_or(kPage))}));
}

void ThreadRoutes::waitForEvent(const http::ExchangePtr& exchange) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max() - 1;
  auto& request = exchange->request();
  const auto type = request.queryParameter("type").value_or(std::string());
  const auto after = queryNumber(request, "afterSeq", 0, kAny);
  const auto wait = queryNumber(request, "waitMs", 0, kEventWait.count());
  if (!after || !wait) {
    return exchange->fail(after ? wait.error() : after.error());
  }
  if (type.empty() || !wait.value()) {
    return exchange->fail({errc::kInvalidInput, "type and waitMs: both are required"});
  }
  desk_.log.wait(threadOf(exchange), type, after.value().value_or(0), *wait.value(),
                 completing(exchange, 200, "event"));
}

void ThreadRoutes::createQueued(const http::ExchangePtr& exchange) {
  auto wanted = readSend(exchange->request(), threadOf(exchange), false);
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  if (const auto known = knowsSender(wanted.value()); !known) {
    return exchange->fail(known.error());
  }
  const auto id = threadOf(exchange);
  desk_.runner.queue(std::move(wanted).value(), [this, exchange, id](Result<Json> queued) {
    if (!queued) {
      return exchange->fail(queued.error());
    }
    answer(*exchange, 201, "queuedMessage",
           desk_.queue.get(id, queued.value()["queuedMessageId"].asString()));
    desk_.runner.drain(id);
  });
}

}  // namespace svc::threads
