#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "acp_message.h"
#include "agent_process.h"
#include "pictures.h"
#include "questions.h"
#include "session_request.h"
#include "transcript.h"

namespace svc::agentd {

enum class SessionState : std::uint8_t { kOpening, kIdle, kRunning, kAuthRequired, kEnded };
[[nodiscard]] std::string_view name(SessionState state);

/// `reason` of session/ended when somebody has to sign in first.
inline constexpr std::string_view kAuthRequiredReason = "auth-required";
inline constexpr std::string_view kClosedReason = "closed";

/// What a session needs of the daemon.
struct SessionServices {
  std::function<Handle(std::chrono::milliseconds delay, Task task)> after{};
  std::function<std::int64_t()> now_ms{};
  /// Version of this program.
  std::string version{};
  /// Every event but the first carries `providerThreadId`. The last one is `session/ended`.
  std::function<void(AgentEvent)> tell{};
  KeepPicture keep_picture{};
};

/// One session with one agent over ACP v1. Lives on the io thread.
///
/// What a turn is does not follow from the answer to session/prompt here: endTurn() is told of an end, and today only that answer
/// tells it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(SessionRequest request, ModeNames modes, SessionServices services);

  /// The folder of the server's skills, before open(); an error is told.
  void giveSkills(const Result<std::string>& directory);
  /// `done` fires once, with describe(), when the session is there; on failure the program is ended.
  void open(std::shared_ptr<AgentProcess> process, Completion<common::Json> done);
  /// There is no process: it did not start.
  void failedToStart(Error error, Completion<common::Json> done);
  /// Events of its process.
  void onLines(const std::vector<std::string>& lines);
  void onBroken(const std::string& why);
  void onExit(const AgentExit& exit);

  // Commands of the server; bodies as hostprotocol/agents.h says. A prompt that is refused was not had.
  [[nodiscard]] Status prompt(const common::Json& body);
  [[nodiscard]] bool cancel();
  [[nodiscard]] Status answer(const common::Json& body);
  void set(const Choices& choices, Completion<common::Json> done);
  /// `why` is what whoever opens it is answered.
  void close(Error why);

  /// Tells open items again, whole, and questions that wait.
  void tellOpen();
  /// AgentSession without lastSeq.
  [[nodiscard]] common::Json describe() const;
  [[nodiscard]] SessionState state() const { return state_; }
  /// Nothing of it is left but what it has told.
  [[nodiscard]] bool over() const {
    return state_ == SessionState::kEnded || state_ == SessionState::kAuthRequired;
  }
  /// Neither over nor being ended.
  [[nodiscard]] bool listens() const { return !closing_ && !over(); }
  [[nodiscard]] const SessionRequest& request() const { return request_; }
  void setReading(bool wanted);

 private:
  using Answered = std::function<void(AcpMessage answer)>;
  struct Asked {
    std::string method;
    Answered then;
    Handle timer{};
  };

  // session_open.cpp: from the program to a session
  [[nodiscard]] static common::Json clientCapabilities();
  [[nodiscard]] Answered then(void (Session::*step)(const AcpMessage& answer));
  void onInitialized(const AcpMessage& answer);
  void onAuthenticated(const AcpMessage& answer);
  [[nodiscard]] common::Json reachableServers();
  [[nodiscard]] common::Json beginParams(const std::string& session_id);
  void begin();
  void onResumed(const AcpMessage& answer);
  void load(const std::string& why_not_resumed);
  void onLoaded(const AcpMessage& answer);
  /// Some answer before they have replayed all of it (Gemini CLI): what they still say is no answer to what is asked next.
  void awaitReplayed();
  [[nodiscard]] Task replayed();
  void onReplayed();
  void beginNew(const std::string& why);
  void onNew(const AcpMessage& answer, const std::string& why);
  void onBegun(const AcpMessage& answer, std::string_view started, const std::string& why);
  void opened();
  [[nodiscard]] static std::string signInText(const AcpMessage::Failure& failure);
  void authRequired(const AcpMessage::Failure& failure);
  void warn(std::string summary, std::string details);

