#pragma once

#include <string>
#include <string_view>

#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::common {

/// `{"ok":true,"<member>":<value>}`; the value is spliced in as bytes.
[[nodiscard]] std::string okEnvelope(std::string_view member, const RawJson& value);
/// `{"ok":true}` followed by the members of `object` (a JSON object).
[[nodiscard]] std::string okEnvelope(const Json& object);
/// `{"ok":false,"error":{"code","message","issues"?,"details"?}}`.
[[nodiscard]] std::string errorEnvelope(const Error& error);

}  // namespace svc::common
