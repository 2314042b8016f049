// What a script does to its process, its threads and its memory stays with the script.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "isolation_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;
using ::testing::AnyOf;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// ---- the standard descriptors

TEST_F(IsolationTest, ClosingAStandardDescriptorDoesNothing) {
  EXPECT_EQ(eval("use('fs').closeSync(1)"), "undefined");
  EXPECT_EQ(eval("new Promise((resolve) => use('fs').close(2, resolve))"), "null");
  EXPECT_EQ(inWorker("const fs = require('fs'); [0, 1, 2].forEach((fd) => fs.closeSync(fd)); "
                     "require('worker_threads').parentPort.postMessage('closed')"),
            "closed");
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    EXPECT_NE(::fcntl(descriptor, F_GETFD), -1) << descriptor;
  }
}

TEST_F(IsolationTest, StandardInputIsEmpty) {
  EXPECT_EQ(eval("use('fs').readFileSync(0, 'utf8').length"), "0");
  EXPECT_EQ(eval("use('fs').readSync(0, Buffer.alloc(4))"), "0");
  EXPECT_EQ(eval("new Promise((resolve, reject) => use('fs').read(0, Buffer.alloc(4), 0, 4, null,"
                 " (error, count) => error ? reject(error) : resolve(count)))"),
            "0");
}

TEST_F(IsolationTest, WritesToTheStandardDescriptorsAreLines) {
  eval(
      "use('fs').writeSync(1, 'one\\n'); use('fs').writevSync(2, [Buffer.from('tw'), "
      "Buffer.from('o\\n')])");
  const auto all = logged("two");
  EXPECT_NE(all.find("info: one\n"), std::string::npos) << all;
  EXPECT_NE(all.find("info: two\n"), std::string::npos) << all;
  EXPECT_EQ(eval("use('tty').isatty(1)"), "false");
}

// ---- files that Node names

TEST_F(IsolationTest, HeapSnapshotsWithoutAPathAreWrittenInTheScriptsFolder) {
  const auto own = eval("use('v8').writeHeapSnapshot()");
  EXPECT_TRUE(own.starts_with((folder.path() / "Heap.").string())) << own;
  EXPECT_TRUE(std::filesystem::exists(own));
  EXPECT_EQ(eval("use('v8').writeHeapSnapshot('a.heapsnapshot')"),
            (folder.path() / "a.heapsnapshot").string());
  const auto elsewhere = (folder.path() / "b/c.heapsnapshot").string();
  std::filesystem::create_directory(folder.path() / "b");
  EXPECT_EQ(eval("use('v8').writeHeapSnapshot('" + elsewhere + "')"), elsewhere);
  EXPECT_EQ(inWorker("require('worker_threads').parentPort.postMessage("
                     "require('v8').writeHeapSnapshot('w.heapsnapshot'))"),
            (folder.path() / "w.heapsnapshot").string());
  for (const char* name : {"a.heapsnapshot", "b/c.heapsnapshot", "w.heapsnapshot"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  }
}

TEST_F(IsolationTest, ProfilesOfWorkersAreWrittenInTheScriptsFolder) {
  eval(
      R"(new Promise((resolve) => new (use('worker_threads').Worker)('1 + 1', { eval: true, execArgv:
          ['--cpu-prof', '--cpu-prof-name=cpu.cpuprofile', '--heap-prof', '--heap-prof-dir', 'heaps',
           '--heap-prof-name=heap.heapprofile'] }).on('exit', resolve)))");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "cpu.cpuprofile"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "heaps/heap.heapprofile"));
}

// ---- child processes

