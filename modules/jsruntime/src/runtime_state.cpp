#include "runtime_state.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <node_version.h>

#include "svc/common/codes.h"

#include "jsruntime_scripts.h"

namespace svc::jsruntime {

using script::IScriptInstance;

namespace {

/// What a prepared environment can be taken for: the rest of the limits is told later.
bool isUsual(const script::ScriptLimits& limits) {
  constexpr script::ScriptLimits kUsual;
  return limits.heap_bytes == kUsual.heap_bytes && limits.bufferBytes() == kUsual.bufferBytes();
}

constexpr std::chrono::minutes kBuilderLimit{2};

/// What a caller of create() holds.
class Instance final : public IScriptInstance {
 public:
  explicit Instance(std::shared_ptr<Environment> environment)
      : environment_(std::move(environment)) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() override {
    environment_->end(
        {script::TerminationReason::kRequested, 0, "the environment is no longer used", ""});
  }
  void invoke(script::Invocation invocation, Completion<std::string> done) override {
    environment_->invoke(std::move(invocation), std::move(done));
  }
  void terminate(std::string why, Completion<void> done) override {
    environment_->terminate(std::move(why), std::move(done));
  }
  [[nodiscard]] script::ScriptStats stats() const override { return environment_->stats(); }

 private:
  std::shared_ptr<Environment> environment_;
};

}  // namespace

/// Reports on the builder in the runtime's log.
class RuntimeState::BuilderObserver final : public script::IScriptObserver {
 public:
  explicit BuilderObserver(std::weak_ptr<RuntimeState> state) : state_(std::move(state)) {}

  void onUncaughtError(const script::ScriptError& error, const std::string&) override {
    log(spdlog::level::warn, error.stack.empty() ? error.message : error.stack);
  }
  void onConsole(const std::string&, const std::string& text) override {
    log(spdlog::level::debug, text);
  }
  void onHandlerError(const script::ScriptError& error, const std::string&,
                      const std::string&) override {
    log(spdlog::level::warn, error.stack);
  }
  void onStall(std::chrono::milliseconds, const std::string&) override {}
  void onEnded(const script::Termination& termination) override {
    if (const auto state = state_.lock()) {
      state->builderEnded(termination);
    }
  }

 private:
  void log(spdlog::level::level_enum level, const std::string& text) {
    if (const auto state = state_.lock(); state && state->options_.log) {
      state->options_.log->log(level, "builder: {}", text);
    }
  }

