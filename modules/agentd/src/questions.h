#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::agentd {

/// lim.questions; lim.questionOptions, of questions that come in the form of a permission. Others have limits::kAgentChoices.
inline constexpr std::size_t kQuestions = 4;
inline constexpr std::size_t kQuestionOptions = 4;

/// One request of an agent that a person answers.
struct Question {
  /// JSON text of the agent's id.
  std::string request_id{};
  /// Of the tool call that waits for it; empty for none.
  std::string item_id{};
  /// `options` of session/request_permission.
  common::Json options{};
  /// The options are answers to choose from, and no permissions.
  bool is_choice = false;
  /// What a permission request asks in truth (listed_questions.h); null for permissions.
  common::Json listed{};
  /// `requestedSchema` of the form of an elicitation; null for permissions.
  common::Json form{};
  /// As it was asked.
  common::Json payload{};
};

/// The answer to one, for the agent.
struct AnsweredQuestion {
  common::Json result{};
  bool denied = false;
};

/// Payload of an interaction: `approval` with this subject, or `user_question` for what some agents ask in the form of a permission.
[[nodiscard]] common::Json questionPayload(const Question& question, const common::Json& params,
                                           const common::Json& subject);

/// Several options allow it once: which one is what the agent asks, and no decision says that.
[[nodiscard]] bool hasSeveralWays(const common::Json& options);

/// `invalid_input`, with the reason, for options of which two have one id but not one meaning.
[[nodiscard]] Status canBeToldApart(const common::Json& options);

/// `invalid_input`, with the reason, for options of which nobody can choose one.
[[nodiscard]] Status canBeChosen(const common::Json& options);

/// From a `decision` or `answers` of agent.answer. A grant for the session is `allow_once` to the agent: some of them would keep it
/// longer than the session, so who asked remembers it. `invalid_input` for an answer that does not fit.
[[nodiscard]] Result<AnsweredQuestion> answerQuestion(const Question& question,
                                                      const common::Json& answer);

/// The `user_question` that the form of an elicitation/create is; `invalid_input`, with the reason, when it has what no question can be. A
/// text beside the choice before it (`<name>_…`) is the free text of that one; what is not required is `optional`.
[[nodiscard]] Result<common::Json> formPayload(const common::Json& params);

/// `{ outcome: { outcome: "cancelled" } }`
[[nodiscard]] common::Json cancelledOutcome();
/// The same for this question.
[[nodiscard]] common::Json cancelledAnswer(const Question& question);

}  // namespace svc::agentd
