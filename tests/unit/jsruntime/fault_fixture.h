#pragma once

#include "script_fixture.h"

namespace svc::jsruntime {

using FaultTest = ScriptFixture;

inline constexpr const char* kEvalAtOnce =
    "runtime.handle('eval', (meta, body) => String(eval(body)));";
inline constexpr const char* kEvalAsync =
    "runtime.handle('eval', async (meta, body) => String(await eval(body)));";

}  // namespace svc::jsruntime
