#include "generation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "generation_observer.h"
#include "log_line.h"
#include "termination_text.h"

namespace svc::plugins {
namespace {

constexpr std::size_t kMaxProblems = 100;

std::string describe(const script::ScriptError& error) {
  return error.name.empty() ? error.message : fmt::format("{}: {}", error.name, error.message);
}

}  // namespace

Generation::Generation(std::string plugin_id, std::uint64_t load_id, std::uint64_t number,
                       std::shared_ptr<Meters> meters, GenerationContext context)
    : plugin_id_(std::move(plugin_id)),
      load_id_(load_id),
      number_(number),
      meters_(std::move(meters)),
      context_(std::move(context)) {}

void Generation::setRegistration(const std::string& kind, common::Json value) {
  const std::scoped_lock lock(mutex_);
  registrations_[kind] = std::move(value);
}

common::Json Generation::registration(const std::string& kind) const {
  const std::scoped_lock lock(mutex_);
  const auto found = registrations_.find(kind);
  return found == registrations_.end() ? common::Json() : found->second;
}

std::shared_ptr<script::IScriptInstance> Generation::instance() const {
  const std::scoped_lock lock(mutex_);
  return instance_;
}

void Generation::attach(std::shared_ptr<script::IScriptInstance> instance) {
  meters_->addEnvironment(instance);
  const std::scoped_lock lock(mutex_);
  instance_ = std::move(instance);
}

std::string Generation::masked(std::string text) const {
  return context_.logs->mask().apply(std::move(text));
}

PluginError Generation::shownError(std::string message, std::string stack,
                                   std::string source) const {
  return {context_.clock.nowMs(), masked(std::move(message)), masked(std::move(stack)),
          std::move(source)};
}

Error Generation::annotate(Error error) const {
  const bool ended = error.code == errc::kPluginNotRunning;
  if (ended) {
    // The environment answers its calls before it tells of its end; one that is given up does not answer them at all.
    const auto end = termination();
    const auto why = end && end->reason != script::TerminationReason::kRequested
                         ? terminationText(*end)
                         : std::exchange(error.message, {});
    if (const auto loaded = context_.loaded.lock()) {
      error = loaded->notRunning(plugin_id_);
    }
    error.message = fmt::format("plugin \"{}\" stopped before the call was answered", plugin_id_);
    if (!why.empty() && why != script::kEnvironmentEnded) {
      error.message += ": " + why;
    }
  }
  const auto given = error.details.empty() ? Result<common::Json>(common::Json::object())
                                           : common::Json::parse(error.details);
  auto details = given ? given.value() : common::Json::object();
  details.set("pluginId", plugin_id_);
  error.message = masked(std::move(error.message));
  if (ended && !closing_) {
    // The end of the environment is news that the status does not show yet.
    details.set("status", statusName(PluginStatus::kError)).set("statusDetail", error.message);
  }
  error.details = context_.logs->mask().applyJson(details.dump());
  if (!error.issues.empty()) {
    error.issues = context_.logs->mask().applyJson(error.issues);
  }
  return error;
}

GenerationPtr Generation::lease() {
  {
    const std::scoped_lock lock(mutex_);
    ++in_flight_;
  }
  return {this, [self = shared_from_this()](IGeneration*) { self->endCall(); }};
}

void Generation::call(std::string function, std::string meta, Completion<std::string> done) {
  if (const auto target = instance()) {
    target->invoke({std::move(function), std::move(meta), "", {}}, std::move(done));
  } else {
    done(Error{errc::kPluginNotRunning, script::kEnvironmentEnded});
  }
}

void Generation::whenIdle(Completion<void> done) {
  {
    const std::scoped_lock lock(mutex_);
    if (in_flight_ > 0) {
      idle_waiters_.push_back(std::move(done));
      return;
    }
  }
  done({});
}

void Generation::whenEnded(Completion<void> done) {
  {
    const std::scoped_lock lock(mutex_);
    if (!termination_) {
      end_waiters_.push_back(std::move(done));
      return;
    }
  }
  done({});
}

std::size_t Generation::inFlight() const {
  const std::scoped_lock lock(mutex_);
  return in_flight_;
}

void Generation::terminate(std::string why, Completion<void> done) {
  std::shared_ptr<script::IScriptInstance> target;
  closing_ = true;
  {
    const std::scoped_lock lock(mutex_);
    target = std::exchange(instance_, nullptr);
  }
  if (!target) {
    done({});
    return;
  }
  // The instance lives until its thread has gone: dropping it earlier would be a second, unobserved
  // end.
  target->terminate(std::move(why), [target, meters = meters_,
                                     answer = std::move(done)](const Status& status) mutable {
    meters->removeEnvironment(*target);
    answer(status);
  });
}

bool Generation::endForMemory(const std::string& why) {
  std::shared_ptr<script::IScriptInstance> target;
  {
    const std::scoped_lock lock(mutex_);
    target = instance_;
  }
  if (!target) {
    return false;
  }
  reportEnded({script::TerminationReason::kHeapLimit, 0, why, ""});
  target->terminate(why, [target](const Status&) {});
  return true;
}

std::shared_ptr<script::IScriptObserver> Generation::observer() {
  return std::make_shared<GenerationObserver>(weak_from_this());
}

void Generation::log(std::string_view level, std::string_view message) {
  logWithStack(level, std::string(message), "");
}

void Generation::logWithStack(std::string_view level, std::string message, std::string stack) {
  context_.logs->write(plugin_id_, {.at = context_.clock.nowMs(),
                                    .level = std::string(level),
                                    .generation = number_,
                                    .message = std::move(message),
                                    .stack = std::move(stack)});
}

void Generation::addProblem(Problem problem) {
  problem.message = masked(std::move(problem.message));
  log("warn", problem.message);
  problem.message = cutStatus(std::move(problem.message));
  {
    const std::scoped_lock lock(mutex_);
    if (problems_.size() >= kMaxProblems) {
      return;
    }
    problems_.push_back(std::move(problem));
  }
  context_.changed(shared_from_this());
}

void Generation::removeProblem(std::string_view code) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::erase_if(problems_, [code](const auto& problem) { return problem.code == code; }) ==
        0) {
      return;
    }
  }
  context_.changed(shared_from_this());
}

