#pragma once

namespace svc::node {

/// The variable of the environment that names the library whose main() the runtime runs.
inline constexpr const char* kProgramVariable = "SVC_RUNTIME_PROGRAM";

/// Goes on in the runtime, as lib/svc/programs/<name of this program>.so. Returns when that cannot begin: an exit code, after it
/// has said why on stderr.
[[nodiscard]] int launch(char** argv);

}  // namespace svc::node
