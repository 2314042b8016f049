#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "svc/agents/dispatch_hooks.h"
#include "svc/agents/mention_providers.h"
#include "svc/plugins/plugins.h"
#include "svc/providers/agent_sessions.h"

#include "deliveries.h"
#include "environment_source.h"
#include "lane.h"
#include "live_texts.h"
#include "resting_agents.h"
#include "route_lookup.h"
#include "thread_runtime.h"
#include "turn_edit.h"

namespace svc::threads {

using providers::AgentEvent;
using providers::IAgentSessions;
using providers::OpenSession;
using providers::SessionRequest;

/// Who runs turns; nullptr for what this server has not.
struct Crew {
  IAgentSessions* agents = nullptr;
  IEnvironmentSource* environments = nullptr;
  agents::IDispatchHooks* hooks = nullptr;
  agents::IMentionProviders* mentions = nullptr;
  IMainExecutor* main = nullptr;  ///< where hooks live
  plugins::ILoadedPlugins* plugins = nullptr;
  LiveTexts* live = nullptr;         ///< what hears of texts that grow
  ThreadRuntime* runtime = nullptr;  ///< what hears of environments that are made
  RouteLookup lookup{};              ///< records of other modules, for hooks
  /// How a tool of a plugin is shown; null when nothing is known. Any thread.
  std::function<common::Json(const std::string& tool)> presentation{};
  /// Whether something that the agent of the thread has begun still goes on. On the lane.
  std::function<bool(const std::string& thread_id)> in_background{};
};

/// A thread that is to be.
struct SpawnRequest {
  storage::ThreadRow row{};             ///< without id, status and times
  common::Json intent{};                ///< EnvironmentIntent
  std::vector<common::Json> or_else{};  ///< intents in the place of one that cannot be, in turn
  Message first{};                      ///< without a thread
  bool idle = false;                    ///< nothing is said yet
  std::int64_t send_at = 0;
  std::int64_t source_seq_end = 0;  ///< of a fork; 0 = all of the source
  common::Json seed{};              ///< blocks that the agent of a fork is told
  common::Json metadata{};          ///< of the plugin it comes from; null = none
  std::string origin{};             ///< "app", "cli", "sdk" or "plugin", where known
};

/// What came of a tool call that the agent of a thread does not wait for any more.
struct LateToolResult {
  std::string thread_id{};
  std::string tool{};
  std::string text{};
  bool failed = false;
};

struct SendRequest {
  Message message{};
  std::string mode = "auto";
  std::int64_t send_at = 0;
};

/// Runs turns: asks hooks, readies the environment, opens the agent's session, hands over the prompt and takes what the agent says into
/// the log. What happens stands in the machines; this does what they ask for. Thread-safe: everything happens on its lane, where
/// completions fire, too.
class TurnRunner {
 public:
  TurnRunner(ThreadBook& book, IWorkerPool& workers, Crew crew);
  TurnRunner(const TurnRunner&) = delete;
  TurnRunner& operator=(const TurnRunner&) = delete;

  /// Ends what ran when the server went down, brings what was accepted and had not reached an agent on its way, and begins to listen.
  /// Blocks; before all else. After an error it listens all the same: threads whose end could not be stored stay busy, and tick()
  /// tries again.
  [[nodiscard]] Status recover();

  /// Every module has started: what the stop of the server has ended is told once plugins are there to hear it. Main thread.
  void ready();

  /// The server is about to stop: turns that no agent has yet stay as they are, for the next start. Any thread.
  void rest() { resting_ = true; }

  /// Ends what runs, with the texts that no log has yet, and takes no more from agents: the server stops. Blocks; any thread.
  void close();

  /// Any thread, also while it runs.
  void bound(AgentBounds bounds);

