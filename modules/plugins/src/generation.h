#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/plugins/plugins.h"

#include "loaded_map.h"
#include "meters.h"
#include "plugin_logs.h"

namespace svc::plugins {

/// What every generation needs. Shared, because a script thread may still report when the manager
/// has gone.
struct GenerationContext {
  const IClock& clock;
  std::shared_ptr<PluginLogs> logs;
  std::weak_ptr<LoadedMap> loaded;  ///< weak: the map holds generations
  /// Called on any thread when termination(), needsConfiguration(), services() or stall() has a new answer.
  std::function<void(const std::shared_ptr<class Generation>& generation)> changed;
};

/// One load of one plugin, from the creation of its environment to the end of it. Thread-safe.
class Generation final : public IGeneration, public std::enable_shared_from_this<Generation> {
 public:
  /// `number` is the generation counter this load gets when it succeeds.
  Generation(std::string plugin_id, std::uint64_t load_id, std::uint64_t number,
             std::shared_ptr<Meters> meters, GenerationContext context);

  [[nodiscard]] const std::string& pluginId() const override { return plugin_id_; }
  [[nodiscard]] std::uint64_t loadId() const override { return load_id_; }
  void setRegistration(const std::string& kind, common::Json value) override;
  [[nodiscard]] common::Json registration(const std::string& kind) const override;
  void invoke(std::string source, script::Invocation invocation,
              Completion<std::string> done) override;
  void invokeStreaming(std::string source, script::Invocation invocation, std::stop_token returned,
                       Completion<std::string> done) override;
  void log(std::string_view level, std::string_view message) override;
  void addProblem(Problem problem) override;
  void removeProblem(std::string_view code) override;
  void addUnsupported(std::string member) override;

  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// One of its services starts again after a failure.
  void recordRestart() { meters_->recordRestart(); }
  void logWithStack(std::string_view level, std::string message, std::string stack);

  /// The observer of the environment; it does not keep the generation alive.
  [[nodiscard]] std::shared_ptr<script::IScriptObserver> observer();
  void attach(std::shared_ptr<script::IScriptInstance> instance);
  /// A reference that counts as a call in flight: disposal waits until its holder has made its call.
  [[nodiscard]] GenerationPtr lease();
  /// Calls the service's own JavaScript: not counted, not aborted, not in the statistics.
  void call(std::string function, std::string meta, Completion<std::string> done);
  /// Fires on any thread once no call is in flight.
  void whenIdle(Completion<void> done);
  /// Fires on any thread once termination() has an answer.
  void whenEnded(Completion<void> done);
  [[nodiscard]] std::size_t inFlight() const;
  /// Aborts the signals of all calls, running and to come.
  void abortCalls() { abort_.request_stop(); }
  /// Ends the environment and refuses further calls. Fires when its thread has gone.
  void terminate(std::string why, Completion<void> done);

  /// Ends the environment as one that has reached a limit of memory: `why` is told as what ended it. False when it runs no more.
  bool endForMemory(const std::string& why);

  [[nodiscard]] std::vector<Problem> problems() const;
  /// Ascending.
  [[nodiscard]] std::vector<std::string> unsupported() const;
  [[nodiscard]] std::optional<script::Termination> termination() const;
  [[nodiscard]] std::string needsConfiguration() const;
  /// Names of the background services, in the order registered.
  [[nodiscard]] std::vector<std::string> services() const;
  /// What blocks the event loop; empty while it answers.
  [[nodiscard]] std::string stall() const;

  /// The text without secrets.
  [[nodiscard]] std::string masked(std::string text) const;
  void reportNeedsConfiguration(std::string message);
  /// What the call that is answered next has thrown. Script thread.
  void noteHandlerError(const script::ScriptError& error) { handler_error_ = error; }
  void addService(std::string name);
  /// `out_of_band`: it escaped from a callback rather than from start().
  void reportServiceFailure(const std::string& service, const std::string& message,
                            const std::string& stack, bool out_of_band);
  void reportUncaught(const script::ScriptError& error, const std::string& origin);
  void reportStall(std::chrono::milliseconds blocked_for, const std::string& stack);
  void reportEnded(const script::Termination& termination);

 private:
  struct Call;
  using Took = std::chrono::duration<double, std::milli>;

  [[nodiscard]] PluginError shownError(std::string message, std::string stack,
                                       std::string source) const;
  void finish(Call& call, Result<std::string> result);
  /// Fails what an environment that was given up never answers.
  void failCalls();
  void recordFailure(const std::string& source, const Error& error, std::optional<Took> took);
  /// The time since the call began, once: none when the handler has returned and was counted before.
  [[nodiscard]] std::optional<Took> takeTime(Call& call) const;
  void recordSuccess(Call& call);
  void endCall();
  void clearStall();
  [[nodiscard]] Error annotate(Error error) const;
  [[nodiscard]] std::shared_ptr<script::IScriptInstance> instance() const;

  const std::string plugin_id_;
  const std::uint64_t load_id_;
  const std::uint64_t number_;
  const std::shared_ptr<Meters> meters_;
  GenerationContext context_;
  std::stop_source abort_;
  /// The service ends the environment; it does not end by itself.
  std::atomic<bool> closing_ = false;

  script::ScriptError handler_error_;  ///< script thread only

  mutable std::mutex mutex_;
  std::shared_ptr<script::IScriptInstance> instance_;
  std::map<std::string, common::Json> registrations_;
  std::vector<Problem> problems_;
  std::set<std::string> unsupported_;
  std::optional<script::Termination> termination_;
  std::string needs_configuration_;
  std::vector<std::string> services_;
  std::string stall_;
  std::list<std::shared_ptr<Call>> calls_;  ///< unanswered
  std::size_t in_flight_ = 0;               ///< these, and leases
  std::vector<Completion<void>> idle_waiters_;
  std::vector<Completion<void>> end_waiters_;
};

}  // namespace svc::plugins