TEST_F(IsolationTest, ChildrenInheritTheStreamsOfTheScript) {
  EXPECT_EQ(eval("new Promise((resolve) => { const child = use('child_process').spawn('sh', ['-c', "
                 "'echo spawned; cat'], { stdio: 'inherit' }); child.on('close', (code) => "
                 "resolve(code + ' ' + child.stdout)) })"),
            "0 null");
  EXPECT_EQ(eval("use('child_process').execSync('echo run', { stdio: 'inherit' })"), "null");
  EXPECT_EQ(eval("use('child_process').spawnSync('echo', ['synced'], { stdio: [0, process.stderr, "
                 "2], encoding: 'utf8' }).status"),
            "0");
  EXPECT_EQ(eval("try { use('child_process').execFileSync('sh', ['-c', 'echo broken >&2; exit 3'], "
                 "{ stdio: 'inherit' }) } catch (e) { e.status + ' ' + e.message }"),
            "3 Command failed: sh -c echo broken >&2; exit 3");
  const auto all = logged("broken");
  for (const char* line : {"spawned", "run", "synced", "broken"}) {
    EXPECT_NE(all.find(line), std::string::npos) << all;
  }
}

TEST_F(IsolationTest, MembersOfAClusterInheritThemToo) {
  const auto file = folder.write("member.cjs", "console.log('a member'); process.exit(3)").string();
  EXPECT_EQ(eval("const cluster = use('cluster'); cluster.setupPrimary({ exec: '" + file +
                 "' }); new Promise((resolve) => cluster.fork().on('exit', resolve))"),
            "3");
  EXPECT_NE(logged("a member").find("info: a member"), std::string::npos);
}

TEST_F(IsolationTest, PipesToChildrenStayTheScripts) {
  EXPECT_EQ(eval("use('child_process').execSync('echo mine', { encoding: 'utf8' }).trim()"),
            "mine");
  EXPECT_EQ(eval("use('child_process').spawnSync('cat', { input: 'in' }).stdout.toString()"), "in");
  EXPECT_EQ(eval("new Promise((resolve) => use('child_process').exec('echo out; echo err >&2',"
                 " (error, out, err) => resolve(out.trim() + err.trim())))"),
            "outerr");
  EXPECT_EQ(eval("new Promise((resolve) => use('child_process').spawn('/does/not/exist', "
                 "{ stdio: 'inherit' }).on('error', (e) => resolve(e.code)))"),
            "ENOENT");
}

TEST_F(IsolationTest, EndsTheChildrenOfWorkerThreads) {
  EXPECT_EQ(inWorker(R"(
      const child = require('child_process').spawn('sleep', ['1000']);
      console.log('child ' + child.pid + ';');
      setInterval(() => {}, 1000);
      require('worker_threads').parentPort.postMessage('started'))"),
            "started");
  const auto all = logged("child ");
  const auto pid = std::stoi(all.substr(all.find("child ") + 6));
  EXPECT_TRUE(terminate(instance));
  const auto gone = [pid] {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(status >> number >> name >> state) || state == "Z";
  };
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (!gone() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gone());
}

// ---- worker threads

TEST_F(IsolationTest, AWorkerThatKillsItsProcessEndsAlone) {
  EXPECT_EQ(inWorker("process.kill(process.pid, 'SIGKILL')"), "exit 137");
  EXPECT_EQ(inWorker("process.abort()"), "exit 134");
  EXPECT_EQ(inWorker("process.exit(3)"), "exit 3");
  EXPECT_EQ(eval("'still here'"), "still here");
  EXPECT_NE(logged("SIGKILL").find("sent SIGKILL to its own process: this worker ends"),
            std::string::npos);
}

TEST_F(IsolationTest, WorkersHaveTheSameWallsAndFeatures) {
  folder.write("addon.node", "not an addon");
  const auto refused = inWorker("require('" + (folder.path() / "addon.node").string() + "')");
  EXPECT_TRUE(refused.starts_with("ERR_DLOPEN_FAILED native addons are not supported")) << refused;
  EXPECT_EQ(inWorker("require('worker_threads').parentPort.postMessage([3, 1].toSorted() + ' ' + "
                     "typeof WebSocket + ' ' + typeof Promise.withResolvers)"),
            "1,3 function function");
  EXPECT_EQ(inWorker("process.chdir('/')").substr(0, 32), "ERR_WORKER_UNSUPPORTED_OPERATION");
}

