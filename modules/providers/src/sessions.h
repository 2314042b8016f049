#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/kernel/thread_bound.h"
#include "svc/machines/host_registry.h"
#include "svc/providers/agent_sessions.h"

#include "catalogue.h"
#include "outfit.h"
#include "session_entry.h"

namespace svc::providers {

/// The sessions that threads have with agents of machines. An event goes to the listener in the order of its session, one at a time, and
/// is acknowledged to its machine when it was taken: a machine whose events are not taken stops reading its agent. Lives on io; what
/// IAgentSessions offers may be called on any thread.
class Sessions final : public IAgentSessions,
                       public hosts::IHostListener,
                       public std::enable_shared_from_this<Sessions> {
 public:
  /// Events that were offered in vain are offered again after this.
  static constexpr std::chrono::milliseconds kAgain{1000};
  /// Events of one session that wait to be taken. Daemons hold back long before; one that does not loses its session.
  static constexpr std::size_t kWaiting = 100'000;
  /// Events of a session that are acknowledged together at most, so that its machine can go on while more are taken.
  static constexpr std::int64_t kAcknowledge = 16;

  struct With {
    http::IReactor& reactor;
    hosts::IHostCommands& commands;
    hosts::IHostMessages& messages;
    const machines::IHostRegistry& machines;
    std::shared_ptr<Catalogue> catalogue;
    std::shared_ptr<IOutfitter> outfitter;
    IWorkerPool& workers;
    projects::IAttachments* attachments = nullptr;
  };
  explicit Sessions(With with) : with_(std::move(with)) {}

  [[nodiscard]] Result<std::string> choose(const std::string& provider_id) const override;
  void open(SessionRequest request, Completion<OpenSession> done) override;
  void set(const std::string& session, common::Json execution, agents::AgentContext context,
           Completion<void> done) override;
  void prompt(const std::string& session, const std::string& turn_id, const std::string& request_id,
              common::Json input, Completion<void> done) override;
  void cancel(const std::string& session, Completion<void> done) override;
  void answer(const std::string& session, const std::string& question_id, common::Json answer,
              Completion<void> done) override;
  void granted(const std::string& session, Completion<std::vector<std::string>> done) override;
  void close(const std::string& session, Completion<void> done) override;
  [[nodiscard]] Handle onEvent(EventListener listener) override;

  void hostOpened(const std::string& host_id) override;
  void hostClosed(const std::string& host_id) override;
  void hostGone(const std::string& host_id) override;
  void hostMessage(const std::string& host_id, std::string_view type,
                   std::string_view text) override;

  /// No timer of it runs any more. Io.
  void end();

 private:
  using Answered = std::function<void(Result<common::Json> answer)>;

  template <class Job>
  void onIo(Job job);
  [[nodiscard]] static Error noSession();
  [[nodiscard]] static common::Json command(std::string_view type, const std::string& session);
  [[nodiscard]] SessionEntry* find(const std::string& session);
  void ask(const std::string& host_id, const common::Json& command, std::chrono::milliseconds wait,
           Answered then);
  /// A command of one session; an error when there is no such session.
  void askSession(const std::string& session, common::Json command, Completion<void> done);

  void begin(const SessionRequest& request, Result<Outfit> outfit, Completion<OpenSession> done);
  void begun(const std::string& session, const std::string& host_id, Result<common::Json> answer,
             Completion<OpenSession> done);
  void setNow(const std::string& session, common::Json execution, Completion<void> done);
  void closeNow(const std::string& session, Completion<void> done);
  void beginPrompt(const std::string& session, const std::string& turn_id, common::Json input,
                   Completion<void> done);
  void sendPrompt(const std::string& session, const std::string& turn_id, common::Json said,
                  std::chrono::milliseconds wait, Completion<void> done);
  void makeRoom(const std::string& host_id);

  void resumed(const std::set<std::string>& named, const Result<common::Json>& answer);
  void arrived(const std::string& session, SessionEntry& entry, const common::Json& events);
  void stranger(const std::string& host_id, const std::string& session, const common::Json& events);
  /// The session is over, which its machine cannot say.
  void lost(const std::string& session, std::string_view reason, const std::string& message);
  void offer(const std::string& session);
  void decideFor(const std::string& session, const AgentEvent& event, const std::string& decision);
  void taken(const std::string& session, std::int64_t seq, const Status& status);
  void acknowledge(const std::string& session, const std::string& host_id, std::int64_t seq);

  const With with_;
  ThreadBound thread_;
  std::map<std::string, SessionEntry> entries_;
  std::set<std::string> strangers_;  ///< sessions that are not known and were told to end
  std::uint64_t uses_ = 0;

  std::mutex listener_mutex_;
  std::shared_ptr<EventListener> listener_;
};

template <class Job>
void Sessions::onIo(Job job) {
  with_.reactor.post([weak = weak_from_this(), job = std::move(job)]() mutable {
    if (const auto self = weak.lock()) {
      self->thread_.check();
      job(*self);
    }
  });
}

}  // namespace svc::providers
