#pragma once

#include <cstdlib>

#include "node_process.h"

namespace svc::jsruntime {

/// The first environment of this process takes what others have compiled of the runtime from the file that scripts/test
/// names, as that of a server does. Before any environment; later calls do nothing.
inline void shareCompiledScripts() {
  [[maybe_unused]] static const bool once = [] {
    const char* const file = std::getenv("SVC_JSRUNTIME_CODE_CACHE");
    if (file != nullptr) {
      NodeProcess::prepare(file);
    }
    return true;
  }();
}

}  // namespace svc::jsruntime
