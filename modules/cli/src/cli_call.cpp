#include "cli_call.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/common/limits/cli.h"

#include "run_command.h"

namespace svc::cli {
namespace {

using common::Json;

/// The plugin gets the body as it was sent, so this only decides whether it may. Gives the plugin whose child process
/// asks; empty for others.
Result<std::string> checkRequest(const std::string& text) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  std::string caller;
  if (body.body().isObject()) {
    static_cast<void>(body.requiredStrings("argv"));
    for (const char* member : {"cwd", "threadId", "projectId"}) {
      static_cast<void>(body.optionalString(member));
    }
    caller = body.optionalString("callerPluginId").value_or("");
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return caller;
}

bool isLoaded(const plugins::ILoadedPlugins& loaded, const std::string& plugin_id) {
  const auto all = loaded.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& generation) { return generation->pluginId() == plugin_id; });
}

bool isStarting(const Error& error) {
  const auto details = Json::parse(error.details);
  return details && details.value()["status"].asString() == "starting";
}

/// Without a status: who gets this does not wait for one.
Error ownLoad(const std::string& plugin_id) {
  return {
      errc::kPluginNotRunning,
      fmt::format("plugin \"{}\" is still loading; its own commands answer when its factory has "
                  "returned",
                  plugin_id)};
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
  const auto caller = checkRequest(exchange_->request().body);
  if (!caller) {
    exchange_->fail(caller.error());
    return;
  }
  // Its factory would wait for a command that waits for the factory.
  own_load_ = caller.value() == plugin_id_ && !isLoaded(loaded, plugin_id_);
  armKeepAlive();
  limit_ = reactor_.after(limits::kCliRun, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->expire();
    }
  });
  const auto answered = std::make_shared<std::atomic<bool>>(false);
  runCommand(loaded, plugin_id_, std::move(exchange_->request().body), stop_.get_token(),
             [self = shared_from_this(), answered](Result<std::string> result) {
               answered->store(true);
               self->answer(std::move(result));
             });
  if (own_load_ && !answered->load()) {
    stop_.request_stop();
    finish(ownLoad(plugin_id_));
  }
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
  if (!result && own_load_ && isStarting(result.error())) {
    result = ownLoad(plugin_id_);
  }
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