void Generation::addUnsupported(std::string member) {
  {
    const std::scoped_lock lock(mutex_);
    if (unsupported_.size() >= kMaxProblems || !unsupported_.insert(std::move(member)).second) {
      return;
    }
  }
  context_.changed(shared_from_this());
}

std::vector<std::string> Generation::unsupported() const {
  const std::scoped_lock lock(mutex_);
  return {unsupported_.begin(), unsupported_.end()};
}

std::vector<Problem> Generation::problems() const {
  const std::scoped_lock lock(mutex_);
  return problems_;
}

std::optional<script::Termination> Generation::termination() const {
  const std::scoped_lock lock(mutex_);
  return termination_;
}

std::string Generation::needsConfiguration() const {
  const std::scoped_lock lock(mutex_);
  return needs_configuration_;
}

std::vector<std::string> Generation::services() const {
  const std::scoped_lock lock(mutex_);
  return services_;
}

std::string Generation::stall() const {
  const std::scoped_lock lock(mutex_);
  return stall_;
}

void Generation::reportNeedsConfiguration(std::string message) {
  message = cutStatus(masked(std::move(message)));
  {
    const std::scoped_lock lock(mutex_);
    needs_configuration_ = message.empty() ? "the plugin needs configuration" : std::move(message);
  }
  context_.changed(shared_from_this());
}

void Generation::addService(std::string name) {
  {
    const std::scoped_lock lock(mutex_);
    services_.push_back(std::move(name));
  }
  context_.changed(shared_from_this());
}

void Generation::reportServiceFailure(const std::string& service, const std::string& message,
                                      const std::string& stack, bool out_of_band) {
  logWithStack("error", fmt::format("service \"{}\" failed: {}", service, message), stack);
  auto error = shownError(message, stack, "service:" + service);
  if (out_of_band) {
    meters_->recordOutOfBand(std::move(error));
  } else {
    meters_->recordError(std::move(error));
  }
}

void Generation::reportUncaught(const script::ScriptError& error, const std::string& origin) {
  logWithStack("error", fmt::format("uncaught {} error: {}", origin, describe(error)), error.stack);
  meters_->recordOutOfBand(shownError(describe(error), error.stack, origin));
}

void Generation::reportStall(std::chrono::milliseconds blocked_for, const std::string& stack) {
  auto text = fmt::format("the event loop has not answered for {:.3g} s",
                          std::chrono::duration<double>(blocked_for).count());
  if (const auto line = blockingLine(stack); !line.empty()) {
    text += "; it is blocked at " + line;
  }
  meters_->recordStall();
  logWithStack("warn", text, stack);
  {
    const std::scoped_lock lock(mutex_);
    stall_ = std::move(text);
  }
  context_.changed(shared_from_this());
  // Any answer, be it that nothing handles this, shows that the loop turns again.
  call("plugin.answering", "", [weak = weak_from_this()](const Result<std::string>&) {
    if (const auto self = weak.lock()) {
      self->clearStall();
    }
  });
}

void Generation::clearStall() {
  {
    const std::scoped_lock lock(mutex_);
    if (stall_.empty()) {
      return;
    }
    stall_.clear();
  }
  context_.changed(shared_from_this());
}

void Generation::reportEnded(const script::Termination& termination) {
  std::shared_ptr<script::IScriptInstance> ended;  // released outside the lock
  std::vector<Completion<void>> waiters;
  {
    const std::scoped_lock lock(mutex_);
    if (termination_) {
      return;  // who ended it has said why
    }
    termination_ = termination;
    termination_->message = masked(std::move(termination_->message));
    termination_->stack = masked(std::move(termination_->stack));
    ended = std::exchange(instance_, nullptr);
    waiters.swap(end_waiters_);
  }
  if (ended) {
    meters_->removeEnvironment(*ended);
  }
  failCalls();
  for (auto& waiter : waiters) {
    waiter({});
  }
  context_.changed(shared_from_this());
}

}  // namespace svc::plugins
