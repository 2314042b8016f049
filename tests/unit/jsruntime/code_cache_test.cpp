#include "code_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <node_version.h>

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

ScriptKey keyFor(std::string name, std::string_view text) {
  return {std::move(name), sha256(text)};
}

class CodeCacheTest : public ::testing::Test {
 protected:
  /// What another process finds.
  [[nodiscard]] std::string foundLater(const ScriptKey& key, std::uint32_t engine = 7) const {
    CodeCache later;
    later.keepIn(file_, engine);
    const auto code = later.find(key);
    return code ? *code : "";
  }
  void save() {
    CodeCache cache;
    cache.keepIn(file_, 7);
    cache.put(key_, "code");
    cache.put(other_, std::string("\0\xff", 2));
    cache.save();
  }
  [[nodiscard]] std::string fileText() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  ScratchFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "cache" / "scripts";
  const ScriptKey key_ = keyFor("node:fs", "text");
  const ScriptKey other_ = keyFor("svc:core", "text");
};

TEST_F(CodeCacheTest, KeepsCodeForTheNextProcess) {
  save();
  EXPECT_EQ(foundLater(key_), "code");
  EXPECT_EQ(foundLater(other_), std::string("\0\xff", 2));
  EXPECT_EQ(foundLater(keyFor("node:fs", "Text")), "") << "another text of that name";
  EXPECT_EQ(foundLater(key_, 8), "") << "another engine";
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0600));
}

TEST_F(CodeCacheTest, TakesNothingFromADamagedFile) {
  save();
  const auto whole = fileText();
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(file_, std::ios::binary) << damaged;
    EXPECT_EQ(foundLater(key_), "") << at;
    std::ofstream(file_, std::ios::binary) << whole.substr(0, at);
    EXPECT_EQ(foundLater(key_), "") << at;
  }
}

TEST_F(CodeCacheTest, HasOneCodeForEachName) {
  CodeCache cache;
  cache.put(key_, "code");
  const auto newer = keyFor("node:fs", "newer");
  cache.put(newer, "newer code");
  EXPECT_EQ(cache.find(key_), nullptr);
  ASSERT_NE(cache.find(newer), nullptr);
  cache.drop(key_);
  EXPECT_EQ(*cache.find(newer), "newer code") << "that was about the earlier text";
  cache.drop(newer);
  EXPECT_EQ(cache.find(newer), nullptr);
}

TEST_F(CodeCacheTest, LeavesOutWhatIsTooLarge) {
  CodeCache cache;
  cache.put(key_, std::string(33UL << 20, 'x'));
  EXPECT_EQ(cache.find(key_), nullptr);
  cache.put(key_, std::string(20UL << 20, 'x'));
  cache.put(other_, std::string(20UL << 20, 'x'));
  EXPECT_NE(cache.find(key_), nullptr);
  EXPECT_EQ(cache.find(other_), nullptr);
}

TEST_F(CodeCacheTest, NothingButACacheIsReplaced) {
  const auto keep = [this](const std::filesystem::path& file) {
    CodeCache cache;
    cache.keepIn(file, 7);
    cache.put(key_, "code");
    cache.save();
  };
  std::filesystem::create_directory(folder_.path() / "cache");
  std::ofstream(file_) << "somebody's";
  keep(file_);
  EXPECT_EQ(fileText(), "somebody's");
  std::filesystem::remove(file_);
  std::filesystem::create_symlink(folder_.path() / "elsewhere", file_);
  keep(file_);
  EXPECT_TRUE(std::filesystem::is_symlink(file_));
  std::filesystem::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  keep(file_);
  EXPECT_TRUE(std::filesystem::is_fifo(file_));
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  keep(file_);
  EXPECT_TRUE(std::filesystem::is_directory(file_));
}

TEST_F(CodeCacheTest, CodeThatOthersMayHaveWrittenIsNotTaken) {
  save();
  ASSERT_EQ(::chmod(file_.c_str(), 0620), 0);
  EXPECT_EQ(foundLater(key_), "");
  ASSERT_EQ(::chmod(file_.c_str(), 0602), 0);
  EXPECT_EQ(foundLater(key_), "");
  ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
  EXPECT_EQ(foundLater(key_), "code");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file_.c_str(), 65534, 65534), 0);
    EXPECT_EQ(foundLater(key_), "");
  }
}

TEST_F(CodeCacheTest, AFolderThatIsThereKeepsItsMode) {
  std::filesystem::create_directory(folder_.path() / "cache");
  std::filesystem::permissions(folder_.path() / "cache", std::filesystem::perms(0755));
  save();
  EXPECT_EQ(foundLater(key_), "code");
  EXPECT_EQ(std::filesystem::status(folder_.path() / "cache").permissions(),
            std::filesystem::perms(0755));
}

TEST_F(CodeCacheTest, AFolderThatCannotBeWrittenIsNoMatter) {
  std::ofstream(folder_.path() / "cache") << "a file";
  CodeCache cache;
  cache.keepIn(file_, 7);
  cache.put(key_, "code");
  cache.save();
  EXPECT_NE(cache.find(key_), nullptr);
}

#if NODE_MAJOR_VERSION < 20
class SharedCodeTest : public ScriptFixture {
 protected:
  SharedCodeTest() : ScriptFixture(Code::kOwn) {}
};

TEST_F(SharedCodeTest, EnvironmentsTakeWhatTheFirstHasCompiled) {
  auto& cache = CodeCache::instance();
  options.limits.watchdog = std::chrono::milliseconds(400);  // it looks eight times as often
  const auto first = create(
      "runtime.handle('ok', () => new Promise((resolve) => setTimeout(resolve, 20, 'ok')));");
  for (int tries = 0; tries < 500 && !cache.contains("svc:bootstrap"); ++tries) {
    ASSERT_EQ(text(call(first, "ok")), "ok");
  }
  ASSERT_TRUE(cache.contains("node:internal/bootstrap/node"));
  const auto before = cache.taken();
  options.parts.clear();
  const auto second = create("runtime.handle('ok', () => require('node:http').METHODS[0]);");
  EXPECT_GE(cache.taken() - before, 60U);
  EXPECT_EQ(text(call(second, "ok")), "ACL");
  EXPECT_EQ(text(call(first, "ok")), "ok");
}

TEST_F(SharedCodeTest, ScriptsMayAskForTheCodeOfTheirOwn) {
  const auto instance = create(
      "runtime.handle('ok', () => { const vm = require('node:vm'); const make = cachedData => "
      "vm.compileFunction('return 40 + 2', [], { filename: 'x.js', cachedData, produceCachedData: "
      "cachedData === undefined }); const data = make().cachedData; const again = make(data); "
      "return `${data.length > 100} ${again.cachedDataRejected} ${again()}`; });");
  EXPECT_EQ(text(call(instance, "ok")), "true false 42");
}

TEST_F(SharedCodeTest, WorkerThreadsRunNodesScripts) {
  const auto instance = create(
      "runtime.handle('ok', () => new Promise((resolve, reject) => { const { Worker } = "
      "require('node:worker_threads'); const worker = new Worker(\"require('worker_threads')."
      "parentPort.postMessage(require('http').METHODS[0])\", { eval: true }); "
      "worker.on('message', resolve); worker.on('error', reject); }));");
  EXPECT_EQ(text(call(instance, "ok")), "ACL");
}
#endif

}  // namespace
}  // namespace svc::jsruntime
