#pragma once

#include "svc/kernel/error.h"

namespace svc::errc {

/// Wire codes of the service: what `error.code` says in an envelope. One table (`httpStatus`) gives the status.
inline constexpr Errc kUnknownPlugin{"unknown_plugin"};
inline constexpr Errc kPluginNotRunning{"plugin_not_running"};
inline constexpr Errc kUnknownMethod{"unknown_method"};
inline constexpr Errc kInvalidJson{"invalid_json"};
inline constexpr Errc kInvalidInput{"invalid_input"};
inline constexpr Errc kHandlerError{"handler_error"};
inline constexpr Errc kInvalidOutput{"invalid_output"};
inline constexpr Errc kNonJsonResult{"non_json_result"};
inline constexpr Errc kForbiddenOrigin{"forbidden_origin"};
inline constexpr Errc kForbiddenUser{"forbidden_user"};
inline constexpr Errc kUnsupportedMediaType{"unsupported_media_type"};
inline constexpr Errc kUnauthorized{"unauthorized"};
inline constexpr Errc kUnknownRoute{"unknown_route"};
inline constexpr Errc kUnknownAsset{"unknown_asset"};
inline constexpr Errc kUnknownCommand{"unknown_command"};
inline constexpr Errc kCliOutputTooLarge{"plugin_cli_output_too_large"};
inline constexpr Errc kInstallRefused{"install_refused"};
inline constexpr Errc kUpdateRefused{"update_refused"};
inline constexpr Errc kIncompatible{"incompatible"};
inline constexpr Errc kLoadFailed{"load_failed"};
inline constexpr Errc kSafeMode{"safe_mode"};
inline constexpr Errc kDispatchRejected{"dispatch_rejected"};
inline constexpr Errc kBuiltinPlugin{"builtin_plugin"};
inline constexpr Errc kNotSupported{"not_supported"};
inline constexpr Errc kForbidden{"forbidden"};
// Machines and host entries.
inline constexpr Errc kUnknownHost{"unknown_host"};
inline constexpr Errc kHostUnavailable{"host_unavailable"};
inline constexpr Errc kHostError{"host_error"};
inline constexpr Errc kUnknownPath{"unknown_path"};
inline constexpr Errc kTooManyCalls{"too_many_calls"};
inline constexpr Errc kWorkerStartFailed{"worker_start_failed"};
inline constexpr Errc kWorkerExited{"worker_exited"};
inline constexpr Errc kGenerationRetired{"generation_retired"};
inline constexpr Errc kArtifactUnavailable{"artifact_unavailable"};
inline constexpr Errc kArtifactMismatch{"artifact_mismatch"};
inline constexpr Errc kHostArtifactNotFound{"plugin_host_artifact_not_found"};
inline constexpr Errc kProtocolMismatch{"protocol_version_mismatch"};
inline constexpr Errc kInactiveSession{"inactive_session"};
inline constexpr Errc kInvalidCommand{"invalid_command"};

}  // namespace svc::errc

namespace svc::common {

/// HTTP status of an error code; 500 for a code that is not part of the wire contract.
[[nodiscard]] unsigned httpStatus(Errc code);

/// The declared code with this name; `internal_error` for a name nobody declared. Used for codes that come from
/// scripts, so that only known codes reach the wire.
[[nodiscard]] Errc wireCode(std::string_view name);

}  // namespace svc::common
