#pragma once

#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// What editing a file of somebody else comes to.
struct Edit {
  enum class Outcome { kUnchanged, kAdded, kReplaced, kRemoved };
  Outcome outcome = Outcome::kUnchanged;
  std::string text;  ///< the whole file as it is to be
};

/// `text` with `value` as member `name` of its member `container`. Everything else stays byte by byte: comments, trailing commas, order and
/// indentation. Empty text reads as an object. Errors: `invalid_input` when the text is no such object, `conflict` when there is another
/// value and `force` is false.
[[nodiscard]] Result<Edit> setJsonMember(const std::string& text, const std::string& container,
                                         const std::string& name, const common::Json& value,
                                         bool force);

/// `text` without member `name` of its member `container`; `kUnchanged` when it has none. Everything else stays byte by byte, but for a
/// comma that nothing follows any more. Errors: `invalid_input` as above.
[[nodiscard]] Result<Edit> removeJsonMember(const std::string& text, const std::string& container,
                                            const std::string& name);

}  // namespace svc::client
