#pragma once

#include <string_view>

#include "svc/common/json.h"
#include "svc/environments/environments.h"
#include "svc/kernel/error.h"
#include "svc/storage/environment_store.h"

namespace svc::environments {

/// The record of the contract.
[[nodiscard]] common::Json toRecord(const storage::EnvironmentRow& row);
[[nodiscard]] Environment toEnvironment(const storage::EnvironmentRow& row);
/// Whether its folder was made for it and goes with it.
[[nodiscard]] bool isManaged(const storage::EnvironmentRow& row);
/// It is creating or provisioning.
[[nodiscard]] bool isBeingMade(const storage::EnvironmentRow& row);
/// It is on its way to destroyed: nobody begins to work there.
[[nodiscard]] bool isBeingRemoved(const storage::EnvironmentRow& row);
/// `not_found`, and how to find the ids.
[[nodiscard]] Error noSuchEnvironment(std::string_view environment_id);

}  // namespace svc::environments
