// The protocol as a daemon knows it that is one version behind: stands in front of the real header.
#pragma once
#pragma GCC system_header

#define kProtocolVersion kNewerProtocolVersion
#include_next <svc/hostprotocol/protocol.h>
#undef kProtocolVersion

namespace svc::hostprotocol {
inline constexpr int kProtocolVersion = kNewerProtocolVersion - 1;
}  // namespace svc::hostprotocol
