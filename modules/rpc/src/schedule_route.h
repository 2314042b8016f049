#pragma once

#include "svc/http/http.h"
#include "svc/plugins/schedules.h"

namespace svc::rpc {

/// `POST /plugins/:id/schedules/:name/run`: runs a schedule beside its timetable and answers when it has ended. The run
/// goes on when the client goes away. Requests arrive on the io thread, answers leave from the main thread.
class ScheduleRoute {
 public:
  explicit ScheduleRoute(plugins::ISchedules& schedules) : schedules_(schedules) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void run(const http::ExchangePtr& exchange);

  plugins::ISchedules& schedules_;
  Handle route_;
};

}  // namespace svc::rpc