TEST_F(IsolationTest, WorkersOfWorkersHaveThemToo) {
  EXPECT_EQ(inWorker(R"(const { Worker, parentPort } = require('worker_threads');
      new Worker('process.kill(process.pid)', { eval: true })
        .on('exit', (code) => parentPort.postMessage('inner ' + code)))"),
            "inner 143");
}

TEST_F(IsolationTest, SharedVariablesOfAWorkerAreNotTheServers) {
  EXPECT_EQ(
      eval(R"js(new Promise((resolve) => { const { Worker, SHARE_ENV } = use('worker_threads');
      new Worker("process.env.SVC_LEAK = '1'", { eval: true, env: SHARE_ENV }).on('exit', resolve) }))js"),
      "0");
  EXPECT_EQ(getenv("SVC_LEAK"), nullptr);
}

TEST_F(IsolationTest, RunsAWorkerOfTypeScript) {
  folder.write("value.ts", "export const value: number = 41;");
  folder.write("worker.ts", R"(
    import { parentPort, workerData } from 'node:worker_threads';
    import { value } from './value';
    enum Step { One = 1 }
    parentPort!.postMessage(`${value + Step.One} ${workerData.given} ${import.meta.dirname}`);
  )");
  folder.write("waits.ts", R"(
    import { parentPort } from 'node:worker_threads';
    const answer = await new Promise<string>((resolve) => parentPort!.once('message', resolve));
    parentPort!.postMessage(answer);
  )");
  const auto run = [](const std::string& file, const std::string& given) {
    return "new Promise((resolve, reject) => { const worker = new (use('worker_threads').Worker)(" +
           file + ", " + given +
           "); worker.on('message', resolve).on('error', reject); worker.postMessage('asked') })";
  };
  EXPECT_EQ(eval(run("'./worker.ts'", "{ workerData: { given: 'data' } }")),
            "42 data " + folder.path().string());
  EXPECT_EQ(eval(run("new URL('file://" + (folder.path() / "waits.ts").string() + "')", "{}")),
            "asked");
  folder.write("broken.ts", "const = 1;");
  EXPECT_NE(eval(run("'./broken.ts'", "{}")).find("broken.ts:1"), std::string::npos);
}

TEST_F(IsolationTest, AWorkerIsUnderTheHeapLimitOfItsEnvironment) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(inWorker("const all = []; for (;;) all.push({ at: all.length })").substr(0, 24),
            "ERR_WORKER_OUT_OF_MEMORY");
  EXPECT_EQ(eval("'still here'"), "still here");
}

TEST_F(IsolationTest, OneAllocationOfAWorkerBeyondTheLimitEndsOnlyItsEnvironment) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(inWorker("JSON.parse('[' + '{\\\"a\\\":[1.5,2]},'.repeat(8e6) + '0]')").substr(0, 18),
            "plugin_not_running");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
  EXPECT_TRUE(end.message.starts_with("V8 gave up in a worker thread")) << end.message;
  const auto neighbour = [&] {
    options.observer = std::make_shared<RecordingObserver>();
    options.parts.clear();
    return create(kEval);
  }();
  EXPECT_EQ(text(call(neighbour, "eval", "'neighbour'")), "neighbour");
}

// ---- the process

TEST_F(IsolationTest, RefusesToChangeTheIdentityOfTheProcess) {
  const auto mask = ::umask(022);
  ::umask(mask);
  for (const char* change : {"process.setuid(0)", "process.setgid(0)", "process.umask(0o777)",
                             "process.chdir('/')", "process.initgroups('root', 0)"}) {
    EXPECT_EQ(eval(std::string("try { ") + change + "; 'changed' } catch (e) { e.code }"),
              "ERR_WORKER_UNSUPPORTED_OPERATION")
        << change;
  }
  const auto after = ::umask(mask);
  EXPECT_EQ(after, mask);
}

/// What process.binding(`name`) gives is walled, or Node keeps it to itself.
const auto kRefusedOrGone = AnyOf("ERR_WORKER_UNSUPPORTED_OPERATION", StartsWith("No such module"));

