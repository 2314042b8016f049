#pragma once

#include <string>

#include "svc/common/json.h"

namespace svc::agentd {

/// What a content block says as text: a link by its name and address, a picture that is kept (`withPicturesKept`) as an image of Markdown, other
/// pictures, sounds and files by their type. Empty for an empty text.
[[nodiscard]] std::string blockText(const common::Json& block);

}  // namespace svc::agentd
