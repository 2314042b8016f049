// A script reaches the descriptors that it has opened; every other number is EBADF, whichever way it is used.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <gmock/gmock.h>

#include "descriptor_table.h"
#include "isolation_fixture.h"

namespace svc::jsruntime {
namespace {

/// Every way to use a number; `attempt(name)` answers "done" or the code of the error.
constexpr const char* kUses = R"js(
  const fs = use('fs'), net = use('net'), dgram = use('dgram'), tty = use('tty'), children = use('child_process');
  const later = (act) => new Promise((resolve, reject) => act((error, value) => error ? reject(error) : resolve(value)));
  const event = (emitter, done) => new Promise((resolve, reject) => emitter.on('error', reject).on(done, resolve));
  const uses = {
    closeSync: (fd) => fs.closeSync(fd),
    close: (fd) => later((done) => fs.close(fd, done)),
    readSync: (fd) => fs.readSync(fd, Buffer.alloc(1)),
    read: (fd) => later((done) => fs.read(fd, Buffer.alloc(1), 0, 1, null, done)),
    readvSync: (fd) => fs.readvSync(fd, [Buffer.alloc(1)]),
    readv: (fd) => later((done) => fs.readv(fd, [Buffer.alloc(1)], done)),
    writeSync: (fd) => fs.writeSync(fd, Buffer.from('x')),
    writeText: (fd) => fs.writeSync(fd, 'x'),
    write: (fd) => later((done) => fs.write(fd, 'x', done)),
    writevSync: (fd) => fs.writevSync(fd, [Buffer.from('x')]),
    writev: (fd) => later((done) => fs.writev(fd, [Buffer.from('x')], done)),
    fstatSync: (fd) => fs.fstatSync(fd),
    fstat: (fd) => later((done) => fs.fstat(fd, done)),
    fsyncSync: (fd) => fs.fsyncSync(fd),
    fdatasync: (fd) => later((done) => fs.fdatasync(fd, done)),
    ftruncateSync: (fd) => fs.ftruncateSync(fd, 0),
    ftruncate: (fd) => later((done) => fs.ftruncate(fd, 0, done)),
    fchmodSync: (fd) => fs.fchmodSync(fd, 0o777),
    fchownSync: (fd) => fs.fchownSync(fd, 1, 1),
    futimesSync: (fd) => fs.futimesSync(fd, 1, 1),
    futimes: (fd) => later((done) => fs.futimes(fd, 1, 1, done)),
    readFileSync: (fd) => fs.readFileSync(fd),
    readFile: (fd) => later((done) => fs.readFile(fd, done)),
    writeFileSync: (fd) => fs.writeFileSync(fd, 'x'),
    writeFile: (fd) => later((done) => fs.writeFile(fd, 'x', done)),
    appendFileSync: (fd) => fs.appendFileSync(fd, 'x'),
    readStream: (fd) => event(fs.createReadStream('', { fd }).resume(), 'end'),
    writeStream: (fd) => { const to = fs.createWriteStream('', { fd }); to.end('x'); return event(to, 'finish'); },
    destroyedStream: (fd) => { const to = fs.createReadStream('', { fd }); to.destroy(); return event(to, 'close'); },
    spawn: (fd) => event(children.spawn('true', { stdio: ['ignore', fd, 'ignore'] }), 'exit'),
    spawnExtra: (fd) => event(children.spawn('true', { stdio: ['ignore', 'ignore', 'ignore', { fd }] }), 'exit'),
    spawnSync: (fd) => { const { error } = children.spawnSync('true', { stdio: ['ignore', fd, 'ignore'] }); if (error) throw error; },
    execFileSync: (fd) => children.execFileSync('true', { stdio: ['ignore', 'ignore', fd] }),
    handle: async (fd) => {
      const file = await fs.promises.open('/dev/null');
      try { await new file.constructor({ fd, getAsyncId: () => 1, close: async () => fs.closeSync(fd) }).read(Buffer.alloc(1), 0, 1); }
      finally { await file.close(); }
    },
    nativeHandle: async (fd) => {
      const file = await fs.promises.open('/dev/null');
      const native = file[Object.getOwnPropertySymbols(file).find((symbol) => symbol.description === 'kHandle')];
      try { await new native.constructor(fd).close(); } finally { await file.close(); }
    },
    http2: async (fd) => {
      const http2 = use('http2');
      let refused;
      const server = http2.createServer().on('stream', (stream) => {
        try { stream.respondWithFD(fd); } catch (error) { refused = error; stream.close(); }
      });
      await later((done) => server.listen(0, '127.0.0.1', done));
      const session = http2.connect('http://127.0.0.1:' + server.address().port);
      await event(session.request().resume(), 'close');
      session.destroy(); server.close();
      if (refused) throw refused;
    },
  };
  const sockets = {
    socket: (fd) => void new net.Socket({ fd }).destroy(),
    listen: (fd) => event(net.createServer().listen({ fd }), 'listening'),
    httpListen: (fd) => event(use('http').createServer().listen({ fd }), 'listening'),
  };
  const datagrams = { bind: (fd) => event(dgram.createSocket('udp4').bind({ fd }), 'listening') };
  const terminals = {
    readTerminal: (fd) => void new tty.ReadStream(fd),
    writeTerminal: (fd) => void new tty.WriteStream(fd),
  };
  const attempt = async (kind, fd) => {
    const seen = [];
    for (const [name, act] of Object.entries(kind)) {
      try { await act(fd); seen.push(name + ' done'); } catch (error) { seen.push(name + ' ' + error.code); }
    }
    return seen;
  };
  // readFile loses the error of the number that it is given.
  const refused = / EBADF$|^readFileSync undefined$|^readFile ERR_INVALID_ARG_TYPE$/;
  const all = async (kind, fd) => (await attempt(kind, fd)).filter((line) => !refused.test(line)).join();
)js";

/// A descriptor of the server's, as far as the script is concerned.
class Foreign {
 public:
  explicit Foreign(int descriptor) : descriptor_(descriptor) {}
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  ~Foreign() { ::close(descriptor_); }
  [[nodiscard]] std::string number() const { return std::to_string(descriptor_); }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool open() const { return ::fcntl(descriptor_, F_GETFD) != -1; }
  [[nodiscard]] bool blocking() const { return (::fcntl(descriptor_, F_GETFL) & O_NONBLOCK) == 0; }

