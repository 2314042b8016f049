#include "environment.h"

#include <pthread.h>
#include <unistd.h>

#include <thread>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/kernel/thread_role.h"

#include "call.h"
#include "environment_script.h"

namespace svc::jsruntime {

namespace {

void nameThread(const std::string& name) {
  constexpr std::size_t kLongest = 15;  // the kernel's limit
  pthread_setname_np(pthread_self(), name.substr(0, kLongest).c_str());
}

}  // namespace

/// Carries the identity of an environment to its thread.
class Environment::AdoptMessage final : public Message {
 public:
  AdoptMessage(Environment& environment, script::InstanceOptions options, Completion<void> done)
      : environment_(environment), options_(std::move(options)), done_(std::move(done)) {}

  void deliver(Bridge& bridge) override {
    const std::unique_ptr<AdoptMessage> self(this);
    nameThread(options_.name);
    {
      const std::lock_guard lock(environment_.mutex_);
      environment_.natives_ = options_.natives;
    }
    environment_.watch(options_.limits);
    done_(bridge.adopt(std::move(options_)));
  }
  void refuse(const std::string& /*why*/) override {
    const std::unique_ptr<AdoptMessage> self(this);
    done_(Error{errc::kPluginNotRunning, "the environment ended while it was being prepared"});
  }

 private:
  Environment& environment_;
  script::InstanceOptions options_;
  Completion<void> done_;
};

Environment::Environment(Supervisor& supervisor, const script::ScriptLimits& limits,
                         std::string worker_prelude, std::function<void(Thread)> on_gone)
    : supervisor_(supervisor),
      heap_bytes_(limits.heap_bytes),
      buffer_bytes_(limits.bufferBytes()),
      beside_heap_bytes_(limits.besideHeapBytes()),
      worker_prelude_(std::move(worker_prelude)),
      on_gone_(std::move(on_gone)),
      waker_(std::make_unique<Waker>()),
      worker_memory_(limits.workerHeapBytes(), limits.bufferBytes()) {}

Environment::~Environment() = default;

std::thread Environment::start() {
  return std::thread([self = shared_from_this()] { self->run(); });
}

void Environment::run() {
  setThreadRole(ThreadRole::kScript);
  nameThread("script");
  threads_.enter();
  {
    Script script(*this);
    const auto status = script.run();
    if (!status) {
      end({script::TerminationReason::kBootstrapFailed, 0, status.error().message, ""});
    }
    script.failAll();
  }
  descriptors_.closeAll();
  threads_.leave();
  endChildProcesses();  // those that worker threads have left
  loop_gone_->store(true);
  announceEnd(Thread::kReturns);
}

void Environment::announceEnd(Thread thread) {
  tellEnd();
  // Lets go of what it holds here: the environment itself may be released on the supervisor's thread.
  std::exchange(on_gone_, nullptr)(thread);
}

void Environment::tellEnd() {
  std::shared_ptr<script::IScriptObserver> observer;
  script::Termination termination;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    stopping_.store(true);
    observer = std::exchange(observer_, nullptr);
    termination = termination_.value_or(script::Termination{script::TerminationReason::kProcessExit,
                                                            0, "the event loop ended", ""});
  }
  if (observer) {
    observer->onEnded(termination);
  }
  std::vector<Completion<void>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_for_end_);
  }
  for (auto& done : waiting) {
    done({});
  }
}

void Environment::failOnFatal(const std::string& what) {
  // Nothing returns from here, so the thread is given up. Its heap is freed where that is safe.
  Script* script = nullptr;
  {
    const std::lock_guard lock(mutex_);
    script = std::exchange(script_, nullptr);
  }
  end({script::TerminationReason::kHeapLimit, 0, "V8 gave up: " + what, ""});
  if (script != nullptr) {
    waker_->abandon();
    script->failAll();
    // Workers and an open inspector (it pauses the watchdog) still look at the heap.
    memory_gone_.store(threads_.count() == 1 && !watchdog_paused_.load() &&
                       script->freeGivenUpHeap());
    if (memory_gone_.load()) {
      descriptors_.closeAll();
    }
  }
  park();
}

void Environment::failOnFatalInWorker(const std::string& what) {
  // The environment cannot be freed any more, because that waits for its workers.
  worker_lost_.store(true);
  end({script::TerminationReason::kHeapLimit, 0, "V8 gave up in a worker thread: " + what, ""});
  for (;;) {
    ::pause();
  }
}

void Environment::park() {
  announceEnd(Thread::kParked);
  for (;;) {
    ::pause();
  }
}

std::string Environment::endMessage() const {
  const std::lock_guard lock(mutex_);
  const bool asked_for =
      !termination_ || termination_->reason == script::TerminationReason::kRequested;
  return asked_for || termination_->message.empty() ? script::kEnvironmentEnded
                                                    : termination_->message;
}

