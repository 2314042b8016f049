// Every function of `process` is one that somebody has looked at: a new one of a newer Node may act on the whole server.
#include <cstdlib>
#include <string>
#include <string_view>

#include "isolation_fixture.h"

namespace svc::jsruntime {
namespace {

/// Functions that read, or act on the environment that calls them.
constexpr const char* kHarmless =
    "_debugEnd _fatalException _getActiveHandles _getActiveRequests _linkedBinding _rawDebug "
    "_startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback assert availableMemory "
    "constrainedMemory cpuUsage cwd emit emitWarning exit finalization.register "
    "finalization.registerBeforeExit finalization.unregister getActiveResourcesInfo "
    "getBuiltinModule getegid geteuid getgid getgroups getuid "
    "hasUncaughtExceptionCaptureCallback hrtime hrtime.bigint memoryUsage "
    "memoryUsage.rss nextTick openStdin permission.has reallyExit ref report.getReport "
    "resourceUsage setSourceMapsEnabled setUncaughtExceptionCaptureCallback threadCpuUsage unref "
    "uptime";
/// Those that the prelude, or Node for what is no main thread, keeps from the process.
constexpr const char* kWalled =
    "_debugProcess _kill _startProfiler abort binding chdir dlopen execve initgroups kill "
    "loadEnvFile "
    "report.writeReport setegid seteuid setgid setgroups setuid umask";

/// The names of those that are in neither list. Of emitters what all emitters have is left out.
std::string unknownFunctions() {
  return std::string(R"js((() => {
    const known = new Set(')js") +
         kHarmless + " " + kWalled + R"js('.split(' '));
    const unknown = [];
    const look = (object, prefix, end) => {
      for (let at = object; at !== null && at !== end; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) {
          let value;
          try { value = object[name]; } catch { continue; }
          if (typeof value === 'function' && name !== 'constructor' && !known.has(prefix + name)) {
            unknown.push(prefix + name);
          }
        }
      }
    };
    look(process, '', process.getBuiltinModule('events').prototype);
    for (const part of ['finalization', 'permission', 'report']) {
      if (process[part]) look(process[part], part + '.', Object.prototype);
    }
    for (const part of ['hrtime', 'memoryUsage']) look(process[part], part + '.', Function.prototype);
    return unknown.join() || 'none';
  })())js";
}

using ProcessFunctionsTest = IsolationTest;

TEST_F(ProcessFunctionsTest, AreAllKnownInAScript) { EXPECT_EQ(eval(unknownFunctions()), "none"); }

TEST_F(ProcessFunctionsTest, AreAllKnownInAWorker) {
  EXPECT_EQ(
      inWorker("require('worker_threads').parentPort.postMessage(" + unknownFunctions() + ")"),
      "none");
}

TEST_F(ProcessFunctionsTest, WhatWouldChangeTheProcessIsRefused) {
  for (const char* change : {"setuid(0)", "setgid(0)", "seteuid(0)", "setegid(0)", "setgroups([])",
                             "initgroups('root', 0)", "umask(0o777)", "umask('0777')"}) {
    EXPECT_EQ(eval(std::string("try { process.") + change + "; 'changed' } catch (e) { e.code }"),
              "ERR_WORKER_UNSUPPORTED_OPERATION")
        << change;
  }
  EXPECT_EQ(eval("typeof process.umask()"), "number");
}

TEST_F(ProcessFunctionsTest, NoScriptTakesThePlaceOfTheServer) {
  EXPECT_EQ(eval("try { process.execve('/bin/true', ['true']) } catch (e) { e.code ?? e.name }"),
            eval("'execve' in process ? 'ERR_WORKER_UNSUPPORTED_OPERATION' : 'TypeError'"));
}

TEST_F(ProcessFunctionsTest, VariablesOfAFileAreTheScriptsAlone) {
  const auto file = folder.write(".env", "SVC_TEST_LOADED=one\nPATH=nowhere\n").string();
  EXPECT_EQ(eval("process.loadEnvFile('" + file +
                 "'); process.env.SVC_TEST_LOADED + ' ' + (process.env.PATH !== 'nowhere')"),
            "one true");
  // No thread changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe)
  EXPECT_EQ(std::getenv("SVC_TEST_LOADED"), nullptr);
}

}  // namespace
}  // namespace svc::jsruntime
