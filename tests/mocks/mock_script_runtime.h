#pragma once

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "svc/jsruntime/script_runtime.h"

namespace svc::script {

class MockScriptObserver : public IScriptObserver {
 public:
  MockScriptObserver();
  ~MockScriptObserver() override;

  MOCK_METHOD(void, onUncaughtError, (const ScriptError& error, const std::string& origin),
              (override));
  MOCK_METHOD(void, onConsole, (const std::string& level, const std::string& text), (override));
  MOCK_METHOD(void, onHandlerError,
              (const ScriptError& error, const std::string& function, const std::string& meta),
              (override));
  MOCK_METHOD(void, onStall, (std::chrono::milliseconds blocked_for, const std::string& stack),
              (override));
  MOCK_METHOD(void, onEnded, (const Termination& termination), (override));
};

class MockScriptInstance : public IScriptInstance {
 public:
  MockScriptInstance();
  ~MockScriptInstance() override;

  MOCK_METHOD(void, invoke, (Invocation invocation, Completion<std::string> done), (override));
  MOCK_METHOD(void, terminate, (std::string why, Completion<void> done), (override));
  MOCK_METHOD(ScriptStats, stats, (), (const, override));
};

class MockScriptRuntime : public IScriptRuntime {
 public:
  MockScriptRuntime();
  ~MockScriptRuntime() override;

  MOCK_METHOD(void, create,
              (InstanceOptions options, Completion<std::shared_ptr<IScriptInstance>> done),
              (override));
};

}  // namespace svc::script