void Environment::post(Message* message) {
  switch (mailbox_.push(message)) {
    case Mailbox::Push::kFirst:
      waker_->send();
      break;
    case Mailbox::Push::kQueued:
      break;
    case Mailbox::Push::kClosed:
      message->refuse(endMessage());
      break;
  }
}

void Environment::adopt(script::InstanceOptions options, Completion<void> done) {
  {
    const std::lock_guard lock(mutex_);
    observer_ = ended_ ? nullptr : options.observer;
  }
  if (const auto mark = options.environment.find(base::kProcessMark);
      mark != options.environment.end()) {
    threads_.setMark(mark->second);
    options.environment.erase(mark);
  }
  post(new AdoptMessage(*this, std::move(options), std::move(done)));
}

void Environment::invoke(script::Invocation invocation, Completion<std::string> done) {
  if (pending_.fetch_add(1, std::memory_order_relaxed) >= CallTable::kMaxCalls) {
    pending_.fetch_sub(1, std::memory_order_relaxed);
    done(Error{errc::kOverloaded, "more than " + std::to_string(CallTable::kMaxCalls) +
                                      " calls wait for this plugin: try again later"});
    return;
  }
  auto* call = new Call(std::move(invocation), std::move(done), pending_);
  call->watchStop(
      [](void* self, Message* message) { static_cast<Environment*>(self)->post(message); }, this);
  post(call);
}

void Environment::end(script::Termination termination) {
  {
    const std::lock_guard lock(mutex_);
    if (termination_ || ended_) {
      return;
    }
    termination_ = std::move(termination);
  }
  stopping_.store(true);
  worker_memory_.terminateScripts();
  // A script that waits for a child process (execSync) goes on only when that child is gone.
  endChildProcesses();
  {
    const std::lock_guard lock(mutex_);
    if (script_ != nullptr) {
      script_->stop();
    }
  }
  interruptNatives();
  blocking_->end();
  blocking_->interrupt();
}

std::vector<script::NativeExtension> Environment::natives() const {
  const std::lock_guard lock(mutex_);
  return natives_;
}

void Environment::interruptNatives() {
  for (const auto& native : natives()) {
    native.extension->interrupt();
  }
}

void Environment::onBlockingFull(bool may_fail) {
  constexpr auto kMost = BlockingThreads::kMostWaiting;
  if (!may_fail) {
    end({script::TerminationReason::kHeapLimit, 0,
         "cryptography and compression reached the limit of " + std::to_string(kMost) +
             " operations that wait: begin fewer at a time",
         ""});
  } else if (!told_full_.exchange(true)) {
    if (const auto told = observer()) {
      told->onConsole("error", std::to_string(kMost) +
                                   " operations on files and names wait, and further ones fail "
                                   "with EAGAIN: begin fewer at a time");
    }
  }
}

void Environment::endChildProcesses() {
  supervisor_.endProcesses(threads_.takeProcesses(), threads_.usedMark(), loop_gone_);
}

void Environment::terminate(std::string why, Completion<void> done) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      waiting_for_end_.push_back(std::move(done));
    }
  }
  // Still pending only when it was not handed over above. NOLINTNEXTLINE(bugprone-use-after-move)
  if (done.pending()) {
    done({});
    return;
  }
  end({script::TerminationReason::kRequested, 0, std::move(why), ""});
}

script::ScriptStats Environment::stats() const {
  script::ScriptStats stats;
  const auto blocking = blocking_->use();
  stats.cpu_ms = threads_.cpuMilliseconds() + blocking.cpu_ms;
  stats.blocking_operations = blocking.jobs;
  stats.cpu_percent = cpu_percent_.load(std::memory_order_relaxed);
  stats.loop_delay_p99_ms = loop_delay_.percentile99();
  stats.heap_bytes = heap_used_.load(std::memory_order_relaxed) + worker_memory_.heapBytes();
  stats.external_bytes =
      external_used_.load(std::memory_order_relaxed) + worker_memory_.bufferBytes();
  stats.pending_calls = pending_.load(std::memory_order_relaxed);
  stats.worker_threads = workerThreads();
  stats.descriptors = descriptors();
  for (const auto& native : natives()) {
    native.extension->report(stats);
  }
  if (memory_gone_.load()) {
    stats.heap_bytes = stats.external_bytes = 0;
  }
  const std::lock_guard lock(mutex_);
  stats.parked =
      ended_ && !loop_gone_->load() && (!memory_gone_.load() || stats.database_bytes > 0);
  return stats;
}

std::shared_ptr<script::IScriptObserver> Environment::observer() const {
  const std::lock_guard lock(mutex_);
  return observer_;
}

}  // namespace svc::jsruntime
