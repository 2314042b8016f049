// What a script may signal, and what that does to itself.
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "isolation_fixture.h"

namespace svc::jsruntime {
namespace {

class SignalsTest : public IsolationTest {};

TEST_F(SignalsTest, EveryWayToSignalTheOwnProcessEndsTheEnvironmentOnly) {
  // One that harms nobody if it gets through.
  const auto group = std::to_string(::getpgrp());
  const std::vector<std::string> targets{"process._kill(process.pid, 18)",
                                         "process._kill(0, 18)",
                                         "process._kill(0.5, 18)",
                                         "process._kill(-" + group + ", 18)",
                                         "process.kill(0, 'SIGCONT')",
                                         "process.kill('0', 18)",
                                         "process.kill(-1, 'SIGCONT')",
                                         "process.kill(-" + group + ", 'SIGCONT')",
                                         "process.kill(" + std::to_string(::gettid()) + ", 18)"};
  for (const auto& target : targets) {
    instance = nullptr;
    observer = std::make_shared<RecordingObserver>();
    options.observer = observer;
    options.parts.clear();
    EXPECT_EQ(eval(target).substr(0, 18), "plugin_not_running") << target;
    EXPECT_EQ(observer->waitForEnd().message, "the plugin sent SIGCONT to its own process")
        << target;
  }
}

TEST_F(SignalsTest, AWorkerThatSignalsTheProcessEndsAlone) {
  EXPECT_EQ(inWorker("process._kill(process.pid, 18)"), "exit 146");
  EXPECT_EQ(inWorker("process.kill(-" + std::to_string(::getpgrp()) + ", 'SIGCONT')"), "exit 146");
  EXPECT_EQ(eval("'still here'"), "still here");
}

TEST_F(SignalsTest, ChildrenAndGroupsOfTheirOwnAreSignalled) {
  EXPECT_EQ(eval(R"js(new Promise((resolve) => {
      const child = use('child_process').spawn('sleep', ['1000'], { detached: true });
      child.on('exit', (code, signal) => resolve(signal + ' ' + process.kill(process.pid, 0)));
      child.on('spawn', () => process.kill(-child.pid, 'SIGINT')) }))js"),
            "SIGINT true");
  EXPECT_EQ(eval("try { process.kill(process.pid, 'SIGNONE') } catch (e) { e.code }"),
            "ERR_UNKNOWN_SIGNAL");
}

TEST_F(SignalsTest, AChildThatWasNeverStartedHasNoNumberToSignal) {
  EXPECT_EQ(eval("new (use('child_process').ChildProcess)().kill(9)"), "false");
  EXPECT_EQ(eval(R"js(new Promise((resolve) => {
      const child = use('child_process').spawn('/does/not/exist');
      const killed = child.kill('SIGKILL');
      child.on('error', (error) => resolve(killed + ' ' + error.code)) }))js"),
            "false ENOENT");
  EXPECT_EQ(eval(R"js(new Promise((resolve) => {
      const child = use('child_process').spawn('sleep', ['1000']);
      child.on('exit', (code, signal) => resolve(signal));
      child.pid = process.pid;
      child.kill('SIGKILL') }))js"),
            "SIGKILL");
}

TEST_F(SignalsTest, TheDebuggerOfTheServerIsNotStarted) {
  EXPECT_EQ(eval("try { process._debugProcess(process.pid) } catch (e) { e.code }"),
            "ERR_WORKER_UNSUPPORTED_OPERATION");
}

}  // namespace
}  // namespace svc::jsruntime