  std::weak_ptr<RuntimeState> state_;
};

RuntimeState::RuntimeState(RuntimeOptions options)
    : options_(std::move(options)), supervisor_(options_.kill_children_after) {}

RuntimeState::~RuntimeState() { joinFinished(); }

// ---- environments ------------------------------------------------------------------------------------------------

Result<std::shared_ptr<Environment>> RuntimeState::startEnvironment(
    const script::ScriptLimits& limits) {
  joinFinished();
  auto environment = std::make_shared<Environment>(
      supervisor_, limits, (options_.share / "runtime" / "worker.cjs").string(),
      [state = shared_from_this()](Environment::Thread thread) { state->environmentGone(thread); });
  const std::lock_guard lock(mutex_);
  if (closing_) {
    return Error{errc::kUnavailable, "the script runtime is shutting down"};
  }
  try {
    auto thread = environment->start();
    const auto thread_id = thread.get_id();
    threads_.emplace(thread_id, std::move(thread));
  } catch (const std::system_error& failure) {
    return Error{errc::kUnavailable,
                 std::string("a script thread cannot be started: ") + failure.what()};
  }
  std::erase_if(environments_, [](const auto& entry) { return entry.expired(); });
  environments_.push_back(environment);
  return environment;
}

Result<std::shared_ptr<Environment>> RuntimeState::takeEnvironment(
    const script::ScriptLimits& limits) {
  if (isUsual(limits)) {
    const std::lock_guard lock(mutex_);
    if (spare_ && spare_->usable()) {
      return std::exchange(spare_, nullptr);
    }
  }
  return startEnvironment(limits);
}

void RuntimeState::create(script::InstanceOptions options,
                          Completion<std::shared_ptr<IScriptInstance>> done) {
  options.functions.push_back(buildFunction());
  adopt(std::move(options), std::move(done));
}

void RuntimeState::adopt(script::InstanceOptions options,
                         Completion<std::shared_ptr<IScriptInstance>> done) {
  auto taken = takeEnvironment(options.limits);
  if (!taken) {
    done(std::move(taken).error());
    return;
  }
  auto environment = std::move(taken).value();
  auto answer = std::make_shared<Completion<std::shared_ptr<IScriptInstance>>>(std::move(done));
  environment->adopt(
      std::move(options), [state = shared_from_this(), environment, answer](Status status) {
        if (!status) {
          environment->end(
              {script::TerminationReason::kBootstrapFailed, 0, status.error().message, ""});
          (*answer)(std::move(status).error());
          return;
        }
        (*answer)(std::shared_ptr<IScriptInstance>(std::make_shared<Instance>(environment)));
        state->keepSpare();
      });
}

void RuntimeState::keepSpare() {
  {
    const std::lock_guard lock(mutex_);
    if (!options_.keep_spare || closing_ || (spare_ && spare_->usable())) {
      return;
    }
  }
  if (auto started = startEnvironment({})) {
    auto unused = std::move(started).value();
    {
      const std::lock_guard lock(mutex_);
      if (!closing_ && !spare_) {
        spare_.swap(unused);
      }
    }
    if (unused) {
      unused->end({});
    }
  }
}

void RuntimeState::environmentGone(Environment::Thread thread) {
  {
    const std::lock_guard lock(mutex_);
    auto entry = threads_.extract(std::this_thread::get_id());
    if (thread == Environment::Thread::kParked) {
      entry.mapped().detach();
    } else {
      finished_.push_back(std::move(entry.mapped()));
    }
  }
  gone_.notify_all();
}

void RuntimeState::joinFinished() {
  std::vector<std::thread> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  for (auto& thread : finished) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

bool RuntimeState::shutDown(std::chrono::milliseconds limit) {
  std::vector<std::weak_ptr<Environment>> environments;
  std::shared_ptr<IScriptInstance> builder;
  std::vector<BuildRequest> builds;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    environments = environments_;
    spare_.reset();
    builder.swap(builder_);
    builds.swap(waiting_builds_);
  }
  builds.clear();
  for (const auto& entry : environments) {
    if (const auto environment = entry.lock()) {
      environment->end({script::TerminationReason::kRequested, 0, "the server is stopping", ""});
    }
  }
  bool all_gone = false;
  {
    std::unique_lock lock(mutex_);
    all_gone = gone_.wait_for(lock, limit, [this] { return threads_.empty(); });
  }
  joinFinished();
  return all_gone;
}

// ---- builder -----------------------------------------------------------------------------------------------------

script::HostFunction RuntimeState::buildFunction() {
  return {.name = "svc:build",
          .async = [weak = weak_from_this()](std::string job, Completion<std::string> done) {
            if (const auto state = weak.lock()) {
              state->build(std::move(job), std::move(done));
            }
          }};
}

void RuntimeState::build(std::string job, Completion<std::string> done) {
  std::shared_ptr<IScriptInstance> builder;
  bool start = false;
  {
    const std::lock_guard lock(mutex_);
    builder = builder_;
    if (!builder) {
      waiting_builds_.push_back({std::move(job), std::move(done)});
      start = !std::exchange(builder_starting_, true);
    }
  }
  if (builder) {
    // Not queued above. NOLINTNEXTLINE(bugprone-use-after-move)
    builder->invoke({.function = "build", .meta = std::move(job), .body = ""}, std::move(done));
  } else if (start) {
    startBuilder();
  }
}

void RuntimeState::startBuilder() {
  script::InstanceOptions options;
  options.name = "builder";
  options.root = options_.share;
  options.environment = {{"SVC_SHARE", options_.share.string()}};
  options.limits.watchdog = options.limits.terminate = kBuilderLimit;
  options.parts = {{"builder", scripts::kBuilder}};
  options.observer = std::make_shared<BuilderObserver>(weak_from_this());
  adopt(std::move(options),
        [state = shared_from_this()](Result<std::shared_ptr<IScriptInstance>> builder) {
          state->builderReady(std::move(builder));
        });
}

void RuntimeState::builderReady(Result<std::shared_ptr<IScriptInstance>> builder) {
  std::vector<BuildRequest> waiting;
  {
    const std::lock_guard lock(mutex_);
    builder_starting_ = false;
    waiting.swap(waiting_builds_);
    if (builder && !closing_) {
      builder_ = builder.value();
    }
  }
  for (auto& request : waiting) {
    if (builder) {
      builder.value()->invoke({.function = "build", .meta = std::move(request.job), .body = ""},
                              std::move(request.done));
    } else {
      request.done(builder.error());
    }
  }
}

void RuntimeState::builderEnded(const script::Termination& termination) {
  std::shared_ptr<IScriptInstance> ended;  // released without the lock
  const std::lock_guard lock(mutex_);
  ended.swap(builder_);
  if (!closing_ && options_.log) {
    options_.log->warn("the builder ended and will be started again when needed: {}",
                       termination.message);
  }
}

// ---- Runtime -----------------------------------------------------------------------------------------------------

namespace {
/// How long the destructor waits; an environment that is still there is left to the end of the process.
constexpr std::chrono::seconds kFarewell{2};
}  // namespace

Runtime::Runtime(RuntimeOptions options)
    : state_(std::make_shared<RuntimeState>(std::move(options))) {}

Runtime::~Runtime() { state_->shutDown(kFarewell); }

void Runtime::create(script::InstanceOptions options,
                     Completion<std::shared_ptr<IScriptInstance>> done) {
  state_->create(std::move(options), std::move(done));
}

std::string Runtime::nodeVersion() const { return NODE_VERSION_STRING; }

bool Runtime::shutDown(std::chrono::milliseconds limit) { return state_->shutDown(limit); }

}  // namespace svc::jsruntime