 private:
  int descriptor_;
};

class DescriptorsTest : public IsolationTest {
 protected:
  /// What `body` answers, with the uses at hand; `body` is the inside of an async function.
  std::string with(const std::string& body) {
    return eval("(async () => {" + std::string(kUses) + body + "})()");
  }
  /// The uses of this kind that do not answer EBADF, in the script and in a worker of it.
  std::string allowed(const std::string& kind, const Foreign& foreign) {
    const auto use = "all(" + kind + ", " + foreign.number() + ")";
    folder.write("worker.js",
                 "const use = require; const { parentPort } = require('worker_threads');" +
                     std::string(kUses) + use + ".then((seen) => parentPort.postMessage(seen))");
    return with("return await " + use +
                " + await new Promise((resolve, reject) => new "
                "(use('worker_threads').Worker)('./worker.js').on('message', resolve).on('error', "
                "reject))");
  }
  Foreign file() const {
    return Foreign(::open(folder.write("server.db", "the server's").c_str(), O_RDWR | O_CLOEXEC));
  }
  static Foreign listener() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(descriptor, reinterpret_cast<sockaddr*>(&any), sizeof(any)), 0);
    return Foreign(descriptor);
  }
};

TEST_F(DescriptorsTest, AFileOfTheServerIsOutOfReach) {
  const auto foreign = file();
  struct stat before {};
  ASSERT_EQ(::fstat(foreign.get(), &before), 0);
  EXPECT_EQ(allowed("uses", foreign), "");
  EXPECT_TRUE(foreign.open());
  struct stat after {};
  ASSERT_EQ(::fstat(foreign.get(), &after), 0);
  EXPECT_EQ(after.st_size, before.st_size);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(::lseek(foreign.get(), 0, SEEK_CUR), 0);
}