  /// The thread's record. `not_supported` says how to get an agent; `dispatch_rejected`.
  void spawn(SpawnRequest request, Completion<common::Json> done);
  /// `{ outcome, turnRequestId, queuedMessageId }`.
  void send(SendRequest request, Completion<common::Json> done);
  /// As send(), and never at once: the message goes to the end of the queue.
  void queue(SendRequest request, Completion<common::Json> done);
  /// `{ queuedMessageId, attempt }`; an empty request id is the latest. `dispatch_rejected` as send(), when it goes at once.
  void retry(std::string thread_id, std::string request_id, std::int64_t send_at,
             Completion<common::Json> done);
  /// The record of the thread, which is idle or on its way there.
  void stop(std::string thread_id, std::string reason, Completion<common::Json> done);
  /// Stops them, then does the job, before anything else may start in them.
  void stopThen(std::vector<std::string> thread_ids, std::string reason, Task job);
  /// Becomes a line of the log and a message of the service; nothing for a thread that takes none. `told` runs on the lane, once
  /// nothing is owed any more.
  void tellLate(LateToolResult late, Task told = {});
  /// A row of the queue goes now, whatever time or turn it waits for.
  void sendQueued(std::string thread_id, std::string row_id, Completion<common::Json> done);
  /// Looks at the rows that may go now.
  void drain(std::string thread_id);
  /// drain() of all threads; called about once a second while the server runs.
  void tick();
  /// Runs a job that may block in its turn on the lane.
  void run(Task job) { later(std::move(job)); }
  /// How the answer to an interaction gets to who asked: the agent's session.
  void answer(const storage::InteractionRow& row, common::Json answer, Completion<void> done);
  /// Of the thread's session: agents::IAgentSessions::granted.
  void granted(const std::string& thread_id, Completion<std::vector<std::string>> done);

  /// How many threads wait for the store to take how their run has ended. On the lane.
  [[nodiscard]] std::size_t unstored() const { return unrecovered_.size() + late_.size(); }

 private:
  Status recoverThreads();
  [[nodiscard]] Status recoverThread(const std::string& thread_id);
  void lateWasSent(const Message& message, Status sent, Task told);
  void bringOutliving();
  [[nodiscard]] Status interrupt(const std::string& thread_id);
  struct Attempt {
    Message message{};
    std::vector<storage::QueuedMessageRow> queued{};  ///< rows that become this turn
    std::optional<SpawnRequest> spawn{};
    bool mixed = false;    ///< of several who said something
    bool awaited = false;  ///< somebody waits for the answer to these rows
  };
  using Done = std::shared_ptr<Completion<common::Json>>;
  [[nodiscard]] static Done nobody();

  template <class T>
  void onLane(Completion<T> done, UniqueFunction<void(Completion<T> done)> job);
  /// As onLane() for answers of others that arrive anywhere.
  void later(Task job);

  /// The thread, when it takes messages.
  [[nodiscard]] Status hasPlace(const storage::ThreadRow& thread) const;
  [[nodiscard]] Result<storage::ThreadRow> listening(const std::string& thread_id) const;
  void doSpawn(SpawnRequest request, const Done& done);
  /// Answers why it cannot be, unless a machine may still come for it.
  /// The first of its intents that can be.
  [[nodiscard]] Status choosePlace(SpawnRequest& request) const;
  void holdSpawn(SpawnRequest request, const Error& why, const Done& done);
  void spawnHeld();
  void doSend(SendRequest request, const Done& done);
  /// What says again what this turn has said; an empty request id is the latest.
  [[nodiscard]] Result<Message> retryOf(const std::string& thread_id,
                                        const std::string& request_id) const;
  /// The rows that may go now. After an error what waits goes only when somebody asks for it.
  [[nodiscard]] std::optional<Attempt> nextAttempt(const std::string& thread_id,
                                                   bool asked_for = false) const;
  void doDrain(const std::string& thread_id, bool asked_for = false);
  [[nodiscard]] bool mayGo(const storage::QueuedMessageRow& row, bool after_failure) const;
  /// The first rows that go as one turn: what waits for a time or a plugin does not keep back what is behind it.
  [[nodiscard]] std::vector<storage::QueuedMessageRow> nextOf(
      const std::vector<storage::QueuedMessageRow>& rows, bool after_failure) const;
  void doStop(const std::string& thread_id, const std::string& reason, const Done& done);
  [[nodiscard]] bool wouldOvertake(const SendRequest& request,
                                   const storage::ThreadRow& thread) const;
  [[nodiscard]] Result<common::Json> queueMessage(const Message& message, std::int64_t send_at,
                                                  const common::Json& waiting);

