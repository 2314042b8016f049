#include "mocks/mock_script_runtime.h"

namespace svc::script {

MockScriptObserver::MockScriptObserver() = default;
MockScriptObserver::~MockScriptObserver() = default;

MockScriptInstance::MockScriptInstance() = default;
MockScriptInstance::~MockScriptInstance() = default;

MockScriptRuntime::MockScriptRuntime() = default;
MockScriptRuntime::~MockScriptRuntime() = default;

}  // namespace svc::script