TEST_F(DescriptorsTest, ASocketOfTheServerIsOutOfReach) {
  const auto stream = listener();
  EXPECT_EQ(allowed("sockets", stream), "");
  EXPECT_EQ(allowed("uses", stream), "");
  const Foreign datagram(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(allowed("datagrams", datagram), "");
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Foreign reader(ends[0]);
  const Foreign writer(ends[1]);
  EXPECT_EQ(allowed("{ socket: sockets.socket }", reader), "");
  EXPECT_EQ(allowed("{ socket: sockets.socket }", writer), "");
  for (const auto* foreign : {&stream, &datagram, &reader, &writer}) {
    EXPECT_TRUE(foreign->open());
    EXPECT_TRUE(foreign->blocking());
  }
}

TEST_F(DescriptorsTest, ATerminalOfTheServerIsOutOfReach) {
  const Foreign terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal.open());
  EXPECT_EQ(with("return (await attempt(terminals, " + terminal.number() + ")).join()"),
            "readTerminal ERR_TTY_INIT_FAILED,writeTerminal ERR_TTY_INIT_FAILED");
  EXPECT_TRUE(terminal.open());
  EXPECT_TRUE(terminal.blocking());
}

TEST_F(DescriptorsTest, WhatAScriptOpensItUsesInEveryWay) {
  folder.write("own.txt", "own");
  const auto open = "const open = () => fs.openSync('" + (folder.path() / "own.txt").string() +
                    "', 'r+'); const failed = [];";
  EXPECT_EQ(with(open + R"js(
    for (const [name, act] of Object.entries(uses)) {
      if (name.includes('andle')) continue; // a second object around a number
      const fd = open();
      const [seen] = await attempt({ [name]: act }, fd);
      if (!seen.endsWith(' done')) failed.push(seen);
      if (!name.startsWith('close') && !name.endsWith('Stream')) fs.closeSync(fd);
    }
    return failed.join())js"),
            "");
  EXPECT_EQ(
      with(open + "const fd = await later((done) => fs.open('/dev/null', done)); fs.closeSync(fd);"
                  "return (await attempt({ close: uses.closeSync }, fd)).join()"),
      "close EBADF");
}

TEST_F(DescriptorsTest, ClosingTwiceDoesNotCloseWhatTookTheNumber) {
  EXPECT_EQ(with("globalThis.fd = fs.openSync('/dev/null'); fs.closeSync(fd); return 'closed'"),
            "closed");
  const auto number = std::stoi(eval("fd"));
  ASSERT_EQ(::fcntl(number, F_GETFD), -1);
  ASSERT_EQ(::dup2(STDOUT_FILENO, number), number);
  const Foreign successor(number);
  EXPECT_EQ(allowed("{ closeSync: uses.closeSync, close: uses.close }", successor), "");
  EXPECT_TRUE(successor.open());
}

TEST_F(DescriptorsTest, ANumberThatNodeHasClosedIsNotTheScriptsAnyMore) {
  EXPECT_EQ(with("const handle = await fs.promises.open('/dev/null'); globalThis.fd = handle.fd;"
                 "await handle.close(); return 'closed'"),
            "closed");
  const auto number = std::stoi(eval("fd"));
  ASSERT_EQ(::fcntl(number, F_GETFD), -1);
  ASSERT_EQ(::dup2(STDOUT_FILENO, number), number);
  const Foreign successor(number);
  EXPECT_EQ(allowed("{ close: uses.closeSync, stat: uses.fstatSync }", successor), "");
  EXPECT_TRUE(successor.open());
}

