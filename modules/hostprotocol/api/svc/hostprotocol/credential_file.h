#pragma once

#include <string_view>

/// The record of a daemon in its directory, as far as the server beside it has to read it. The daemon alone writes it.
namespace svc::hostprotocol::credential_file {

inline constexpr std::string_view kName = "auth.json";
inline constexpr std::string_view kHostId = "hostId";
/// Boolean: the daemon is that of the server's own machine, which the server starts. Absent in records of before 0.43: either.
inline constexpr std::string_view kOfServer = "ofServer";

}  // namespace svc::hostprotocol::credential_file
