#pragma once

#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/kernel/result.h"

namespace svc::hosts {

// What a daemon answers is one whole JSON object, and none that says for itself how the request went (`ok`, `error`); anything else is
// `host_error`. Of what IHostCommands answers the members have been checked, too (hosts/src/answer_table); tests answer without.

[[nodiscard]] inline Error notAnAnswer() {
  return {errc::kHostError, "the answer of the machine's daemon is not an object of a result"};
}

/// The answer, to be read. Its members may still have any type: reads of Json have fallbacks.
[[nodiscard]] inline Result<common::Json> answerObject(const std::string& answer) {
  auto parsed = common::Json::parse(answer);
  if (!parsed || !parsed.value().isObject() || parsed.value().find("ok") != nullptr ||
      parsed.value().find("error") != nullptr) {
    return notAnAnswer();
  }
  return parsed;
}

/// As answerObject(), for the answer or what came instead of one.
[[nodiscard]] inline Result<common::Json> answerObject(const Result<std::string>& answer) {
  return answer ? answerObject(answer.value()) : Result<common::Json>(answer.error());
}

/// The body of a response: the members of the answer, as they are, behind `ok`. Reads the whole text.
[[nodiscard]] inline Result<std::string> answerEnvelope(const std::string& answer) {
  const auto members = common::JsonSlices::parse(answer);
  if (!members || !members.value().raw("ok").empty() || !members.value().raw("error").empty()) {
    return notAnAnswer();
  }
  return members.value().members().empty() ? std::string(R"({"ok":true})")
                                           : R"({"ok":true,)" + answer.substr(answer.find('{') + 1);
}

}  // namespace svc::hosts
