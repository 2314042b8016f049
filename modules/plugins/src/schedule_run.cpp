#include "schedule_run.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

namespace svc::plugins {

void ScheduleRun::start(const GenerationPtr& generation, Answers answers) {
  answers_ = std::move(answers);
  load_id_ = generation->loadId();
  timer_ = main_.after(limits::kScheduleTimeout, [self = weak_from_this()] {
    if (const auto run = self.lock()) {
      run->overrun();
    }
  });
  const auto meta = common::Json::object()
                        .set("name", name_)
                        .set("scheduledAt", scheduled_at)
                        .set("missed", missed);
  Completion<std::string> done = [self = shared_from_this()](Result<std::string> result) {
    self->settle(result ? Status() : Status(std::move(result).error()));
  };
  generation->invoke(
      "schedule:" + name_,
      {.function = "schedule", .meta = meta.dump(), .body = "", .stop = stop_.get_token()},
      deliverOn(main_, std::move(done)));
}

void ScheduleRun::refuse(Error error, Answers answers) {
  answers_ = std::move(answers);
  settle(std::move(error));
}

void ScheduleRun::abort(const IGeneration& generation) {
  if (load_id_ == generation.loadId()) {
    disposed_ = true;
    stop_.request_stop();
  }
}

void ScheduleRun::overrun() {
  using std::chrono::minutes;
  auto message = fmt::format("it did not finish within {} min (limit scheduleTimeout)",
                             std::chrono::duration_cast<minutes>(limits::kScheduleTimeout).count());
  stop_.request_stop();
  report(Error{errc::kTimeout, std::move(message)});
}

void ScheduleRun::settle(Status status) {
  timer_.reset();
  if (!status && disposed_) {
    status = Error{errc::kAborted,
                   fmt::format("aborted, because the plugin was reloaded or unloaded: {}",
                               status.error().message)};
  }
  report(std::move(status));
  if (const auto settled = std::exchange(answers_.settled, nullptr)) {
    settled();
  }
}

void ScheduleRun::report(Status outcome) {
  if (const auto answer = std::exchange(answers_.outcome, nullptr)) {
    answer(std::move(outcome));
  }
}

}  // namespace svc::plugins
