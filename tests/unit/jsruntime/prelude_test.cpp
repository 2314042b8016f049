#include <utility>

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

class PreludeTest : public ScriptFixture {
 protected:
  /// Evaluates each expression (which may be a promise) and compares its JSON.
  void expectAll(const std::vector<std::pair<std::string, std::string>>& cases) {
    auto instance = create(R"(runtime.handle('eval', async (meta, body) => {
      try { return JSON.stringify(await eval(body)) ?? 'undefined'; }
      catch (error) { return Error.prototype.toString.call(error); }
    });)");
    for (const auto& [expression, expected] : cases) {
      // A failure is compared as far as the case says.
      const auto answer = text(call(instance, "eval", expression));
      EXPECT_EQ(expected.find("Error: ") != std::string::npos ? answer.substr(0, expected.size())
                                                              : answer,
                expected)
          << expression;
    }
  }
};

TEST_F(PreludeTest, AddsPromiseAndArrayFeatures) {
  expectAll({
      {"(() => { const d = Promise.withResolvers(); d.resolve(1); return d.promise })()", "1"},
      {"Promise.try((a) => a + 1, 2)", "3"},
      {"Promise.try(() => { throw new Error('x') }).catch((e) => e.message)", "\"x\""},
      {"[3,1,2].toSorted()", "[1,2,3]"},
      {"[3,1,2].toReversed()", "[2,1,3]"},
      {"[1,2,3].with(-1, 9)", "[1,2,9]"},
      {"[1].with(1, 9)", "RangeError: Invalid index : 1"},
      {"[1,2,3].toSpliced(1, 1, 'a', 'b')", R"([1,"a","b",3])"},
      {"[1,2,3].toSpliced(1)", "[1]"},
      {"[...new Uint8Array([3,1,2]).toSorted()]", "[1,2,3]"},
      {"Array.fromAsync((async function*() { yield 1; yield 2 })(), (x) => x * 2)", "[2,4]"},
      {"Array.fromAsync([Promise.resolve(1), 2])", "[1,2]"},
      {"[1,2,3].findLast((x) => x < 3)", "2"},
      {"(() => { const keys = []; for (const k in [1]) keys.push(k); return keys })()", "[\"0\"]"},
  });
}

TEST_F(PreludeTest, AddsCollectionFeatures) {
  expectAll({
      {"Object.groupBy([1,2,3], (x) => x % 2 ? 'odd' : 'even')", R"({"odd":[1,3],"even":[2]})"},
      {"[...Map.groupBy([1,2,3], (x) => x % 2)]", "[[1,[1,3]],[0,[2]]]"},
      {"[...new Set([1,2]).union(new Set([2,3]))]", "[1,2,3]"},
      {"[...new Set([1,2,3]).intersection(new Set([3,2]))]", "[3,2]"},
      {"[...new Set([1,2,3]).difference(new Map([[2,0]]))]", "[1,3]"},
      {"[...new Set([1,2]).symmetricDifference(new Set([2,3]))]", "[1,3]"},
      {"[new Set([1]).isSubsetOf(new Set([1,2])), new Set([1,2]).isSupersetOf(new Set([1])), new "
       "Set([1]).isDisjointFrom(new Set([2]))]",
       "[true,true,true]"},
      {"(() => { try { new Set().union([1]) } catch (e) { return e.name } })()", "\"TypeError\""},
      {"['a\\ud800'.isWellFormed(), 'ok'.isWellFormed(), 'a\\ud800b'.toWellFormed()]",
       "[false,true,\"a\xEF\xBF\xBD"
       "b\"]"},
  });
}

TEST_F(PreludeTest, AddsIteratorHelpers) {
  expectAll({
      {"[1,2,3].values().map((x) => x * 2).filter((x) => x > 2).toArray()", "[4,6]"},
      {"(function*() { let n = 0; for (;;) yield n++ })().drop(2).take(3).toArray()", "[2,3,4]"},
      {"[[1],[2,3]].values().flatMap((x) => x).toArray()", "[1,2,3]"},
      {"[1,2,3].values().reduce((a, b) => a + b)", "6"},
      {"[1,2,3].values().reduce((a, b) => a + b, undefined)", "null"},
      {"[[1].values().some((x) => x === 1), [1].values().every((x) => x === 2), "
       "[1,5].values().find((x) => x > 2)]",
       "[true,false,5]"},
      {"Iterator.from({ next() { return { done: this.n > 1, value: this.n = (this.n ?? 0) + 1 } } "
       "}).toArray()",
       "[1,2]"},
      {"new Map([[1,2]]).keys() instanceof Iterator", "true"},
      {"(() => { let closed = false; const it = (function*() { try { yield 1; yield 2 } finally { "
       "closed = true } })(); it.take(1).toArray(); return closed })()",
       "true"},
      {"(() => { try { [].values().take(-1) } catch (e) { return e.name } })()", "\"RangeError\""},
  });
}

