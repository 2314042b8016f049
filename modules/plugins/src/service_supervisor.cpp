#include "service_supervisor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

#include "backoff.h"

namespace svc::plugins {

using common::Json;

void ServiceSupervisor::activate(Completion<void> done) {
  main_thread_.check();
  activating_ = true;
  startNew();
  Completion<void> over = [self = shared_from_this(),
                           answer = std::move(done)](const Status&) mutable {
    self->activating_ = false;
    self->activated_ = true;
    // What came while the others were starting.
    self->update();
    answer({});
  };
  if (services_.empty()) {
    over({});
    return;
  }
  auto bounded =
      limited(context_.main, limits::kWatchdog, {errc::kTimeout, "no turn"}, std::move(over));
  generation_->call(
      "service.turn", "",
      deliverOn(context_.main,
                Completion<std::string>([over = std::move(bounded)](
                                            const Result<std::string>&) mutable { over({}); })));
}

void ServiceSupervisor::update() {
  main_thread_.check();
  if (activated_) {
    startNew();
  }
}

void ServiceSupervisor::startNew() {
  if (closed_) {
    return;
  }
  const auto registered = generation_->services();
  while (services_.size() < registered.size()) {
    auto service = std::make_shared<Service>();
    service->shown.name = registered.at(services_.size());
    services_.push_back(service);
    start(service);
  }
}

void ServiceSupervisor::start(const ServicePtr& service) {
  service->shown.state = ServiceState::kRunning;
  service->shown.next_start_at.reset();
  service->started = context_.clock.steadyNow();
  const auto run = ++service->run;
  Completion<std::string> ended = [weak = weak_from_this(), service,
                                   run](const Result<std::string>& answer) {
    const auto self = weak.lock();
    if (self && !self->closed_ && run == service->run) {
      self->answered(service, answer);
    }
  };
  generation_->call("service.run", service->shown.name, deliverOn(context_.main, std::move(ended)));
  context_.changed();
}

void ServiceSupervisor::answered(const ServicePtr& service, const Result<std::string>& answer) {
  main_thread_.check();
  auto& shown = service->shown;
  const bool gone = !answer && (answer.error().code == errc::kPluginNotRunning ||
                                answer.error().code == errc::kAborted);
  if (!answer && !gone) {
    fail(service, Json::object().set("message", answer.error().message));
    return;
  }
  const auto outcome = answer ? Json::parse(answer.value()) : Result<Json>(Json::object());
  if (outcome && outcome.value()["failed"].asBool()) {
    fail(service, outcome.value());
    return;
  }
  shown.state = ServiceState::kStopped;
  context_.changed();
}

void ServiceSupervisor::fail(const ServicePtr& service, const Json& failure) {
  auto& shown = service->shown;
  const auto message = generation_->masked(failure["message"].asString());
  shown.last_error = ServiceError{context_.clock.nowMs(), message};
  service->settle.reset();
  if (context_.clock.steadyNow() - service->started >= limits::kBackoffReset) {
    service->failures = 0;
  }
  if (failure["name"].asString() == "NeedsConfigurationError") {
    needConfiguration(service, message);
    return;
  }
  shown.state = ServiceState::kBackoff;
  if (activating_) {
    service->activation_failure =
        fmt::format("service \"{}\" failed during activation: {}", shown.name, message);
  }
  generation_->reportServiceFailure(shown.name, message, failure["stack"].asString(),
                                    failure["outOfBand"].asBool());
  restartLater(service);
  context_.changed();
}

void ServiceSupervisor::needConfiguration(const ServicePtr& service, const std::string& message) {
  service->shown.state = ServiceState::kStopped;
  service->activation_failure.clear();
  generation_->log(
      "warn", fmt::format("service \"{}\" needs configuration: {}", service->shown.name, message));
  // Reports the change as well.
  generation_->reportNeedsConfiguration(message);
  callStop(service->shown.name, {});
}

void ServiceSupervisor::restartLater(const ServicePtr& service) {
  const auto run = service->run;
  Completion<void> settled = [weak = weak_from_this(), service, run](const Status& status) {
    const auto self = weak.lock();
    if (!self || self->closed_ || run != service->run) {
      return;
    }
    if (!status) {
      self->generation_->log(
          "warn", fmt::format("service \"{}\" did not stop within {} ms after it failed (limit "
                              "serviceStop); it is started beside what is left of it",
                              service->shown.name, limits::kServiceStop.count()));
    }
    self->schedule(service);
  };
  callStop(service->shown.name, limited(context_.main, limits::kServiceStop,
                                        {errc::kTimeout, "still running"}, std::move(settled)));
}

void ServiceSupervisor::schedule(const ServicePtr& service) {
  const auto delay = backoffDelay(service->failures++, context_.random());
  service->shown.next_start_at = context_.clock.nowMs() + delay.count();
  service->restart = context_.main.after(delay, [weak = weak_from_this(), service] {
    if (const auto self = weak.lock()) {
      ++service->shown.restarts;
      self->generation_->recordRestart();
      self->settleLater(service);
      self->start(service);
    }
  });
  context_.changed();
}

void ServiceSupervisor::settleLater(const ServicePtr& service) {
  if (service->activation_failure.empty()) {
    return;
  }
  service->settle = context_.main.after(limits::kBackoffSettle, [weak = weak_from_this(), service] {
    if (const auto self = weak.lock()) {
      service->activation_failure.clear();
      self->context_.changed();
    }
  });
}

void ServiceSupervisor::close() {
  main_thread_.check();
  closed_ = true;
  for (const auto& service : services_) {
    service->restart.reset();
    service->settle.reset();
    service->shown.state = ServiceState::kStopped;
    service->shown.next_start_at.reset();
  }
}

void ServiceSupervisor::stop(const std::string& name, Completion<void> done) {
  main_thread_.check();
  callStop(name, std::move(done));
}

void ServiceSupervisor::callStop(const std::string& name, Completion<void> done) {
  generation_->call(
      "service.stop", name,
      deliverOn(context_.main,
                Completion<std::string>([answer = std::move(done)](
                                            const Result<std::string>&) mutable { answer({}); })));
}

std::vector<std::string> ServiceSupervisor::names() const {
  std::vector<std::string> out;
  for (const auto& service : services_) {
    out.push_back(service->shown.name);
  }
  return out;
}

std::vector<ServiceInfo> ServiceSupervisor::records() const {
  std::vector<ServiceInfo> out;
  for (const auto& service : services_) {
    out.push_back(service->shown);
  }
  return out;
}

std::string ServiceSupervisor::activationFailure() const {
  const auto found = std::find_if(services_.begin(), services_.end(), [](const auto& service) {
    return !service->activation_failure.empty();
  });
  return found == services_.end() ? std::string() : (*found)->activation_failure;
}

}  // namespace svc::plugins