TEST_F(DescriptorsTest, ASocketTakesItsNumberAlong) {
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(with("globalThis.fd = fs.openSync('" + fifo.string() +
                 R"js(', fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    const socket = new net.Socket({ fd });
    const seen = await attempt({ close: uses.closeSync, stat: uses.fstatSync, again: sockets.socket }, fd);
    socket.destroy();
    await event(socket, 'close');
    return seen.join())js"),
            "close EBADF,stat done,again EBADF");
  const auto number = std::stoi(eval("fd"));
  ASSERT_EQ(::fcntl(number, F_GETFD), -1);
  ASSERT_EQ(::dup2(STDOUT_FILENO, number), number);
  const Foreign successor(number);
  EXPECT_EQ(allowed("{ close: uses.closeSync, stat: uses.fstatSync }", successor), "");
  EXPECT_TRUE(terminate(instance));
  EXPECT_TRUE(successor.open());
}

TEST_F(DescriptorsTest, AFileHandleLetsGoOfTheNumberThatIsClosed) {
  EXPECT_EQ(with(R"js(
    const handle = await fs.promises.open('/dev/null');
    const { fd } = handle;
    fs.closeSync(fd);
    const again = await handle.close().then(() => 'closed', (error) => error.code);
    return again + ' ' + (await attempt({ stat: uses.fstatSync }, fd)))js"),
            "EBADF stat EBADF");
}

TEST_F(DescriptorsTest, WorkersShareTheDescriptorsOfTheirEnvironment) {
  EXPECT_EQ(with(R"js(
    const { Worker } = use('worker_threads');
    const run = (text, options) => event(new Worker(text, { eval: true, ...options }), 'message');
    const fd = fs.openSync('/dev/null');
    const handle = await fs.promises.open('/dev/null');
    const answers = [
      await run(`const { workerData, parentPort } = require('worker_threads');
        parentPort.postMessage(require('fs').fstatSync(workerData).isCharacterDevice())`, { workerData: fd }),
      await run(`const { workerData, parentPort } = require('worker_threads');
        (async () => { await workerData.stat(); await workerData.close(); parentPort.postMessage('transferred') })()`,
        { workerData: handle, transferList: [handle] }),
    ];
    fs.closeSync(fd);
    return answers.join())js"),
            "true,transferred");
}

TEST_F(DescriptorsTest, WhatAWorkerLeavesOpenIsClosedWithIt) {
  const auto number = with(R"js(
    const worker = new (use('worker_threads').Worker)(
      "const fd = require('fs').openSync('/dev/null'); require('worker_threads').parentPort.postMessage(fd)", { eval: true });
    const [fd] = await Promise.all([event(worker, 'message'), event(worker, 'exit')]);
    return fd + ' ' + (await attempt({ stat: uses.fstatSync }, fd)))js");
  EXPECT_THAT(number, ::testing::EndsWith(" stat EBADF"));
  EXPECT_EQ(::fcntl(std::stoi(number), F_GETFD), -1);
}

