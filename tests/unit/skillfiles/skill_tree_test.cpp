#include "svc/skillfiles/skill_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/skills.h"

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SkillTreeTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path root() const { return directory_.path() / "skill"; }
  void write(const std::string& path, const std::string& text) const {
    directory_.write("skill/" + path, text);
  }
  [[nodiscard]] TreeReading read(const TreeLimits& limits = {}) const {
    auto reading = readTree(root(), limits);
    EXPECT_TRUE(reading) << reading.error().message;
    return reading ? std::move(reading).value() : TreeReading();
  }
  [[nodiscard]] std::vector<std::string> problems(const TreeLimits& limits = {}) const {
    std::vector<std::string> texts;
    for (const auto& problem : read(limits).problems) {
      texts.push_back(problem.path + ": " + problem.message);
    }
    return texts;
  }
  svc::test::TempDirectory directory_;
};

TEST_F(SkillTreeTest, ListsFilesWithSizeAndDigest) {
  write("b/c.txt", "");
  write("SKILL.md", "abc");
  write("a.sh", "x");
  write(".git/config", "ignored");
  write("b/.DS_Store", "ignored");
  fs::permissions(root() / "a.sh", fs::perms::owner_all);
  const auto reading = read();
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(reading.tree.files,
              ElementsAre(Field(&SkillFile::path, "SKILL.md"), Field(&SkillFile::path, "a.sh"),
                          Field(&SkillFile::path, "b/c.txt")));
  EXPECT_EQ(reading.tree.files.front().digest,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(reading.tree.files.at(1).executable);
  EXPECT_EQ(reading.tree.bytes, 4U);
}

TEST_F(SkillTreeTest, TheDigestIsOfNamesContentsAndExecutableBits) {
  write("a", "1");
  write("b", "2");
  const auto before = read().tree.digest;
  const auto copy = directory_.path() / "copy";
  fs::create_directories(copy);
  for (const auto* name : {"b", "a"}) {
    fs::copy_file(root() / name, copy / name);
  }
  EXPECT_EQ(readTree(copy).value().tree.digest, before);
  fs::permissions(root() / "a", fs::perms::owner_exec, fs::perm_options::add);
  EXPECT_NE(read().tree.digest, before);
  fs::permissions(root() / "a", fs::perms::owner_exec, fs::perm_options::remove);
  EXPECT_EQ(read().tree.digest, before);
  fs::rename(root() / "a", root() / "c");
  EXPECT_NE(read().tree.digest, before);
}

TEST_F(SkillTreeTest, NothingButFilesAndDirectoriesIsOpened) {
  write("SKILL.md", "x");
  directory_.write("secret", "s");
  fs::create_symlink("../../secret", root() / "link");
  fs::create_directory_symlink("..", root() / "up");
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(problems(), ElementsAre("link: it is a symbolic link", "pipe: it is a named pipe",
                                      "up: it is a symbolic link"));
}

TEST_F(SkillTreeTest, TheRootIsNoLink) {
  write("SKILL.md", "x");
  fs::create_directory_symlink(root(), directory_.path() / "linked");
  const auto linked = readTree(directory_.path() / "linked");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, errc::kInvalidArgument);
  const auto missing = readTree(directory_.path() / "missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, errc::kNotFound);
}

TEST_F(SkillTreeTest, LimitsNameThemselves) {
  write("a/b/c", "12345");
  write("d", "12345");
  EXPECT_THAT(problems({.files = 1}),
              ElementsAre(HasSubstr("more than 1 files (limit skill-tree)")));
  EXPECT_THAT(problems({.bytes = 9}),
              ElementsAre(HasSubstr("more than 9 bytes (limit skill-tree)")));
  EXPECT_THAT(problems({.depth = 1}),
              ElementsAre("a/b: directories are nested more than 1 deep (limit skill-tree)"));
  EXPECT_THAT(problems({.files = 2, .bytes = 10, .depth = 2}), IsEmpty());
}

TEST_F(SkillTreeTest, TenThousandFilesAreNotRead) {
  for (int at = 0; at < 10'000; ++at) {
    write(std::to_string(at), "");
  }
  const auto reading = read();
  EXPECT_LE(reading.tree.files.size(), limits::kSkillTreeFiles);
  EXPECT_THAT(reading.problems,
              ElementsAre(Field(&TreeProblem::message, HasSubstr("more than 1000 files"))));
}

TEST_F(SkillTreeTest, EmptyDirectoriesCountAsWell) {
  for (int at = 0; at < 10; ++at) {
    fs::create_directories(root() / std::to_string(at));
  }
  EXPECT_THAT(problems({.files = 4}), ElementsAre(HasSubstr("more than 4 files")));
}

TEST_F(SkillTreeTest, StrangeNamesAreShownHarmlessly) {
  write("a\x1b[31m", "");
  write("b\xff", "");
  write("c\xC2\x9B", "");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("a\\x1B[31m: the name must be UTF-8"),
                                      HasSubstr("b\\xFF: "), HasSubstr("c\\xC2\\x9B: ")));
}

TEST_F(SkillTreeTest, AFileIsReadOnlyBelowTheRoot) {
  write("a/b", "text");
  directory_.write("secret", "s");
  fs::create_symlink("../secret", root() / "link");
  fs::create_directory_symlink("..", root() / "up");
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(readTreeFile(root(), "a/b").value(), "text");
  for (const auto* const path : {"../secret", "a/../../secret", "/etc/passwd", "", "a//b", "./a/b",
                                 "link", "up/secret", "pipe", "a", "a\n", "\xff"}) {
    const auto text = readTreeFile(root(), path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, errc::kInvalidArgument) << path;
  }
  EXPECT_EQ(readTreeFile(root(), "none").error().code, errc::kNotFound);
  EXPECT_EQ(readTreeFile(root(), "a/b", 3).error().code, errc::kTooLarge);
}

}  // namespace
}  // namespace svc::skillfiles
