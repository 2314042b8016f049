#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/jsruntime/script_runtime.h"

namespace svc::script {

/// One environment of a FakeScriptRuntime. The test plays the script: it answers invocations by hand (`answer`,
/// `fail`) or installs handlers by function name, calls host functions, and ends the environment. It outlives the
/// IScriptInstance that the code under test holds. Single-threaded: everything happens on the calling thread.
class FakeScriptEnvironment {
 public:
  using Handler = std::function<void(Invocation invocation, Completion<std::string> done)>;
  struct Call {
    Invocation invocation;
    Completion<std::string> done;
  };

  explicit FakeScriptEnvironment(InstanceOptions instance_options,
                                 const std::map<std::string, Handler>& initial)
      : options(std::move(instance_options)), handlers_(initial) {}

  InstanceOptions options;
  ScriptStats stats;
  /// Every invocation that arrived, in order, answered or not (function, meta, body).
  std::vector<Invocation> invocations;
  /// Invocations that no handler took: the test answers them.
  std::deque<Call> pending;
  /// Why terminate() was called, in order; "destroyed" when the instance was dropped.
  std::vector<std::string> terminations;
  /// False: terminate() completes only when the test calls end().
  bool terminate_at_once = true;
  /// True: a function without a handler answers unknown_function instead of becoming pending.
  bool refuse_unknown = false;

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] IScriptObserver& observer() { return *options.observer; }

  void handle(const std::string& function, Handler handler) {
    handlers_[function] = std::move(handler);
  }
  /// A handler that answers at once; it gets meta and body.
  void respond(const std::string& function,
               std::function<Result<std::string>(const std::string& meta, const std::string& body)>
                   handler) {
    handlers_[function] = [handler = std::move(handler)](Invocation invocation,
                                                         Completion<std::string> done) {
      done(handler(invocation.meta, invocation.body));
    };
  }

  /// Answers the oldest pending invocation of `function`. False when there is none.
  bool answer(std::string_view function, Result<std::string> result) {
    for (auto call = pending.begin(); call != pending.end(); ++call) {
      if (call->invocation.function == function) {
        auto done = std::move(call->done);
        pending.erase(call);
        done(std::move(result));
        return true;
      }
    }
    return false;
  }

  /// What the script gets from runtime.callSync().
  Result<std::string> hostSync(std::string_view name, std::string argument) {
    for (auto& function : options.functions) {
      if (function.name == name && function.sync) {
        return function.sync(std::move(argument));
      }
    }
    return Error{errc::kNotFound, "no synchronous host function \"" + std::string(name) + "\""};
  }
  /// What the script gets from runtime.call().
  void hostCall(std::string_view name, std::string argument, Completion<std::string> done) {
    for (auto& function : options.functions) {
      if (function.name == name && function.async) {
        function.async(std::move(argument), std::move(done));
        return;
      }
    }
    done(Error{errc::kNotFound, "no asynchronous host function \"" + std::string(name) + "\""});
  }

  /// Ends the environment: pending calls fail, the observer hears it last, terminate() completes.
  void end(const Termination& termination) {
    if (ended_) {
      return;
    }
    ended_ = true;
    while (!pending.empty()) {
      auto call = std::move(pending.front());
      pending.pop_front();
      call.done(notRunning());
    }
    if (options.observer) {
      options.observer->onEnded(termination);
    }
    for (auto& done : std::exchange(terminating_, {})) {
      done({});
    }
  }

  void invoke(Invocation invocation, Completion<std::string> done) {
    if (ended_) {
      done(notRunning());
      return;
    }
    invocations.push_back(invocation);
    if (auto handler = handlers_.find(invocation.function); handler != handlers_.end()) {
      auto run = handler->second;  // a handler may replace itself
      run(std::move(invocation), std::move(done));
    } else if (refuse_unknown) {
      done(Error{errc::kUnknownFunction, "nothing handles \"" + invocation.function + "\""});
    } else {
      pending.push_back({std::move(invocation), std::move(done)});
    }
  }