  /// `decided` on the lane.
  void decide(const common::Json& context,
              std::function<void(const Result<agents::DispatchDecision>& decision)> decided);
  void askHooks(Attempt attempt, const Done& done);
  void decided(Attempt attempt, const Result<agents::DispatchDecision>& decision, const Done& done);
  /// Whether steps are done for the environment of the thread.
  void showProvisioning(const std::string& thread_id, bool is);
  void askMentions(Attempt attempt, const Done& done);
  void clearWaits(const std::string& plugin_id);
  /// Of plugins that are gone, or loaded anew: what the load before has said is not known to them.
  void clearOldWaits();
  void lookFor(const std::string& plugin_id);
  void rememberLoad(const std::string& plugin_id);
  void sawLoad(const std::string& plugin_id, std::uint64_t load_id, bool decided);
  void refuseQueued(const Attempt& attempt, const std::string& why,
                    const Errc& code = errc::kDispatchRejected);
  /// Nobody has edited or deleted what becomes this turn while others were asked about it.
  [[nodiscard]] bool stillSays(const Attempt& attempt) const;
  [[nodiscard]] Result<common::Json> park(const Attempt& attempt, std::int64_t send_at,
                                          const common::Json& waiting);
  [[nodiscard]] Result<common::Json> accept(const Attempt& attempt);
  storage::ThreadRow& addThread(Edit& edit, const SpawnRequest& request, ThreadState state);

  void readyEnvironment(const storage::TurnRow& turn);
  /// The thread has its environment before that is ready, so that what fails is tried again there.
  void takePlace(const std::string& thread_id, const PlaceNews& news);
  /// The line of the log about what is done for the environment, as far as it is.
  void logProvisioning(const std::string& thread_id, const char* status);
  void endProvisioning(const std::string& thread_id, const char* status);
  void openSession(const storage::TurnRow& turn, const ReadyEnvironment& environment);
  /// Whether the agent of the thread is needed now, so that it cannot be ended meanwhile.
  [[nodiscard]] bool isNeeded(const std::string& thread_id) const;
  /// Ends agents that have had nothing to do for too long, or rest and are too many; the next message goes on with them.
  void endResting();
  [[nodiscard]] bool hasRoom(const std::string& host_id) const;
  /// One more agent can begin there: another one goes for it. Else the turn waits, and the log says for what.
  [[nodiscard]] bool makeRoom(const storage::TurnRow& turn, const std::string& host_id);
  void warn(const storage::TurnRow& turn, const std::string& why);
  void prompt(const storage::TurnRow& turn, const std::string& session);
  void handedOver(const storage::TurnRow& turn, const std::string& session, const Status& taken);
  /// Nothing could be brought to the agent: the turn waits for its machine, or fails.
  void undelivered(const storage::TurnRow& turn, const Error& error);
  [[nodiscard]] bool beginsAnew(const storage::TurnRow& turn, const Error& error);
  /// The turn gets a new session.
  [[nodiscard]] bool isAnew(const storage::TurnRow& turn) const;
  /// False when there is nothing to tell.
  [[nodiscard]] bool tellAnew(Edit& edit, storage::ThreadRow& thread, const storage::TurnRow& turn);
  void deliverAgain();
  void end(const std::string& thread_id, const std::string& request_id, TurnInput input,
           TurnEnd end);
  /// The thread is on its way to idle, also while that cannot be stored: its agent is told to stop all the same.
  void beginStop(const std::string& thread_id, const std::string& reason);
  /// Stores what of the thread's end could not be stored before; false when it still cannot.
  bool storeLate(const std::string& thread_id);
  void storeAllLate();
  [[nodiscard]] LiveTexts::Texts liveTexts(const std::string& thread_id) const;
  void closeSession(const std::string& thread_id);

