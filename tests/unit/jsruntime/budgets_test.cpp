// What a script may have at a time: threads, descriptors, memory beside its heap.
#include <thread>

#include "svc/common/codes.h"

#include "isolation_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;

class BudgetsTest : public IsolationTest {
 protected:
  /// An environment that may open so many; how many it has open by itself.
  std::size_t leaveDescriptors(std::size_t count) {
    instance = create(kEval);
    const auto own = instance->stats().descriptors;
    terminate(instance);
    options.parts.clear();
    observer = std::make_shared<RecordingObserver>();
    options.observer = observer;
    options.limits.descriptors = own + count;
    instance = create(kEval);
    return own;
  }
};

// ---- budgets

TEST_F(BudgetsTest, WorkerThreadsAreUnderALimit) {
  options.limits.worker_threads = 2;
  EXPECT_EQ(eval(R"js((async () => {
    const { Worker } = use('worker_threads');
    const start = () => new Worker("setInterval(() => {}, 1000)", { eval: true });
    const workers = [start(), start()];
    let refused = '';
    try { start(); } catch (error) { refused = error.code + ': ' + error.message; }
    await workers[0].terminate();
    workers.push(start());
    return refused;
  })())js"),
            "ERR_WORKER_INIT_FAILED: the plugin has 2 worker threads, the limit is 2 "
            "(plugins.workerThreads): end some, or raise it in plugins.overrides");
}

TEST_F(BudgetsTest, OpenDescriptorsAreUnderALimit) {
  const auto own = leaveDescriptors(60);
  EXPECT_EQ(eval(R"js((async () => {
    const fs = use('fs');
    const open = [];
    let refused;
    try { for (;;) open.push(fs.openSync('/dev/null')); } catch (error) { refused = error; }
    const asked = await new Promise((resolve) => fs.open('/dev/null', (error) => resolve(error.code)));
    const promised = await fs.promises.open('/dev/null').catch((error) => error.code);
    fs.closeSync(open.pop());
    open.push(fs.openSync('/dev/null'));
    return [refused.code, /the plugin has \d+ open descriptors, the limit is \d+ \(plugins.descriptors\): close files/
      .test(refused.message), asked, promised, open.length > 20].join(' ');
  })())js"),
            "EMFILE true EMFILE EMFILE true");
  EXPECT_GT(instance->stats().descriptors, own + 20);
}

TEST_F(BudgetsTest, SocketsAndPipesAreUnderTheSameLimit) {
  leaveDescriptors(60);
  EXPECT_EQ(eval(R"js((async () => {
    const net = use('net'), dgram = use('dgram'), { spawn } = use('child_process'), { Worker } = use('worker_threads');
    const event = (emitter, name) => new Promise((resolve) => emitter.once(name, resolve));
    const outcome = (emitter, done) => Promise.race([event(emitter, done).then(() => done), event(emitter, 'error').then(({ code }) => code)]);
    const there = [];
    const server = net.createServer((socket) => there.push(socket)).listen(0, '127.0.0.1');
    await event(server, 'listening');
    const { port } = server.address();
    const here = [];
    let refused;
    // All at once: what is counted is what is open now, and not what a look a while ago has seen.
    for (let at = 0; at < 200; at++) here.push(net.connect(port, '127.0.0.1'));
    for (const socket of here) socket.on('error', (error) => { refused = error.code; });
    while (refused === undefined) await new Promise(setImmediate);
    const datagrams = outcome(dgram.createSocket('udp4').bind(0), 'listening');
    const listens = outcome(net.createServer().listen(0), 'listening');
    const program = outcome(spawn('true'), 'exit');
    const seen = [await datagrams, await listens, await program];
    const connected = here.filter((socket) => socket.localPort !== undefined).length;
    for (const socket of [...here, ...there]) socket.destroy();
    await new Promise(setImmediate);
    // Those of a worker count, and are given back when it ends.
    const crowd = new Worker(`
      const net = require('net');
      let left = 40;
      for (let at = 0; at < 40; at++) net.createServer().listen(0, () => { if (--left === 0) require('worker_threads').parentPort.postMessage(0); });
    `, { eval: true });
    await event(crowd, 'message');
    const beside = await Promise.all(Array.from({ length: 40 }, () => outcome(net.createServer().listen(0).unref(), 'listening')));
    await crowd.terminate();
    const after = await outcome(net.createServer().listen(0).unref(), 'listening');
    return [refused, ...seen, connected > 10 && connected < 60, beside.includes('EMFILE'), after].join(' ');
  })())js"),
            "EMFILE EMFILE EMFILE EMFILE true true listening");
}