TEST_F(IsolationTest, RefusesToChangeTheCryptographyOfTheProcess) {
  // Each would fail createHash("md5") of every plugin, or load a library into the server.
  for (const char* change : {
           "use('crypto').setFips(true)",
           "use('crypto').setFips(false)",
           "use('crypto').fips = true",
           "use('crypto').setEngine('dynamic')",
           "use('tls').createSecureContext({ clientCertEngine: 'dynamic' })",
           "use('tls').createSecureContext({ privateKeyEngine: 'dynamic', privateKeyIdentifier: "
           "'k' })",
       }) {
    const auto attempt = std::string("try { ") + change + "; 'changed' } catch (e) { e.code }";
    EXPECT_EQ(eval(attempt), "ERR_WORKER_UNSUPPORTED_OPERATION") << change;
  }
  EXPECT_THAT(refusalOfBinding("crypto", "setFipsCrypto(1)"), kRefusedOrGone);
  EXPECT_THAT(refusalOfBinding("crypto", "setEngine('dynamic', 1)"), kRefusedOrGone);
  EXPECT_EQ(inWorker("import('node:crypto').then((all) => all.setFips(true))").substr(0, 32),
            "ERR_WORKER_UNSUPPORTED_OPERATION");
  // In a worker Node itself may refuse it first.
  EXPECT_THAT(inWorker("require('node:crypto').fips = 1"),
              MatchesRegex("ERR_WORKER_UNSUPPORTED_OPERATION .*crypto.setFips.* is not "
                           "supported(: it would change the whole server| in workers)"));
  EXPECT_EQ(inWorker("require('crypto').setEngine('dynamic')").substr(0, 32),
            "ERR_WORKER_UNSUPPORTED_OPERATION");
  EXPECT_EQ(eval("use('crypto').fips + ' ' + use('crypto').createHash('md5').digest('hex')"),
            "0 d41d8cd98f00b204e9800998ecf8427e");
  options.parts.clear();
  EXPECT_EQ(text(call(create(kEval), "eval", "use('crypto').createHash('md5').digest('hex')")),
            "d41d8cd98f00b204e9800998ecf8427e");
}

TEST_F(IsolationTest, RefusesTheBindingsThatChangeTheProcess) {
  const auto before = ::getpriority(PRIO_PROCESS, 0);
  for (const auto& [binding, change] : {std::pair{"v8", "setFlagsFromString('--no-opt')"},
                                        std::pair{"v8", "setHeapSnapshotNearHeapLimit(1)"},
                                        std::pair{"os", "setPriority(0, 19, {})"}}) {
    EXPECT_THAT(refusalOfBinding(binding, change), kRefusedOrGone) << change;
  }
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
  EXPECT_EQ(eval("typeof process.binding('os').getHostname"), "function") << "the rest is there";
  EXPECT_EQ(eval("try { use('trace_events').createTracing({ categories: ['node'] }).enable(); 1 }"
                 " catch (e) { e.code }"),
            "ERR_TRACE_EVENTS_UNAVAILABLE");
}

TEST_F(IsolationTest, RefusesAnInspectorOfItsOwn) {
  constexpr const char* kAttempts = R"js(
    const inspector = require('inspector');
    const attempt = (act) => { try { return 'went on ' + act(); } catch (error) { return error.message; } };
    [() => inspector.open(0, '127.0.0.1'), () => inspector.waitForDebugger(), () => new inspector.Session().connect(),
     () => process.binding('inspector').open(0, '127.0.0.1'), () => inspector.url()].map(attempt).join('\n');
  )js";
  constexpr const char* kHint =
      " is not supported in a plugin: use \"svc plugin inspect\" for a debugger, \"svc plugin "
      "profile\" and \"svc plugin heap\" for recordings\n";
  const auto expected = std::string("inspector.open()") + kHint + "inspector.waitForDebugger()" +
                        kHint + "inspector.Session.connect()" + kHint + "inspector.open()" + kHint +
                        "went on undefined";
  EXPECT_EQ(eval(std::string("const require = use;") + kAttempts), expected);
  EXPECT_EQ(inWorker("try { require('inspector').open(0) } catch (error) { "
                     "require('worker_threads').parentPort.postMessage(error.code) }"),
            "ERR_INSPECTOR_NOT_AVAILABLE");
}