TEST_F(PreludeTest, AddsWebGlobals) {
  expectAll({
      {"crypto.randomUUID().length", "36"},
      {"crypto.subtle.digest('SHA-256', new Uint8Array(1)).then((d) => d.byteLength)", "32"},
      {"new File(['ab'], 'n.txt').size", "2"},
      {"new CustomEvent('x', { detail: 7 }).detail", "7"},
      {"typeof navigator.hardwareConcurrency", "\"number\""},
      {"[URL.canParse('http://a'), URL.canParse('a'), URL.parse('http://a/b').pathname, "
       "URL.parse('b', 'x')]",
       R"([true,false,"/b",null])"},
      {"AbortSignal.any([AbortSignal.abort('r')]).reason", "\"r\""},
      {"structuredClone(new Map([[1, { a: 2 }]])).get(1)", R"({"a":2})"},
      {"process.getBuiltinModule('node:path').join('a', 'b')", "\"a/b\""},
      {"process.getBuiltinModule('nope')", "undefined"},
      {"[typeof fetch, typeof WebSocket, typeof FormData]",
       R"(["function","function","function"])"},
      // A Node that has `navigator` shows it.
      {"Object.keys(globalThis).filter((name) => ['File', 'CustomEvent', "
       "'Iterator'].includes(name))",
       "[]"},
  });
}

