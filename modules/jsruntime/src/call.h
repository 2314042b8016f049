#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/jsruntime/script_runtime.h"

#include "mailbox.h"

namespace svc::jsruntime {

class Call;

/// Tells the script thread that a caller gave up. Part of its Call.
class AbortMessage final : public Message {
 public:
  explicit AbortMessage(Call& call) : call_(call) {}
  void deliver(Bridge& bridge) override;
  void refuse(const std::string& why) override;

 private:
  Call& call_;
};

/// One invocation on its way through an environment. Reference-counted: the environment holds one reference until the
/// call is answered, an abort message in flight holds another.
class Call final : public Message {
 public:
  /// Sends an abort message to the environment. Must stay callable until the call is answered.
  using PostAbort = void (*)(void* target, Message* message);

  Call(script::Invocation invocation, Completion<std::string> done,
       std::atomic<std::size_t>& pending)
      : request(std::move(invocation)),
        abort_message_(*this),
        done_(std::move(done)),
        pending_(pending) {}

  void deliver(Bridge& bridge) override;
  void refuse(const std::string& why) override { finish(Error{errc::kPluginNotRunning, why}); }
  [[nodiscard]] std::size_t weight() const override { return request.body.size(); }

  /// Follows the stop token of the request. Before the call is posted.
  void watchStop(PostAbort post, void* target) {
    if (request.stop.stop_possible()) {
      stop_.emplace(request.stop, AbortHook{this, post, target});
    }
  }

  /// Answers and gives up the environment's reference: the call may be gone afterwards.
  void finish(Result<std::string> result) {
    stop_.reset();
    finished = true;
    pending_.fetch_sub(1, std::memory_order_relaxed);
    auto done = std::move(done_);
    done(std::move(result));
    release();
  }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  script::Invocation request;
  // Script thread only:
  std::uint64_t id = 0;
  bool aborted = false;
  bool signal_made = false;
  bool finished = false;

 private:
  struct AbortHook {
    Call* call;
    PostAbort post;
    void* target;
    void operator()() const {
      call->retain();
      post(target, &call->abort_message_);
    }
  };

  AbortMessage abort_message_;
  Completion<std::string> done_;
  std::atomic<std::size_t>& pending_;
  std::optional<std::stop_callback<AbortHook>> stop_;
  std::atomic<int> references_{1};
};

/// Calls by id. An id is never used twice, so a script that keeps one too long reaches nothing. Script thread only.
class CallTable {
 public:
  void add(Call& call) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({});
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].call = &call;
    call.id = (static_cast<std::uint64_t>(slots_[slot].generation) << kSlotBits) | slot;
  }
  [[nodiscard]] Call* find(std::uint64_t id) const {
    const auto slot = id & (kMaxCalls - 1);
    return slot < slots_.size() && slots_[slot].generation == id >> kSlotBits ? slots_[slot].call
                                                                              : nullptr;
  }
  void remove(const Call& call) {
    auto& slot = slots_[call.id & (kMaxCalls - 1)];
    slot.call = nullptr;
    ++slot.generation;
    free_.push_back(static_cast<std::uint32_t>(call.id & (kMaxCalls - 1)));
  }
  /// Empties the table.
  [[nodiscard]] std::vector<Call*> takeAll() {
    std::vector<Call*> calls;
    for (auto& slot : slots_) {
      if (slot.call != nullptr) {
        calls.push_back(slot.call);
      }
    }
    for (auto* call : calls) {
      remove(*call);
    }
    return calls;
  }

  static constexpr unsigned kSlotBits = 16;
  /// How many calls one environment takes at a time; more are answered with "overloaded".
  static constexpr std::size_t kMaxCalls = 1UL << kSlotBits;

 private:
  struct Slot {
    Call* call = nullptr;
    std::uint32_t generation = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace svc::jsruntime
