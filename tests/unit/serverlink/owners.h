#pragma once

#include "server_owner.h"

namespace svc::serverlink {

// Of numbers that no system has a name for.
inline constexpr ServerOwner::Owner kCarol{ServerOwner::Owner::Kind::kUser, 4123456001U};
inline constexpr ServerOwner::Owner kBob{ServerOwner::Owner::Kind::kUser, 4123456002U};
inline constexpr ServerOwner::Owner kUntoldOwner{};

}  // namespace svc::serverlink
