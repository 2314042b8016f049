#include "file_changes.h"

#include <sys/stat.h>

#include "fixture.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;

class FileChangesTest : public FilesTest {
 protected:
  std::string make(const std::string& path, bool recursive = false) const {
    return code(makeDirectory(bounds_, confined(path).set("recursive", recursive).dump()));
  }
  std::string remove(const std::string& path, bool recursive = false) const {
    return code(removePath(bounds_, confined(path).set("recursive", recursive).dump()));
  }
  std::string move(const std::string& from, const std::string& to) const {
    return code(movePath(bounds_, Json::object()
                                      .set("sourcePath", from)
                                      .set("destinationPath", to)
                                      .set("rootPath", in().string())
                                      .dump()));
  }
};

TEST_F(FileChangesTest, MakesADirectoryOrAllAboveIt) {
  EXPECT_EQ(make("a"), "ok");
  EXPECT_EQ(make("a"), "conflict");
  EXPECT_EQ(make("a", true), "ok");
  EXPECT_EQ(make("b/c"), "not_found");
  EXPECT_EQ(make("b/c", true), "ok");
  directory_.write("in/file", "");
  EXPECT_EQ(make("file"), "conflict");
  EXPECT_EQ(make("file/x", true), "invalid_input");
  EXPECT_EQ(make("../x", true), "forbidden");
}

TEST_F(FileChangesTest, MovesOntoNothing) {
  directory_.write("in/a", "a");
  directory_.write("in/b", "b");
  EXPECT_EQ(move("a", "b"), "conflict");
  EXPECT_EQ(move("a", "c"), "ok");
  EXPECT_EQ(textOf(in() / "c"), "a");
  EXPECT_EQ(move("a", "d"), "not_found");
  EXPECT_EQ(make("e"), "ok");
  EXPECT_EQ(move("e", "e/f"), "invalid_input");
  EXPECT_EQ(move("c", "../out/c"), "forbidden");
  EXPECT_EQ(move((out() / "secret").string(), "mine"), "forbidden");
}

TEST_F(FileChangesTest, ALinkIsMovedAndRemovedAsALink) {
  fs::create_symlink(out(), in() / "link");
  EXPECT_EQ(move("link", "other"), "ok");
  EXPECT_EQ(remove("other", true), "ok");
  EXPECT_EQ(textOf(out() / "secret"), "secret");
}

TEST_F(FileChangesTest, RemovesWhatIsEmptyOrAllWhenAsked) {
  directory_.write("in/tree/a/b", "x");
  fs::create_symlink(out(), in() / "tree/link");
  ASSERT_EQ(::mkfifo((in() / "tree/fifo").c_str(), 0600), 0);
  EXPECT_EQ(remove("tree"), "conflict");
  EXPECT_EQ(remove("tree", true), "ok");
  EXPECT_FALSE(fs::exists(in() / "tree"));
  EXPECT_EQ(textOf(out() / "secret"), "secret");
  EXPECT_EQ(remove("tree", true), "not_found");
  EXPECT_EQ(make("empty"), "ok");
  EXPECT_EQ(remove("empty/"), "ok");
}

TEST_F(FileChangesTest, TheRootItselfStays) {
  for (const auto& path :
       {std::string("."), in().string(), std::string("/"), std::string("a/..")}) {
    EXPECT_NE(remove(path, true), "ok") << path;
  }
  EXPECT_TRUE(fs::exists(in()));
  EXPECT_NE(code(removePath(bounds_, R"({"path":"/","recursive":true})")), "ok");
}

TEST_F(FileChangesTest, MembersOfAnotherTypeAreRefused) {
  EXPECT_EQ(code(removePath(bounds_, R"({"path":"/tmp/x","recursive":"yes"})")), "invalid_input");
  EXPECT_EQ(code(makeDirectory(bounds_, R"({"path":1})")), "invalid_input");
  EXPECT_EQ(code(movePath(bounds_, R"({"sourcePath":"/tmp/x"})")), "invalid_input");
}

}  // namespace
}  // namespace svc::hostfiles