std::size_t descriptorCount() {
  return static_cast<std::size_t>(std::distance(
      std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

/// What the runtime itself may have opened meanwhile, for an environment that it prepares and one that is about to end, too; without
/// the wall it is more than a hundred.
constexpr std::size_t kOthers = 30;

/// Whether there are no more than before but for those; an environment that has ended closes its own a moment later.
bool noneLeftSince(std::size_t before) {
  constexpr int kLookAgainMs = 10;
  const auto deadline = std::chrono::steady_clock::now() + kTooLong;
  while (descriptorCount() > before + kOthers) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    ::poll(nullptr, 0, kLookAgainMs);
  }
  return true;
}

/// Opens and closes files for ever, many at once, in every way that is not synchronous.
constexpr const char* kOpensForEver = R"js(
  const opens = require('fs');
  const again = () => opens.open('/dev/null', (error, fd) => opens.close(fd, again));
  const handles = () => opens.promises.open('/dev/null').then((handle) => handle.close()).then(handles, () => {});
  const reads = () => opens.readFile('/dev/null', reads);
  for (let i = 0; i < 8; ++i) again(), handles(), reads();
)js";

TEST_F(DescriptorsTest, NoDescriptorIsLeftOfOpensThatTheEndOfAWorkerMeets) {
  EXPECT_EQ(with("return 'ready'"), "ready");
  const auto before = descriptorCount();
  folder.write("opens.js", std::string(kOpensForEver) +
                               "require('worker_threads').parentPort.postMessage('on its way')");
  EXPECT_EQ(with(R"js(
    const { Worker } = use('worker_threads');
    for (let i = 0; i < 20; ++i) {
      const worker = new Worker('./opens.js');
      await event(worker, 'message');
      await worker.terminate();
    }
    return 'ended')js"),
            "ended");
  EXPECT_TRUE(noneLeftSince(before)) << before << " and now " << descriptorCount();
}

TEST_F(DescriptorsTest, NoDescriptorIsLeftOfOpensThatTheEndOfAnEnvironmentMeets) {
  const auto before = descriptorCount();
  for (int round = 0; round < 10; ++round) {
    const auto ended = create(kEval);
    EXPECT_EQ(text(call(ended, "eval",
                        "{ const require = use;" + std::string(kOpensForEver) + "} 'on its way'")),
              "on its way");
    EXPECT_TRUE(terminate(ended));
  }
  EXPECT_TRUE(noneLeftSince(before)) << before << " and now " << descriptorCount();
}

TEST_F(DescriptorsTest, AnOpenThatFailsSaysWhyInEveryWay) {
  EXPECT_EQ(
      with(R"js(
    const said = async (act) => act.then(() => 'done', ({ code, errno, syscall, path }) => [code, errno, syscall, path].join(' '));
    return [await said(later((done) => fs.open('/no/such', done))), await said(fs.promises.open('/no/such')),
            await said(later((done) => fs.readFile('/no/such', done))), await said(fs.promises.readFile(Buffer.from('/no/such')))].join())js"),
      "ENOENT -2 open /no/such,ENOENT -2 open /no/such,ENOENT -2 open /no/such,ENOENT -2 open "
      "/no/such");
}

TEST_F(DescriptorsTest, AnOpenKeepsTheContextInWhichItWasAsked) {
  EXPECT_EQ(with(R"js(
    const storage = new (use('async_hooks').AsyncLocalStorage)();
    return (await Promise.all([
      storage.run('one', () => later((done) => fs.readFile('/dev/null', (e) => done(e, storage.getStore())))),
      storage.run('two', () => later((done) => fs.open('/dev/null', (e, fd) => { fs.closeSync(fd); done(e, storage.getStore()); }))),
      storage.run('three', async () => { await (await fs.promises.open('/dev/null')).close(); return storage.getStore(); }),
    ])).join())js"),
            "one,two,three");
}

TEST_F(DescriptorsTest, AHandleThatWasMovedToAWorkerStaysOpenThere) {
  EXPECT_EQ(with(R"js(
    use('v8').setFlagsFromString('--expose-gc');
    const { Worker } = use('worker_threads');
    const worker = new Worker(`const { parentPort } = require('worker_threads'); let handle;
      parentPort.on('message', async (got) => {
        if (got.handle) { handle = got.handle; parentPort.postMessage('taken'); return; }
        try { await handle.stat(); await handle.close(); parentPort.postMessage('used'); } catch (error) { parentPort.postMessage(error.code); }
      })`, { eval: true });
    const next = () => new Promise((resolve) => worker.once('message', resolve));
    const move = async () => {
      const handle = await fs.promises.open(process.execPath);
      const { fd } = handle;
      worker.postMessage({ handle }, [handle]);
      return fd;
    };
    const taken = next();
    const fd = await move();
    const seen = [await taken, (await attempt({ stat: uses.fstatSync }, fd))];
    const used = next();
    worker.postMessage({});
    seen.push(await used, await attempt({ stat: uses.fstatSync }, fd));
    await worker.terminate();
    return seen.join())js"),
            "taken,stat done,used,stat EBADF");
}

/// A program that closes all its streams and moves one away, as plain bytes: (module (import fd_close, fd_renumber)
/// (func (export "_start") …) (memory (export "memory") 1)).
constexpr const char* kClosingProgram = R"js(
  const wasm = [0,97,115,109,1,0,0,0, 1,15,3,96,1,127,1,127,96,2,127,127,1,127,96,0,0,
    2,72,2, 22,...Buffer.from('wasi_snapshot_preview1'),8,...Buffer.from('fd_close'),0,0,
            22,...Buffer.from('wasi_snapshot_preview1'),11,...Buffer.from('fd_renumber'),0,1,
    3,2,1,2, 5,3,1,0,1, 7,19,2, 6,...Buffer.from('memory'),2,0, 6,...Buffer.from('_start'),0,2,
    10,26,1,24,0, 65,0,16,0,26, 65,1,16,0,26, 65,2,16,0,26, 65,1,65,2,16,1,26, 11];
)js";

