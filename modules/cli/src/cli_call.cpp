#include "cli_call.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/common/limits.h"

namespace svc::cli {
namespace {

/// The plugin gets the body as it was sent, so this only decides whether it may.
Status checkRequest(const std::string& text) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  if (body.body().isObject()) {
    static_cast<void>(body.requiredStrings("argv"));
    for (const char* member : {"cwd", "threadId", "projectId"}) {
      static_cast<void>(body.optionalString(member));
    }
  }
  return body.finish();
}

/// `result` is a JSON object with at least one member.
std::string okBody(const std::string& result) { return R"({"ok":true,)" + result.substr(1); }

}  // namespace

CliCall::CliCall(http::ExchangePtr exchange, http::IReactor& reactor)
    : exchange_(std::move(exchange)),
      reactor_(reactor),
      plugin_id_(exchange_->request().parameter("id")),
      on_disconnect_(exchange_->disconnected(), RequestStop{stop_}) {}

void CliCall::start(plugins::ILoadedPlugins& loaded) {
  if (auto status = checkRequest(exchange_->request().body); !status) {
    exchange_->fail(status.error());
    return;
  }
  armKeepAlive();
  limit_ = reactor_.after(limits::kCliRun, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->expire();
    }
  });
  loaded.acquire(plugin_id_,
                 [self = shared_from_this()](Result<plugins::GenerationPtr> generation) {
                   self->invoke(std::move(generation));
                 });
}

void CliCall::invoke(Result<plugins::GenerationPtr> generation) {
  if (!generation) {
    answer(std::move(generation).error());
    return;
  }
  if (generation.value()->registration("cli").isNull()) {
    answer(Error{errc::kUnknownCommand, fmt::format("plugin \"{}\" has no command", plugin_id_)});
    return;
  }
  script::Invocation invocation{.function = "cli",
                                .meta = {},
                                .body = std::move(exchange_->request().body),
                                .stop = stop_.get_token()};
  generation.value()->invoke(
      "cli", std::move(invocation),
      [self = shared_from_this()](Result<std::string> result) { self->answer(std::move(result)); });
}

void CliCall::armKeepAlive() {
  keep_alive_ = reactor_.after(limits::kCliKeepAlive, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->keepAlive();
    }
  });
}

void CliCall::keepAlive() {
  if (finished_) {
    return;
  }
  if (!std::exchange(begun_, true)) {
    http::Response head;
    head.headers.push_back({"Cache-Control", "no-store, no-transform"});
    head.headers.push_back({"X-Accel-Buffering", "no"});
    exchange_->begin(std::move(head));
  }
  exchange_->write("\n");
  armKeepAlive();
}

void CliCall::expire() {
  finish(Error{
      errc::kTimeout,
      fmt::format("the command of plugin \"{}\" did not end within {} min", plugin_id_,
                  std::chrono::duration_cast<std::chrono::minutes>(limits::kCliRun).count())});
  stop_.request_stop();
}

void CliCall::answer(Result<std::string> result) {
  auto held = std::make_shared<Result<std::string>>(std::move(result));
  reactor_.post([self = shared_from_this(), held] { self->finish(std::move(*held)); });
}

void CliCall::finish(Result<std::string> result) {
  if (std::exchange(finished_, true)) {
    return;
  }
  keep_alive_.reset();
  limit_.reset();
  http::Response response;
  if (result) {
    response.headers.push_back({"Cache-Control", "no-store"});
    response.body = okBody(result.value());
  } else {
    const auto error = common::withDetail(std::move(result).error(), "pluginId", plugin_id_);
    response.status = common::httpStatus(error.code);
    response.body = common::errorEnvelope(error);
  }
  if (!begun_) {
    exchange_->respond(std::move(response));
    return;
  }
  exchange_->write(std::move(response.body));
  exchange_->finish();
}

}  // namespace svc::cli
