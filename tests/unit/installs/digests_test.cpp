#include "digests.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

class DigestsTest : public ::testing::Test {
 protected:
  DigestsTest() {
    root_.write("package.json", "{}");
    root_.write("src/server.ts", "export default 1");
    root_.write("node_modules/dep/index.js", "dep");
    root_.write(".git/HEAD", "ref");
    fs::create_symlink("server.ts", root_.path() / "src" / "link.ts");
  }
  Digests recorded() const { return computeDigests(root_.path()).value(); }
  std::string difference(const Digests& digests) const {
    return firstDifference(root_.path(), digests).value();
  }
  TempDir root_;
};

TEST_F(DigestsTest, NameEveryFileAndTheDependenciesAsOne) {
  std::vector<std::string> names;
  for (const auto& [name, digest] : recorded()) {
    names.push_back(name);
    EXPECT_EQ(digest.size(), 64U);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("node_modules/", "package.json", "src/link.ts",
                                            "src/server.ts"));
  EXPECT_EQ(recorded()["package.json"],
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

TEST_F(DigestsTest, AFileNameThatJsonHasNoTextForIsRefused) {
  root_.write("docs/caf\xE9.txt", "latin1");
  const auto digests = computeDigests(root_.path());
  ASSERT_FALSE(digests);
  EXPECT_EQ(digests.error().code, errc::kInstallRefused);
  EXPECT_THAT(digests.error().message, ::testing::HasSubstr("\"docs/caf\xEF\xBF\xBD.txt\""));
}

TEST_F(DigestsTest, ADependencyMayHaveAnyName) {
  const auto before = recorded();
  root_.write("node_modules/dep/caf\xE9.txt", "latin1");
  EXPECT_EQ(difference(before), "node_modules/ has changed");
  EXPECT_EQ(difference(recorded()), "");
}

TEST_F(DigestsTest, AFlippedByteIsADifference) {
  const auto digests = recorded();
  EXPECT_EQ(difference(digests), "");
  root_.write("src/server.ts", "export default 2");
  EXPECT_EQ(difference(digests), "src/server.ts has changed");
}

TEST_F(DigestsTest, AChangedDependencyIsADifference) {
  const auto digests = recorded();
  root_.write("node_modules/dep/index.js", "deq");
  EXPECT_EQ(difference(digests), "node_modules/ has changed");
}

TEST_F(DigestsTest, AnAddedDependencyIsADifferenceAndItsCacheIsNone) {
  const auto digests = recorded();
  root_.write("node_modules/.cache/x", "x");
  EXPECT_EQ(difference(digests), "");
  root_.write("node_modules/other/index.js", "x");
  EXPECT_EQ(difference(digests), "node_modules/ has changed");
}

TEST_F(DigestsTest, AMissingFileIsADifference) {
  const auto digests = recorded();
  fs::remove(root_.path() / "package.json");
  EXPECT_EQ(difference(digests), "package.json is missing");
}

TEST_F(DigestsTest, AFifoInPlaceOfAFileIsNotOpened) {
  const auto digests = recorded();
  fs::remove(root_.path() / "package.json");
  ASSERT_EQ(::mkfifo((root_.path() / "package.json").c_str(), 0600), 0);
  const auto looked = firstDifference(root_.path(), digests);
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().message, ::testing::HasSubstr("package.json: it is no file"));
}

TEST_F(DigestsTest, AFileInPlaceOfALinkIsADifference) {
  const auto digests = recorded();
  fs::remove(root_.path() / "src" / "link.ts");
  root_.write("src/link.ts", "export default 1");
  EXPECT_EQ(difference(digests), "src/link.ts has changed");
}

TEST_F(DigestsTest, FilesThatCameLaterAreThePluginsOwn) {
  const auto digests = recorded();
  root_.write("data/cache.json", "{}");
  EXPECT_EQ(difference(digests), "");
}

TEST_F(DigestsTest, SurviveTheirRow) {
  EXPECT_EQ(digestsFromJson(toJsonText(recorded())).value(), recorded());
  EXPECT_FALSE(digestsFromJson("").ok());
  EXPECT_FALSE(digestsFromJson("[]").ok());
}

TEST_F(DigestsTest, CheckSubresourceIntegrity) {
  const auto file = root_.path() / "package.json";
  const auto integrity = integrityOf(file).value();
  EXPECT_EQ(integrity,
            "sha512-J8dGcK23UHX60FjVzq97IMTneGyDuuijL2Jvl4KvNMmjPCBG72D9Knh403jin+yFGAa72aZ4ePOp8c2"
            "kgwdj/Q==");
  EXPECT_TRUE(hasIntegrity(file, integrity).value());
  EXPECT_TRUE(hasIntegrity(file, "sha1-vyGp6PvFo4RvsFtPoIWeCReyIC8= " + integrity).value());
  EXPECT_TRUE(hasIntegrity(file, "sha1-vyGp6PvFo4RvsFtPoIWeCReyIC8=").value());
  EXPECT_FALSE(hasIntegrity(file, "sha512-AAAA").value());
  EXPECT_FALSE(hasIntegrity(file, "md5-AAAA").value());
  EXPECT_FALSE(hasIntegrity(file, "").value());
}

}  // namespace
}  // namespace svc::installs
