#pragma once

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::agentd {

/// The questions that a permission request is in truth (Qwen's `user_question`): `{ question, header, options: { label, description }[],
/// multiSelect }[]`; null for one that asks for permission, or has what no question can be.
[[nodiscard]] common::Json listedQuestions(const common::Json& params);

/// The `user_question` for them; its ids are their places in the list.
[[nodiscard]] common::Json listedPayload(const common::Json& questions);

/// `{ [place]: text }` from the answers of a person, several choices parted by commas. `invalid_input` for none.
[[nodiscard]] Result<common::Json> listedAnswers(const common::Json& questions,
                                                 const common::Json& answers);

}  // namespace svc::agentd