  // session_choices.cpp: modes and options
  struct Wish {
    std::string method;
    common::Json params;
    /// The setting in words: `mode "plan"`.
    std::string what{};
    /// Of session/set_mode, whose answer says nothing.
    std::string mode_id{};
  };
  struct Applying {
    std::deque<Wish> wishes;
    Status refused;
    Completion<void> done;
  };
  void takeChoices(const common::Json& from);
  /// Keeps what was there when the new one is too long, and says so once.
  void takeList(common::Json& into, const common::Json& list, std::string_view what);
  /// What the agent runs with instead, for the end of a sentence; empty when it has not said.
  [[nodiscard]] std::string goesOn(const common::Json& option) const;
  /// The option that a wish sets; null for a mode of the older list.
  [[nodiscard]] const common::Json& optionOf(const Wish& wish) const;
  [[nodiscard]] Status wish(std::deque<Wish>& wishes, std::string_view category,
                            const std::string& value) const;
  [[nodiscard]] Status wishes(const Choices& choices, std::deque<Wish>& into) const;
  void apply(const Choices& choices, Completion<void> done);
  void applyNext(const std::shared_ptr<Applying>& course);
  void onApplied(const std::shared_ptr<Applying>& course, const Wish& wish,
                 const AcpMessage& answer);

  // session_turn.cpp
  /// Which directory a path names.
  struct Folder {
    dev_t device;
    ino_t number;
    bool operator==(const Folder&) const = default;
  };
  [[nodiscard]] static std::optional<Folder> folderAt(const std::string& path);
  /// The agent still works in the folder that its path names. `unknown_path`.
  [[nodiscard]] Status checkFolder() const;
  void onPermission(const AcpMessage& message);
  void onElicitation(const AcpMessage& message);
  void refuseQuestion(const AcpMessage& message, const std::string& asked, const Error& why);
  void askPerson(Question question);
  void withdrawQuestions(std::string_view reason);
  void sendPrompt(const common::Json& blocks);
  void onPromptAnswered(const AcpMessage& answer);
  /// Questions, texts and tools of the turn.
  void endOpen();
  void endTurn(std::string_view status, std::string_view stop_reason, common::Json error);
  [[nodiscard]] static common::Json turnError(const std::string& message, std::string_view code);
  /// Why a turn that the agent has ended by itself did not do what was asked; null when it did.
  [[nodiscard]] static common::Json stopError(const std::string& reason);

  // session.cpp
  void ask(std::string_view method, const common::Json& params, std::chrono::milliseconds limit,
           Answered then);
  void onLate(std::uint64_t id);
  void send(std::string line);
  void onMessage(AcpMessage message);
  void onRequest(const AcpMessage& message);
  void onNotification(const AcpMessage& message);
  [[nodiscard]] std::string garbageText() const;
  /// Of an error while an earlier session was to go on; empty otherwise.
  [[nodiscard]] std::string resumeDetails() const;
  [[nodiscard]] std::string exitText(const AgentExit& exit) const;
  void fail(Error error, std::string_view reason = "failed");
  void ended(std::string_view reason, const std::string& message, const AgentExit* exit);
  void tell(std::string_view type, const std::string& turn_id, common::Json data);
  void tellChanged();

  const SessionRequest request_;
  const ModeNames modes_;
  const SessionServices services_;
  std::shared_ptr<AgentProcess> process_;
  std::optional<Folder> folder_;
  SessionState state_ = SessionState::kOpening;
  Completion<common::Json> open_;
  Handle open_timer_;
  Transcript transcript_;
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, Asked> asked_;
  std::size_t garbage_ = 0;
  std::string last_garbage_;

  // What the agent says of itself.
  common::Json capabilities_;
  common::Json agent_info_;
  common::Json auth_methods_;
  common::Json mode_list_;
  common::Json config_options_;
  common::Json
      offered_options_;  ///< as they were before anything was chosen; null of a session that goes on
  common::Json commands_;
  std::string provider_thread_id_;
  std::string started_;
  /// Lists of it that were too long.
  std::set<std::string, std::less<>> left_out_;
  common::Json servers_;
  std::string skills_directory_;
  bool names_session_ = false;  // what it tells has the id of this session
  bool replaying_ = false;
  std::optional<AcpMessage>
      loaded_;  ///< the answer to session/load, until nothing more is replayed
  Handle replay_pause_;
  Handle replay_limit_;

  // The turn that runs.
  std::string turn_id_;
  std::string prompted_;    ///< the turn that was begun last
  bool cancelled_ = false;  // the agent was told to stop
  Handle cancel_timer_;
  std::uint64_t question_count_ = 0;
  std::map<std::string, Question> questions_;

  // Why it ends, until its process has.
  bool closing_ = false;
  std::string end_reason_;
  Error end_error_{errc::kAborted, {}};
};

}  // namespace svc::agentd