TEST_F(DescriptorsTest, AWebAssemblyProgramClosesNoNumberBehindTheScript) {
  EXPECT_EQ(with(std::string(kClosingProgram) + R"js(
    const { WASI } = use('wasi');
    const fd = fs.openSync('/dev/null', 'r+');
    const used = () => fs.readdirSync('/proc/self/fd').length;
    let first;
    for (let i = 0; i < 20; ++i) {
      const wasi = new WASI({ version: 'preview1', stdin: fd });
      const { instance } = await WebAssembly.instantiate(Uint8Array.from(wasm), { wasi_snapshot_preview1: wasi.wasiImport });
      wasi.start(instance);
      first ??= used();
    }
    return [used() - first, await attempt({ stat: uses.fstatSync }, fd)].join())js"),
            "0,stat done");
  EXPECT_EQ(eval(R"js((async () => {
    const { Worker } = use('worker_threads');
    const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(`
      import { WASI } from "node:wasi"; import { parentPort } from "node:worker_threads";
      parentPort.postMessage(new WASI({ version: "preview1" }).wasiImport.fd_renumber(0, 1));`)));
    return new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
  })())js"),
            "58");
}

TEST_F(DescriptorsTest, TheEndOfAnEnvironmentClosesWhatItLeft) {
  const auto number = std::stoi(with("return fs.openSync('/dev/null')"));
  EXPECT_NE(::fcntl(number, F_GETFD), -1);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST_F(DescriptorsTest, TheStandardDescriptorsAnswerEveryUse) {
  const auto mode = [](int descriptor) {
    struct stat now {};
    ::fstat(descriptor, &now);
    return now.st_mode;
  };
  const auto before = mode(STDOUT_FILENO);
  EXPECT_EQ(with(R"js(return (await attempt({
        stat: uses.fstatSync, sync: uses.fsyncSync, chmod: uses.fchmodSync, truncate: uses.ftruncateSync,
        read: uses.readSync, writeFile: uses.writeFile, writeFileSync: uses.writeFileSync }, 1)).join())js"),
            "stat done,sync done,chmod EBADF,truncate EBADF,read EBADF,writeFile "
            "done,writeFileSync done");
  EXPECT_EQ(mode(STDOUT_FILENO), before);
  EXPECT_EQ(with("return (await later((done) => fs.readFile(0, done))).length"), "0");
}

TEST(DescriptorTableTest, CountsWhatIsOpenAndClosesWhatNobodyElseWill) {
  const int number = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int handles = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  DescriptorTable table;
  table.set(number, DescriptorTable::Holder::kNumber);
  table.set(handles, DescriptorTable::Holder::kHandle);
  EXPECT_EQ(table.count(), 2U);
  EXPECT_EQ(table.holderOf(number), DescriptorTable::Holder::kNumber);
  table.closeOfThisThread();
  EXPECT_EQ(table.holderOf(number), DescriptorTable::Holder::kNone);
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  EXPECT_EQ(table.count(), 1U) << "its object may have been moved to another thread";
  EXPECT_EQ(table.holderOf(handles), DescriptorTable::Holder::kHandle);
  ::close(handles);
  EXPECT_EQ(table.count(), 0U);
  EXPECT_EQ(table.holderOf(handles), DescriptorTable::Holder::kNone);
}

}  // namespace
}  // namespace svc::jsruntime
