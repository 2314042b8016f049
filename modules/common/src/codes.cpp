#include "svc/common/codes.h"

#include <algorithm>
#include <array>

#include "svc/common/code_list.h"

namespace svc::common {
namespace {

struct CodeStatus {
  Errc code;
  unsigned status;
};

constexpr std::array kTable{
    CodeStatus{errc::kAborted, 503},
    CodeStatus{errc::kConflict, 409},
    CodeStatus{errc::kInternal, 500},
    CodeStatus{errc::kInvalidArgument, 400},
    CodeStatus{errc::kNotFound, 404},
    CodeStatus{errc::kTimeout, 504},
    CodeStatus{errc::kUnavailable, 503},
    CodeStatus{errc::kUnknownPlugin, 404},
    CodeStatus{errc::kPluginNotRunning, 503},
    CodeStatus{errc::kUnknownMethod, 404},
    CodeStatus{errc::kInvalidJson, 400},
    CodeStatus{errc::kInvalidInput, 400},
    CodeStatus{errc::kHandlerError, 500},
    CodeStatus{errc::kInvalidOutput, 500},
    CodeStatus{errc::kNonJsonResult, 500},
    CodeStatus{errc::kTooLarge, 413},
    CodeStatus{errc::kForbiddenOrigin, 403},
    CodeStatus{errc::kForbiddenUser, 403},
    CodeStatus{errc::kUnsupportedMediaType, 415},
    CodeStatus{errc::kUnauthorized, 401},
    CodeStatus{errc::kUnknownRoute, 404},
    CodeStatus{errc::kUnknownAsset, 404},
    CodeStatus{errc::kUnknownCommand, 404},
    CodeStatus{errc::kCliOutputTooLarge, 500},
    CodeStatus{errc::kInstallRefused, 422},
    CodeStatus{errc::kIncompatible, 422},
    CodeStatus{errc::kLoadFailed, 422},
    CodeStatus{errc::kSafeMode, 409},
    CodeStatus{errc::kDispatchRejected, 409},
    CodeStatus{errc::kBuiltinPlugin, 409},
    CodeStatus{errc::kNotSupported, 501},
    CodeStatus{errc::kOverloaded, 503},
    CodeStatus{errc::kUpdateRefused, 422},
    CodeStatus{errc::kForbidden, 403},
    CodeStatus{errc::kUnknownHost, 404},
    CodeStatus{errc::kHostUnavailable, 502},
    CodeStatus{errc::kHostError, 502},
    CodeStatus{errc::kUnknownPath, 404},
    CodeStatus{errc::kTooManyCalls, 503},
    CodeStatus{errc::kWorkerStartFailed, 502},
    CodeStatus{errc::kWorkerExited, 502},
    CodeStatus{errc::kGenerationRetired, 502},
    CodeStatus{errc::kArtifactUnavailable, 502},
    CodeStatus{errc::kArtifactMismatch, 502},
    CodeStatus{errc::kHostArtifactNotFound, 404},
    CodeStatus{errc::kProtocolMismatch, 400},
    CodeStatus{errc::kInactiveSession, 401},
    CodeStatus{errc::kInvalidCommand, 400},
};

}  // namespace

unsigned httpStatus(Errc code) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                   [code](const CodeStatus& entry) { return entry.code == code; });
  return found == kTable.end() ? 500 : found->status;
}

Errc wireCode(std::string_view name) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(), [name](const CodeStatus& entry) {
    return entry.code.name() == name;
  });
  return found == kTable.end() ? errc::kInternal : found->code;
}

std::vector<Errc> wireCodes() {
  std::vector<Errc> out;
  for (const auto& entry : kTable) {
    out.push_back(entry.code);
  }
  return out;
}

}  // namespace svc::common
