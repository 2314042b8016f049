#include "tool_request.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/common/limits/cli.h"

namespace svc::agents {
namespace {

using common::Json;

Json reportJson(const ToolProgress& report) {
  auto json = Json::object().set("progress", report.progress);
  if (report.total) {
    json.set("total", *report.total);
  }
  if (!report.message.empty()) {
    json.set("message", report.message);
  }
  return json;
}

}  // namespace

ToolRequest::ToolRequest(http::ExchangePtr exchange, http::IReactor& reactor, const IClock& clock,
                         std::shared_ptr<const FormPage> page)
    : exchange_(std::move(exchange)),
      reactor_(reactor),
      clock_(clock),
      plugin_id_(exchange_->request().parameter("id")),
      name_(exchange_->request().parameter("name")),
      started_(clock.steadyNow()),
      on_disconnect_(exchange_->disconnected(), RequestStop{stop_}),
      page_(std::move(page)) {}

void ToolRequest::start(IAgentTools& tools) {
  armKeepAlive();
  limit_ = reactor_.after(limits::kCliRun, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->expire();
    }
  });
  auto body = std::move(exchange_->request().body);
  tools.callOf(plugin_id_, name_, common::RawJson(body.empty() ? "{}" : std::move(body)), context(),
               stop_.get_token(),
               [self = shared_from_this(), &reactor = reactor_](Result<ToolResult> result) {
                 auto held = std::make_shared<Result<ToolResult>>(std::move(result));
                 reactor.post([self, held] { self->finish(std::move(*held)); });
               });
}

ToolContext ToolRequest::context() {
  ToolContext context;
  if (exchange_->request().queryParameter("progress") == "true") {
    context.progress = [weak = weak_from_this(), &reactor = reactor_](const ToolProgress& report) {
      reactor.post([weak, line = reportJson(report).dump()] {
        if (const auto self = weak.lock()) {
          self->writeLine(line);
        }
      });
    };
  }
  if (page_ && exchange_->request().queryParameter("forms") == "true") {
    context.ask = [weak = weak_from_this(), &reactor = reactor_](FormRequest request,
                                                                 Completion<common::RawJson> done) {
      auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
      reactor.post([weak, request = std::move(request), held] {
        if (const auto self = weak.lock()) {
          self->openForm(request, std::move(*held));
        } else {
          (*held)(Error{errc::kAborted, "the call has ended"});
        }
      });
    };
  }
  return context;
}

void ToolRequest::openForm(FormRequest request, Completion<common::RawJson> done) {
  if (finished_) {
    done(Error{errc::kAborted, "the call has ended"});
    return;
  }
  if (!form_.empty()) {
    done(Error{errc::kConflict, "this call shows another form already"});
    return;
  }
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  form_ = page_->open(std::move(request),
                      [weak = weak_from_this(), held](Result<common::RawJson> outcome) {
                        if (const auto self = weak.lock()) {
                          self->form_.clear();
                        }
                        (*held)(std::move(outcome));
                      });
  writeLine(Json::object().set("formId", form_).dump());
}

void ToolRequest::armKeepAlive() {
  keep_alive_ = reactor_.after(limits::kCliKeepAlive, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->writeLine("");
      self->armKeepAlive();
    }
  });
}

void ToolRequest::writeLine(const std::string& line) {
  if (finished_) {
    return;
  }
  if (!std::exchange(begun_, true)) {
    http::Response head;
    head.headers.push_back({"Cache-Control", "no-store, no-transform"});
    head.headers.push_back({"X-Accel-Buffering", "no"});
    exchange_->begin(std::move(head));
  }
  exchange_->write(line + "\n");
}

void ToolRequest::expire() {
  finish(Error{
      errc::kTimeout,
      fmt::format("the tool {} of plugin \"{}\" did not end within {} min", name_, plugin_id_,
                  std::chrono::duration_cast<std::chrono::minutes>(limits::kCliRun).count())});
  stop_.request_stop();
}

void ToolRequest::finish(Result<ToolResult> result) {
  if (std::exchange(finished_, true)) {
    return;
  }
  keep_alive_.reset();
  limit_.reset();
  if (!form_.empty()) {
    page_->cancel(std::string(form_), "request-aborted");
  }
  http::Response response;
  response.headers.push_back({"Cache-Control", "no-store"});
  if (result) {
    const std::chrono::duration<double, std::milli> took = clock_.steadyNow() - started_;
    response.body = common::okEnvelope(Json::object()
                                           .set("content", Json::raw(result.value().content))
                                           .set("isError", result.value().is_error)
                                           .set("durationMs", took.count()));
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

}  // namespace svc::agents