TEST_F(IsolationTest, RefusesReportsWhereTheServerWorks) {
  for (const char* change :
       {"process.report.writeReport()", "process.report.filename = 'stderr'",
        "process.report.directory = '/'", "process.report.reportOnFatalError = true"}) {
    EXPECT_EQ(eval(std::string("try { ") + change + "; 'changed' } catch (e) { e.code }"),
              "ERR_WORKER_UNSUPPORTED_OPERATION")
        << change;
  }
  EXPECT_EQ(inWorker("process.report.writeReport()").substr(0, 32),
            "ERR_WORKER_UNSUPPORTED_OPERATION");
  EXPECT_EQ(eval("typeof process.report.getReport().header + process.report.filename"), "object");
}

TEST_F(IsolationTest, KeepsThePriorityOfTheProcess) {
  const auto before = ::getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(eval("use('os').setPriority(19); use('os').setPriority(process.pid, 19)"), "undefined");
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
  EXPECT_EQ(eval("for (const id of use('fs').readdirSync('/proc/self/task')) {"
                 "  use('os').setPriority(Number(id), 19); }"),
            "undefined");
  EXPECT_EQ(eval("try { use('os').setPriority('x', 19) } catch (e) { e.code }"),
            "ERR_INVALID_ARG_TYPE");
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto id = static_cast<id_t>(std::stoi(thread.path().filename()));
    EXPECT_EQ(::getpriority(PRIO_PROCESS, id), before) << id;
  }
}

TEST_F(IsolationTest, RefusesTheInternalsThatReachTheProcess) {
  for (const char* name : {"fs", "process_wrap", "signal_wrap", "spawn_sync", "tty_wrap"}) {
    EXPECT_EQ(
        eval(std::string("try { process.binding('") + name + "'); 'got it' } catch (e) { e.code }"),
        "ERR_INVALID_MODULE");
  }
  EXPECT_EQ(eval("typeof process.binding('os')"), "object") << "others are there";
}

TEST_F(IsolationTest, NamesTheSignalThatAScriptSendsToItself) {
  EXPECT_EQ(eval("process.kill(process.pid, 'SIGINT')").substr(0, 18), "plugin_not_running");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kSignal);
  EXPECT_EQ(end.exit_code, 130);
  EXPECT_EQ(end.message, "the plugin sent SIGINT to its own process");
}

TEST_F(IsolationTest, SurvivesTamperingWithGlobals) {
  EXPECT_EQ(
      eval("JSON.parse = JSON.stringify = () => { throw new Error('mine') }; "
           "globalThis.setTimeout = undefined; Array.prototype.map = null; Map.prototype.get = "
           "null; Error.prepareStackTrace = () => { throw 1 }; 'tampered'"),
      "tampered");
  EXPECT_EQ(eval("1 + 1"), "2");
  EXPECT_TRUE(terminate(instance));
}

// ---- accounting

TEST_F(IsolationTest, CountsTheCpuTimeOfWorkerThreads) {
  EXPECT_EQ(inWorker("const end = performance.now() + 300; while (performance.now() < end); "
                     "require('worker_threads').parentPort.postMessage('done')"),
            "done");
  EXPECT_GE(instance->stats().cpu_ms, 100U);
}

TEST_F(IsolationTest, MeasuresTheDelayOfTheLoopAndTheShareOfTheCpu) {
  options.limits.watchdog = std::chrono::milliseconds(80);
  EXPECT_EQ(eval("'up'"), "up");
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (instance->stats().loop_delay_p99_ms == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_GT(instance->stats().loop_delay_p99_ms, 0);
  while (instance->stats().cpu_percent == 0 && std::chrono::steady_clock::now() < until) {
    EXPECT_EQ(eval("let n = 0; while (n < 1e6) ++n; n"), "1000000");
  }
  EXPECT_GT(instance->stats().cpu_percent, 0);
}

}  // namespace
}  // namespace svc::jsruntime