TEST_F(BudgetsTest, WhatIsClosedIsNoLongerCounted) {
  leaveDescriptors(40);
  EXPECT_EQ(eval(R"js((async () => {
    const net = use('net'), http = use('http'), http2 = use('http2'), dgram = use('dgram'), { spawn } = use('child_process');
    const event = (emitter, name) => new Promise((resolve, reject) => emitter.once('error', reject).once(name, resolve));
    const serve = async (server) => { await event(server.listen(0, '127.0.0.1'), 'listening'); return server.address().port; };
    const plain = await serve(net.createServer((socket) => socket.on('error', () => {}).end('x')));
    const web = await serve(http.createServer((request, response) => response.end('x')));
    const second = await serve(http2.createServer().on('stream', (stream) => stream.end('x')));
    for (let round = 0; round < 60; round++) {
      const socket = net.connect(plain, '127.0.0.1').resume();
      await event(socket, 'close');
      if (round % 2) { const reset = net.connect(plain, '127.0.0.1'); await event(reset, 'connect'); reset.resetAndDestroy?.(); reset.destroy(); await event(reset, 'close'); }
      await (await fetch(`http://127.0.0.1:${web}`, { headers: { connection: 'close' } })).text();
      const session = http2.connect(`http://127.0.0.1:${second}`);
      const stream = session.request().resume();
      await event(stream, 'close');
      session.close();
      await event(session, 'close');
      const datagram = dgram.createSocket('udp4').bind(0);
      await event(datagram, 'listening');
      await new Promise((resolve) => datagram.close(resolve));
      await event(spawn('true'), 'close');
    }
    return 'nothing was refused';
  })())js"),
            "nothing was refused");
}

// ---- memory beside the heap

TEST_F(BudgetsTest, BuffersAreUnderALimitOfTheirOwn) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(eval("const all = []; for (;;) all.push(Buffer.alloc(1 << 20))").substr(0, 18),
            "plugin_not_running");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
  EXPECT_EQ(end.message, "the memory of Buffers reached its limit of 128 MiB");
}

TEST_F(BudgetsTest, TheLimitOfBuffersMayBeItsOwn) {
  options.limits.heap_bytes = 64UL << 20;
  options.limits.buffer_bytes = 32UL << 20;
  EXPECT_EQ(eval("const all = []; for (;;) all.push(Buffer.alloc(1 << 20))").substr(0, 18),
            "plugin_not_running");
  EXPECT_EQ(observer->waitForEnd().message, "the memory of Buffers reached its limit of 32 MiB");
}

TEST_F(BudgetsTest, MemoryBesideTheHeapIsUnderALimitInOneStretch) {
  options.limits.heap_bytes = 64UL << 20;
  // Neither comes back to its event loop. Far less than the machine has: a script without a limit comes to the end.
  const auto limit = script::ScriptLimits{.heap_bytes = options.limits.heap_bytes}.bufferBytes();
  for (const auto* const grow :
       {"new WebAssembly.Memory({ initial: 128 })", "Buffer.alloc(8 << 20, 97).toString('latin1')",
        "(() => { const memory = new WebAssembly.Memory({ initial: 1 }); memory.grow(127); return "
        "memory; })()"}) {
    instance.reset();
    options.parts.clear();
    options.observer = observer = std::make_shared<RecordingObserver>();
    const auto answer =
        eval("const all = []; for (let i = 0; i < " + std::to_string(4 * limit >> 23U) +
             "; ++i) all.push(" + grow + "); all.length");
    const auto end = observer->waitForEnd();
    EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
    EXPECT_EQ(answer, "plugin_not_running: " + end.message) << grow;
    const std::string before =
        "the memory of Buffers, WebAssembly and large texts reached its limit of 192 MiB: ";
    ASSERT_TRUE(end.message.starts_with(before) && end.message.ends_with(" MiB are in use"))
        << end.message;
    EXPECT_GE(std::stoul(end.message.substr(before.size())), 192U) << end.message;
  }
  // The same is no matter when it is let go.
  instance.reset();
  options.parts.clear();
  options.observer = std::make_shared<RecordingObserver>();
  EXPECT_EQ(eval("let last; for (let i = 0; i < " + std::to_string(4 * limit >> 23U) +
                 "; ++i) last = new WebAssembly.Memory({ initial: 128 }); last.buffer.byteLength"),
            std::to_string(8 << 20));
}

TEST_F(BudgetsTest, ASnapshotDoesNotPutOffTheLimitOfTheHeap) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(eval("use('v8').setHeapSnapshotNearHeapLimit(3)"), "undefined");
  EXPECT_NE(logged("svc plugin heap").find("warn: "), std::string::npos);
  EXPECT_EQ(eval("const all = []; for (;;) all.push(new Array(1000).fill({}))"),
            "plugin_not_running: the JavaScript heap reached its limit of 64 MiB");
}

TEST_F(BudgetsTest, GarbageDoesNotCountAgainstTheLimitOfBuffers) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(
      eval(
          "let sum = 0; for (let i = 0; i < 64; ++i) sum += new Uint8Array(16 << 20).length >> 20; "
          "sum"),
      "1024");
}

TEST_F(BudgetsTest, TextOfCallsIsCollectedBeforeItPilesUp) {
  options.limits.heap_bytes = 64UL << 20;
  instance = create(std::string(kEval) + "runtime.handle('length', (m, b) => String(b.length));");
  constexpr std::size_t kText = 64UL << 10;
  constexpr std::size_t kPassed = 1UL << 30;
  for (std::size_t passed = 0; passed < kPassed; passed += kText) {
    ASSERT_EQ(text(call(instance, "length", std::string(kText, 'x'))), "65536");
  }
  EXPECT_LT(std::stoul(text(call(instance, "eval", "process.memoryUsage().external"))),
            options.limits.bufferBytes());
}

TEST_F(BudgetsTest, OneBufferBeyondTheLimitEndsTheEnvironment) {
  options.limits.heap_bytes = 64UL << 20;
  EXPECT_EQ(eval("new Uint8Array(1 << 30).fill(1).length").substr(0, 18), "plugin_not_running");
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kHeapLimit);
}

}  // namespace
}  // namespace svc::jsruntime