  void take(const AgentEvent& event, Completion<void> taken);
  [[nodiscard]] bool wasTold(const AgentEvent& event) const;
  void remember(const AgentEvent& event);
  [[nodiscard]] bool goesOnElsewhere(const storage::TurnRow& turn, bool was_closed);
  void takeTurnEvent(Edit& edit, storage::ThreadRow& thread, const AgentEvent& event);
  void takeQuestion(Edit& edit, storage::ThreadRow& thread, const AgentEvent& event);
  void takeLogged(Edit& edit, storage::ThreadRow& thread, const AgentEvent& event);
  /// The agent knows a tool of a plugin by its name; how it is shown is known here, and stays in the log.
  void present(common::Json& data) const;
  void emitIdle(Edit& edit, const storage::ThreadRow& thread) const;
  /// Plugins hear now what they could not while none was loaded; at most once.
  void tellOwed(Edit& edit, storage::ThreadRow& thread) const;
  void tellAllOwed();
  /// What the thread's machine has asked for becomes part of the edit.
  void settle(Edit& edit, storage::ThreadRow& thread);
  [[nodiscard]] std::optional<storage::TurnRow> stillOpen(const storage::TurnRow& turn) const;

  ThreadBook& book_;
  const Crew crew_;
  struct LiveSession {
    std::string id;
    std::string host_id;
    std::string cwd;
  };
  /// Live sessions by thread. On the lane.
  std::map<std::string, LiveSession> sessions_;
  /// Of those. On the lane.
  RestingAgents resting_agents_;
  /// Open items as they were told last, by thread and id. On the lane.
  std::map<std::string, std::map<std::string, common::Json>> told_items_;
  struct Provisioning {
    std::string id;
    std::vector<common::Json> entries;
  };
  /// What is done for the environment that a thread waits for, by thread. On the lane.
  std::map<std::string, Provisioning> provisioning_;
  /// Threads whose session goes when their turn has ended. On the lane.
  std::set<std::string> closing_;
  /// Threads that a hook is asked for, so that no second message overtakes the first. On the lane.
  std::set<std::string> asking_;
  struct Anew {
    std::string request_id;
    std::string why;
  };
  /// By thread: the turn that gets a new session, because the earlier one did not go on. On the lane.
  std::map<std::string, Anew> anew_;
  /// On the lane.
  Deliveries deliveries_;
  /// Plugins that rows wait for and whose state is being asked for. On the lane.
  std::set<std::string> looked_for_;
  /// The load of a plugin that rows wait for as it has decided, by plugin. On the lane.
  std::map<std::string, std::uint64_t> decided_by_;
  /// The end of a run that the store could not take.
  struct Late {
    std::string stop_reason{};  ///< of a stop that the log has not; empty = none
    std::string request_id{};   ///< of the turn that has ended; empty = none
    TurnInput input = TurnInput::kInterrupt;
    TurnEnd end{};
  };
  /// By thread. On the lane.
  std::map<std::string, Late> late_;
  /// Threads that are to be once their machine is there, until this time. On the lane.
  struct HeldSpawn {
    SpawnRequest request;
    Done done;
  };
  std::vector<HeldSpawn> held_spawns_;
  std::int64_t machines_until_ = 0;
  /// Threads whose last run has not been ended yet. Before the lane begins, then on it.
  std::vector<std::string> unrecovered_;
  /// Threads whose row owes plugins an end. As unrecovered_.
  std::set<std::string> owing_;
  bool plugins_hear_ = false;  ///< on the lane
  /// Turns of the server before that no agent has had. As unrecovered_.
  std::vector<storage::TurnRow> outliving_;
  /// For those who answer on the main thread when this may be gone.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::atomic<bool> resting_ = false;
  std::atomic<bool> closed_ = false;
  Lane lane_;
  Handle listening_;
  Handle rechecks_;
};

/// The last text the agent said; null without one.
[[nodiscard]] common::Json lastAssistantText(storage::IThreadStore& store,
                                             const std::string& thread_id);

}  // namespace svc::threads
