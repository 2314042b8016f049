// What would change the process of the server, and the processes a script starts.

#include <signal.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "svc/common/codes.h"

#include "fault_fixture.h"

namespace svc::jsruntime {
namespace {

TEST_F(FaultTest, RefusesNativeAddons) {
  folder.write("addon.node", "not an addon");
  auto instance = create(kEvalAtOnce);
  const auto loaded = call(instance, "eval",
                           "try { process.getBuiltinModule('module').createRequire('/')('" +
                               (folder.path() / "addon.node").string() +
                               "'); 'loaded' } catch (e) { e.code + ' ' + e.message }");
  EXPECT_NE(text(loaded).find("ERR_DLOPEN_FAILED native addons are not supported"),
            std::string::npos)
      << text(loaded);
}

TEST_F(FaultTest, KeepsTheProcessOfTheServer) {
  auto instance = create(kEvalAtOnce);
  const auto folder_before = std::filesystem::current_path();
  EXPECT_EQ(
      text(call(instance, "eval", "try { process.chdir('/'); 'moved' } catch (e) { e.code }")),
      "ERR_WORKER_UNSUPPORTED_OPERATION");
  EXPECT_EQ(std::filesystem::current_path(), folder_before);
  EXPECT_EQ(
      text(
          call(instance, "eval",
               "process.env.SVC_X = 1; process.title = 'mine'; process.env.SVC_X + process.title")),
      "1mine");
  EXPECT_EQ(getenv("SVC_X"), nullptr);
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  EXPECT_TRUE(
      call(instance, "eval", "process.once('SIGTERM', () => {}); process.on('SIGINT', () => {})")
          .ok());
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_EQ(seen.lines.size(), 1U);
  EXPECT_EQ(seen.lines[0].level, "warn");
}

TEST_F(FaultTest, LeavesTheFlagsOfTheEngineAlone) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval",
                      "process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc'); "
                      "process.getBuiltinModule('vm').runInNewContext('typeof gc')")),
            "undefined");
}

TEST_F(FaultTest, GivesWorkersTheVariablesOfTheEnvironment) {
  options.environment = {{"SVC_SERVER_URL", "http://here"}};
  auto instance = create(kEvalAsync);
  EXPECT_EQ(text(call(instance, "eval",
                      R"js(new Promise((resolve, reject) => {
    const { Worker } = process.getBuiltinModule('worker_threads');
    const worker = new Worker("require('worker_threads').parentPort.postMessage("
      + "process.env.SVC_SERVER_URL + ' ' + typeof crypto.subtle)", { eval: true });
    worker.on('message', resolve).on('error', reject);
  }))js")),
            "http://here object");
}

TEST_F(FaultTest, GivesTheEnvironmentItsOwnVariables) {
  options.environment = {{"SVC_SERVER_URL", "http://here"}};
  setenv("SVC_FROM_SERVER", "yes", 1);
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(
      text(call(instance, "eval", "process.env.SVC_SERVER_URL + process.env.SVC_FROM_SERVER")),
      "http://hereyes");
}

TEST_F(FaultTest, EndsChildProcessesAndTheirChildren) {
  auto instance = create(std::string(kEvalAtOnce));
  ASSERT_TRUE(call(instance, "eval", R"(
    const { spawn } = process.getBuiltinModule('child_process');
    const child = spawn('sh', ['-c', 'sleep 1000 & echo $!; trap "" TERM; while :; do sleep 0.1; done']);
    child.stdout.on('data', (text) => console.log(child.pid + ' ' + String(text).trim()));)")
                  .ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_FALSE(seen.lines.empty());
  int shell = 0;
  int sleeper = 0;
  ASSERT_EQ(sscanf(seen.lines[0].text.c_str(), "%d %d", &shell, &sleeper), 2);
  EXPECT_TRUE(terminate(instance));
  // The shell ignores SIGTERM, so this waits for the SIGKILL as well. Gone, or a zombie of whoever adopted it.
  const auto gone = [](int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(status >> number >> name >> state) || state == "Z";
  };
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (!(gone(shell) && gone(sleeper)) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gone(shell));
  EXPECT_TRUE(gone(sleeper));
}

TEST_F(FaultTest, EndsWhatHasLeftItsTree) {
  auto instance = create(std::string(kEvalAtOnce));
  const auto begun = call(instance, "eval", R"(
    const { execFileSync } = process.getBuiltinModule('child_process');
    const daemon = (env) => String(execFileSync('/usr/bin/setsid', ['-f', '/bin/sh', '-c',
      'echo $$; exec /bin/sleep 1000 >/dev/null 2>&1'], { env })).trim();
    console.log([daemon(process.env), daemon({}), daemon({ SVC_LOAD_ID: '' })].join(' ')))");
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_FALSE(seen.lines.empty());
  std::array<int, 3> pids{};
  ASSERT_EQ(sscanf(seen.lines[0].text.c_str(), "%d %d %d", &pids[0], &pids[1], &pids[2]), 3)
      << seen.lines[0].text;
  EXPECT_TRUE(terminate(instance));
  const auto gone = [](int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(status >> number >> name >> state) || state == "Z";
  };
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (!(gone(pids[0]) && gone(pids[1])) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gone(pids[0]));
  EXPECT_TRUE(gone(pids[1]));
  EXPECT_FALSE(gone(pids[2])) << "the script has let go of it";
  ::kill(pids[2], SIGKILL);
}

TEST_F(FaultTest, TerminatesAScriptThatWaitsForAChildProcess) {
  auto instance = create(std::string(kEvalAtOnce));
  auto waiting =
      start(instance, "eval",
            "console.log('in'); process.getBuiltinModule('child_process').execSync('sleep 1000')");
  observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
}

}  // namespace
}  // namespace svc::jsruntime
