#pragma once

#include <string>

#include "svc/common/json.h"

#include "catalogue.h"

namespace svc::providers {

/// The record `Provider` of the contract.
[[nodiscard]] common::Json toRecord(const Offer& offer);

/// The records `Model`, from the options of a session as ACP has them; one "default" when they name no models.
[[nodiscard]] common::Json toModels(const common::Json& config_options);

/// Why the models of an agent are not known; null for one that is available.
[[nodiscard]] common::Json modelLoadError(const Offer& offer);

/// The contract's usage of one provider. No agent of this service reports any.
[[nodiscard]] common::Json usageOf(const Offer& offer);

/// "claude-code" → "claudeCode".
[[nodiscard]] std::string usageKey(const std::string& provider_id);

}  // namespace svc::providers