  void terminate(std::string why, Completion<void> done) {
    terminations.push_back(why);
    if (ended_) {
      done({});
      return;
    }
    terminating_.push_back(std::move(done));
    if (terminate_at_once) {
      end({TerminationReason::kRequested, 0, std::move(why), ""});
    }
  }

 private:
  static Error notRunning() { return {errc::kPluginNotRunning, "the environment has ended"}; }

  std::map<std::string, Handler> handlers_;
  std::vector<Completion<void>> terminating_;
  bool ended_ = false;
};

/// What the code under test holds: dropping it ends the environment.
class FakeScriptInstance final : public IScriptInstance {
 public:
  explicit FakeScriptInstance(std::shared_ptr<FakeScriptEnvironment> environment)
      : environment_(std::move(environment)) {}
  FakeScriptInstance(const FakeScriptInstance&) = delete;
  FakeScriptInstance& operator=(const FakeScriptInstance&) = delete;
  ~FakeScriptInstance() override {
    if (!environment_->ended()) {
      environment_->terminate("destroyed", Completion<void>());
    }
  }
  void invoke(Invocation invocation, Completion<std::string> done) override {
    environment_->invoke(std::move(invocation), std::move(done));
  }
  void terminate(std::string why, Completion<void> done) override {
    environment_->terminate(std::move(why), std::move(done));
  }
  [[nodiscard]] ScriptStats stats() const override { return environment_->stats; }

 private:
  std::shared_ptr<FakeScriptEnvironment> environment_;
};

/// Creates fake environments: at once, or (create_at_once = false) when the test calls finishCreate().
class FakeScriptRuntime final : public IScriptRuntime {
 public:
  using Handler = FakeScriptEnvironment::Handler;

  bool create_at_once = true;
  /// Preset of FakeScriptEnvironment::refuse_unknown.
  bool refuse_unknown = false;
  std::string node_version{};
  [[nodiscard]] std::string nodeVersion() const override { return node_version; }
  /// Every environment created so far, oldest first.
  std::vector<std::shared_ptr<FakeScriptEnvironment>> environments;

  /// Installs a handler in every environment created from now on.
  void handle(const std::string& function, Handler handler) {
    handlers_[function] = std::move(handler);
  }
  void respond(const std::string& function,
               std::function<Result<std::string>(const std::string& meta, const std::string& body)>
                   handler) {
    handlers_[function] = [handler = std::move(handler)](Invocation invocation,
                                                         Completion<std::string> done) {
      done(handler(invocation.meta, invocation.body));
    };
  }

  [[nodiscard]] FakeScriptEnvironment& latest() { return *environments.back(); }
  [[nodiscard]] std::size_t waitingCreates() const { return waiting_.size(); }

  /// Completes the oldest waiting create(). With an error, that environment never exists.
  void finishCreate(Status status = {}) {
    auto [options, done] = std::move(waiting_.front());
    waiting_.pop_front();
    if (!status) {
      done(std::move(status).error());
      return;
    }
    finish(std::move(options), std::move(done));
  }

  void create(InstanceOptions options, Completion<std::shared_ptr<IScriptInstance>> done) override {
    if (create_at_once) {
      finish(std::move(options), std::move(done));
    } else {
      waiting_.emplace_back(std::move(options), std::move(done));
    }
  }

 private:
  void finish(InstanceOptions options, Completion<std::shared_ptr<IScriptInstance>> done) {
    environments.push_back(std::make_shared<FakeScriptEnvironment>(std::move(options), handlers_));
    environments.back()->refuse_unknown = refuse_unknown;
    done(std::shared_ptr<IScriptInstance>(
        std::make_shared<FakeScriptInstance>(environments.back())));
  }

  std::map<std::string, Handler> handlers_;
  std::deque<std::pair<InstanceOptions, Completion<std::shared_ptr<IScriptInstance>>>> waiting_;
};

}  // namespace svc::script
