#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "svc/jsruntime/script_runtime.h"

#include "blocking_threads.h"
#include "descriptor_table.h"
#include "loop_delay.h"
#include "mailbox.h"
#include "supervisor.h"
#include "thread_accounts.h"
#include "thread_binding.h"
#include "worker_memory.h"

namespace svc::jsruntime {

class Waker;

/// One isolate and Node environment on its own thread. It starts without an identity and gets one with adopt(), so that
/// a spare can wait for its use. The thread keeps it alive until it has ended. Thread-safe.
class Environment final : public IWatched,
                          public IThreadBudgets,
                          public std::enable_shared_from_this<Environment> {
 public:
  /// What becomes of the thread of an environment that has ended.
  enum class Thread : unsigned char { kReturns, kParked };

  /// `worker_prelude` is the file that worker threads run first. `on_gone` fires once, on the environment's thread, when
  /// nothing of it is left (or, after a fatal error of V8, when its thread has been parked for good).
  Environment(Supervisor& supervisor, const script::ScriptLimits& limits,
              std::string worker_prelude, std::function<void(Thread thread)> on_gone);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() override;

  /// Starts the thread. Once, on an object owned by a shared_ptr. Throws std::system_error.
  [[nodiscard]] std::thread start();
  /// Gives it an identity and evaluates the parts. Once. Fires on the script thread.
  void adopt(script::InstanceOptions options, Completion<void> done);
  void invoke(script::Invocation invocation, Completion<std::string> done);
  void terminate(std::string why, Completion<void> done);
  /// As terminate(), without waiting for it.
  void end(script::Termination termination);
  [[nodiscard]] script::ScriptStats stats() const;
  /// Files, sockets and pipes that it and its worker threads have open. What Node opens for itself is known a second or so later.
  [[nodiscard]] std::size_t descriptors() const {
    return descriptors_.count() +
           std::max(descriptors_.sockets(), loop_descriptors_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::size_t workerThreads() const {
    const auto all = threads_.count();
    return all == 0 ? 0 : all - 1;
  }
  [[nodiscard]] std::size_t heapLimit() const { return heap_bytes_; }
  /// False once it is ending.
  [[nodiscard]] bool usable() const { return !stopping_.load(std::memory_order_relaxed); }

  [[nodiscard]] SteadyTime inspect(SteadyTime now) override;
  [[nodiscard]] Budget workerThreadBudget() const override {
    return {workerThreads(), most_threads_.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] Budget descriptorBudget() const override {
    return {descriptors(), most_descriptors_.load(std::memory_order_relaxed)};
  }

 private:
  class Script;  // everything that touches V8; lives on the script thread
  class AdoptMessage;
  enum class Stall : unsigned char { kNone, kReporting, kReported, kEnding };

  void run();
  /// Posts from any thread; a refused message is disposed of.
  void post(Message* message);
  [[noreturn]] void failOnFatal(const std::string& what);
  /// As failOnFatal(), on the thread of one of its workers.
  [[noreturn]] void failOnFatalInWorker(const std::string& what);
  /// Ends as far as the outside can tell; thread and memory stay. Script thread.
  [[noreturn]] void park();
  /// The last of the script thread.
  void announceEnd(Thread thread);
  /// Tells the observer and the waiters, once. Any thread.
  void tellEnd();
  void endChildProcesses();
  /// What calls are told that it cannot answer any more.
  [[nodiscard]] std::string endMessage() const;
  /// More blocking work than may wait. Any of its threads.
  void onBlockingFull(bool may_fail);
  [[nodiscard]] std::vector<script::NativeExtension> natives() const;
  /// Makes what runs in native extensions return.
  void interruptNatives();
  /// Lets the supervisor watch the event loop from now on. Script thread.
  void watch(const script::ScriptLimits& limits);
  /// True when the supervisor has asked since the last time: figures are to be renewed. Script thread.
  [[nodiscard]] bool answerPing();
  /// Script thread.
  void pauseWatchdog(bool paused);
  [[nodiscard]] std::string mapStack(const std::string& frames) const;
  /// Once a second: the share of the CPU, and whether its workers hold too much memory. Supervisor thread.
  void sample(SteadyTime now);
  void askForStack(SteadyTime now);
  /// The stack asked for; nothing while there is still hope for one.
  [[nodiscard]] std::optional<std::string> stackAskedFor(SteadyTime now);
  [[nodiscard]] SteadyTime followStall(SteadyTime now, std::chrono::milliseconds blocked);
  /// A thread that stays in a system call or a long native function is given up: the outside goes on without it.
  [[nodiscard]] SteadyTime followEnd(SteadyTime now);
  [[nodiscard]] std::shared_ptr<script::IScriptObserver> observer() const;

  Supervisor& supervisor_;
  const std::size_t heap_bytes_;
  const std::size_t buffer_bytes_;
  const std::size_t beside_heap_bytes_;
  const std::string worker_prelude_;
  std::function<void(Thread thread)> on_gone_;
  Mailbox mailbox_;
  const std::unique_ptr<Waker> waker_;
  std::atomic<std::size_t> pending_{0};
  std::atomic<bool> stopping_{false};
  std::shared_ptr<std::atomic<bool>> loop_gone_ = std::make_shared<std::atomic<bool>>(false);
  ThreadAccounts threads_;
  mutable DescriptorTable descriptors_;  // counting forgets what was closed meanwhile
  WorkerMemory worker_memory_;
  const std::shared_ptr<BlockingThreads> blocking_ = std::make_shared<BlockingThreads>();
  std::atomic<bool> told_full_{false};
  std::atomic<bool> worker_lost_{false};
  std::atomic<bool> memory_gone_{false};  // although the thread stays

  // Heartbeat: the supervisor sets ping_since_ (steady nanoseconds) and wakes the loop, the loop clears it.
  std::atomic<std::int64_t> ping_since_{0};
  std::atomic<std::int64_t> watchdog_ms_{0};
  std::atomic<std::int64_t> terminate_ms_{0};
  std::atomic<bool> watchdog_paused_{false};
  std::atomic<std::size_t> heap_used_{0};
  std::atomic<std::size_t> external_used_{0};
  std::atomic<std::size_t> loop_descriptors_{0};
  std::atomic<std::size_t> most_threads_{0};
  std::atomic<std::size_t> most_descriptors_{0};
  std::atomic<double> cpu_percent_{0};
  LoopDelay loop_delay_;
  Stall stall_ = Stall::kNone;  // supervisor thread only, like the next four
  SteadyTime stack_asked_at_{};
  SteadyTime give_up_at_{};
  SteadyTime cpu_sampled_at_{};
  std::uint64_t cpu_sampled_ms_ = 0;

  mutable std::mutex mutex_;
  Script* script_ = nullptr;  // set while other threads may stop or interrupt it
  std::optional<script::Termination> termination_;
  std::vector<Completion<void>> waiting_for_end_;
  bool ended_ = false;
  std::shared_ptr<script::IScriptObserver> observer_;
  std::vector<script::NativeExtension> natives_;
  std::vector<std::pair<std::string, std::string>> source_maps_;
  std::string stack_;
  bool stack_taken_ = false;
};

}  // namespace svc::jsruntime