TEST_F(PreludeTest, AddsFunctionsOfNewerModules) {
  expectAll({
      // A newer Node asks a stream whether it shows colours.
      {"process.getBuiltinModule('node:util').styleText('red', 'x', { validateStream: false })",
       R"("\u001b[31mx\u001b[39m")"},
      {"process.getBuiltinModule('util').styleText(['bold', 'nope'], 'x')",
       "TypeError: The argument 'format' must be one of"},
      {"process.getBuiltinModule('util').parseEnv('A=1 # one\\nexport B=\"x y\"\\n# C=3')",
       R"({"A":"1","B":"x y"})"},
      {"process.getBuiltinModule('zlib').crc32('hello')", "907060870"},
      {"process.getBuiltinModule('crypto').hash('sha1', 'abc')",
       R"("a9993e364706816aba3e25717850c26c9cd0d89d")"},
      {"process.getBuiltinModule('fs').openAsBlob('/dev/null').then((blob) => blob.size)", "0"},
      {"process.availableMemory() > 0", "true"},
      {"new Uint8Array(new Uint8Array([1, 2, 3]).buffer.transfer(2)).join()", R"("1,2")"},
      {"(() => { const b = new ArrayBuffer(8); b.transfer(); return b.byteLength })()", "0"},
      {"Array.fromAsync(ReadableStream.from(['a', Promise.resolve('b')]))", R"(["a","b"])"},
      {"(() => { const h = new Headers(); h.append('set-cookie', 'a=1'); h.append('set-cookie', "
       "'b=2, c'); return h.getSetCookie() })()",
       R"(["a=1","b=2, c"])"},
      {"new Response('').headers.getSetCookie()", "[]"},
  });
}

TEST_F(PreludeTest, AddsWhatNodeHasSinceItsLaterVersions) {
  const std::string util = "process.getBuiltinModule('util')";
  const std::string parse = util + ".parseArgs({ allowNegative: true, ";
  expectAll({
      {"new Promise((resolve) => { new PerformanceObserver((list) => "
       "resolve(list.getEntries()[0].name)).observe({ entryTypes: ['mark'] }); "
       "performance.mark('m') })",
       R"("m")"},
      {"typeof PerformanceMark", R"("function")"},
      {"new Blob(['ab']).bytes().then((bytes) => [bytes instanceof Uint8Array, bytes.join()])",
       R"([true,"97,98"])"},
      {"new Response('ab').bytes().then((bytes) => bytes.join())", R"("97,98")"},
      {"new Request('http://a', { method: 'POST', body: 'ab' }).bytes().then((b) => b.join())",
       R"("97,98")"},
      {"(async () => { const [a, b] = process.getBuiltinModule('stream').duplexPair(); "
       "a.end('one'); "
       "b.write(''); b.end('two'); return [String(await b.toArray()), String(await a.toArray())] "
       "})()",
       R"(["one","two"])"},
      {"(function asker() { return " + util + ".getCallSites(1).map((s) => s.functionName) })()",
       R"(["asker"])"},
      {"(() => { const before = Error.stackTraceLimit; const sites = " + util +
           ".getCallSites(); return [sites[0].lineNumber, typeof new Error('x').stack, "
           "Error.stackTraceLimit === before] })()",
       R"([1,"string",true])"},
      {util + ".getCallSites(0)", "RangeError: The value of"},
      {parse + "args: ['--no-b'], options: { b: { type: 'boolean' } } }).values", R"({"b":false})"},
      {parse +
           "args: ['--no-b', '-b'], options: { b: { type: 'boolean', short: 'b', multiple: true "
           "} } }).values",
       R"({"b":[false,true]})"},
      {parse +
           "args: ['--no-b'], options: { b: { type: 'boolean', default: true }, 'no-c': { type: "
           "'boolean' } } }).values",
       R"({"b":false})"},
      {parse + "strict: false, args: ['--no-x', 'y'], options: {} })",
       R"({"values":{"x":false},"positionals":["y"]})"},
      {"(() => { try { " + parse +
           "args: ['--no-x'], options: {} }) } catch (e) { return e.code } })()",
       R"("ERR_PARSE_ARGS_UNKNOWN_OPTION")"},
      {util +
           ".parseArgs({ args: ['-b'], options: { b: { type: 'boolean', short: 'b' } } }).values",
       R"({"b":true})"},
  });
}

TEST_F(PreludeTest, KeepsEachSetCookieHeader) {
  const std::string two =
      "(() => { const h = new Headers({ 'x-a': '1' }); h.append('Set-Cookie', 'a=1; Expires=Wed, "
      "21 Oct 2026'); h.append('set-cookie', 'b=2'); return h; })()";
  const std::string cookies = R"(["a=1; Expires=Wed, 21 Oct 2026","b=2"])";
  const std::string pairs =
      R"([["set-cookie","a=1; Expires=Wed, 21 Oct 2026"],["set-cookie","b=2"],["x-a","1"]])";
  expectAll({
      {"[..." + two + "]", pairs},
      {"[..." + two + ".entries()]", pairs},
      {"[..." + two + ".keys()]", R"(["set-cookie","set-cookie","x-a"])"},
      {"[..." + two + ".values()]", R"(["a=1; Expires=Wed, 21 Oct 2026","b=2","1"])"},
      {"(() => { const seen = []; " + two +
           ".forEach((v, k) => seen.push([k, v])); return seen })()",
       pairs},
      {two + ".get('set-cookie')", R"("a=1; Expires=Wed, 21 Oct 2026, b=2")"},
      {two + ".getSetCookie()", cookies},
      {"new Headers(" + two + ").getSetCookie()", cookies},
      {"new Response('', { headers: " + two + " }).headers.getSetCookie()", cookies},
      {"new Response('', { headers: " + two + " }).clone().headers.getSetCookie()", cookies},
      {"new Request(new Request('http://a', { headers: " + two + " })).headers.getSetCookie()",
       cookies},
      {"new Request(new Request('http://a', { headers: " + two +
           " }), { method: 'POST' }).headers.getSetCookie()",
       cookies},
      {"(() => { const h = " + two +
           "; const copy = new Headers(h); h.append('set-cookie', 'c=3'); "
           "const first = [...h].length; h.set('set-cookie', 'd=4'); return [first, [...h], "
           "copy.getSetCookie().length] })()",
       R"([4,[["set-cookie","d=4"],["x-a","1"]],2])"},
      {"(() => { const h = " + two +
           "; h.delete('set-cookie'); return [[...h], h.getSetCookie()] })()",
       R"([[["x-a","1"]],[]])"},
      {"(() => { const http = process.getBuiltinModule('http'); return new Promise((resolve) => { "
       "const server = http.createServer((request, response) => { response.setHeader('set-cookie', "
       "['a=1; Path=/, x', 'b=2, c=3']); response.end() }).listen(0, '127.0.0.1', async () => { "
       "const { headers } = await fetch('http://127.0.0.1:' + server.address().port); "
       "server.close(); resolve([headers.getSetCookie(), new Headers(headers).getSetCookie()]) }) "
       "}) })()",
       R"([["a=1; Path=/, x","b=2, c=3"],["a=1; Path=/, x","b=2, c=3"]])"},
  });
}

TEST_F(PreludeTest, ConnectsWebSockets) {
  expectAll(
      {{"(() => { const { createRequire } = process.getBuiltinModule('module');"
        "  const { WebSocketServer } = createRequire('" SVC_TEST_NODE_MODULES "/')('ws');"
        "  return new Promise((resolve) => {"
        "    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });"
        "    server.on('connection', (socket) => socket.on('message', (data) => socket.send('echo "
        "' + data)));"
        "    server.on('listening', () => {"
        "      const socket = new WebSocket('ws://127.0.0.1:' + server.address().port);"
        "      socket.addEventListener('error', (event) => resolve(String(event.error)));"
        "      socket.addEventListener('open', () => socket.send('hi'));"
        "      socket.addEventListener('message', (event) => { resolve(event.data); "
        "socket.close(); server.close(); });"
        "    });"
        "  });"
        "})()",
        "\"echo hi\""}});
}

TEST_F(PreludeTest, LeavesBuiltInsReplaceable) {
  expectAll({
      {"(() => { globalThis.File = 'mine'; return File })()", "\"mine\""},
      {"Object.getOwnPropertyDescriptor(Array.prototype, 'toSorted').enumerable", "false"},
      {"process.execPath.endsWith('node')", "true"},
  });
}

}  // namespace
}  // namespace svc::jsruntime
