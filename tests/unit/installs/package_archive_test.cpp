#include "package_archive.h"

#include <clocale>

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "files.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Item {
  std::string name;
  std::string text{};
  mode_t type = AE_IFREG;
  std::string link{};  ///< target; of a hard link when the type is a file
};

class ExtractPackageTest : public ::testing::Test {
 protected:
  ExtractPackageTest() { fs::create_directory(target()); }

  fs::path target() const { return directory_.path() / "target"; }
  fs::path file() const { return directory_.path() / "package.tgz"; }

  void pack(const std::vector<Item>& items) const {
    auto* writer = archive_write_new();
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_pax_restricted(writer);
    archive_write_open_filename(writer, file().c_str());
    for (const auto& item : items) {
      auto* entry = archive_entry_new();
      archive_entry_set_pathname(entry, item.name.c_str());
      archive_entry_set_filetype(entry, item.type);
      archive_entry_set_perm(entry, 0644);
      archive_entry_set_size(entry, static_cast<la_int64_t>(item.text.size()));
      if (item.type == AE_IFLNK) {
        archive_entry_set_symlink(entry, item.link.c_str());
      } else if (!item.link.empty()) {
        archive_entry_set_hardlink(entry, item.link.c_str());
      }
      archive_write_header(writer, entry);
      archive_write_data(writer, item.text.data(), item.text.size());
      archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
  }

  Status extract(PackageLimits limits = packageLimits()) const {
    return extractPackage(file(), target(), limits, {});
  }
  std::string refusedBecause(const std::vector<Item>& items) const {
    pack(items);
    const auto status = extract();
    EXPECT_FALSE(status.ok());
    return status.ok() ? "" : status.error().details;
  }

  TempDir directory_;
};

TEST_F(ExtractPackageTest, DropsTheFirstComponent) {
  pack({{"package/package.json", "{}"}, {"package/dist/app.js", "app"}, {"other/readme", "r"}});
  ASSERT_TRUE(extract().ok());
  EXPECT_EQ(readFile(target() / "package.json"), "{}");
  EXPECT_EQ(readFile(target() / "dist" / "app.js"), "app");
  EXPECT_EQ(readFile(target() / "readme"), "r");
}

TEST_F(ExtractPackageTest, FilesThatAreInNoFolderAreNoPackage) {
  for (const auto& items : {std::vector<Item>{}, std::vector<Item>{{"package.json", "{}"}}}) {
    pack(items);
    const auto extracted = extract();
    ASSERT_FALSE(extracted.ok());
    EXPECT_THAT(extracted.error().message,
                HasSubstr("package.tgz has no files below a folder, where `npm pack` puts them"));
    EXPECT_THAT(extracted.error().details, HasSubstr("no_manifest"));
  }
}

TEST_F(ExtractPackageTest, KeepsNamesOfEveryKind) {
  // As the program does it.
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  pack({{"package/café.css", "1"}, {"package/日本.txt", "2"}});
  const auto extracted = extract();
  std::setlocale(LC_CTYPE, "C");
  ASSERT_TRUE(extracted.ok()) << extracted.error().message;
  EXPECT_EQ(readFile(target() / "café.css"), "1");
  EXPECT_EQ(readFile(target() / "日本.txt"), "2");
}

TEST_F(ExtractPackageTest, RefusesNamesThatAreNoText) {
  pack({{"package/raw-\xff", "3"}});
  const auto extracted = extract();
  ASSERT_FALSE(extracted.ok());
  EXPECT_THAT(extracted.error().message, HasSubstr("has a name that is not UTF-8"));
  EXPECT_THAT(extracted.error().details, HasSubstr("path_escape"));
}

TEST_F(ExtractPackageTest, DirectoriesComeWithWhatTheyHold) {
  pack({{"package/empty/", "", AE_IFDIR},
        {"package/full/", "", AE_IFDIR},
        {"package/full/file", "x"}});
  ASSERT_TRUE(extract().ok());
  EXPECT_EQ(readFile(target() / "full" / "file"), "x");
  EXPECT_FALSE(fs::exists(target() / "empty"));
  // They count, or an archive of nothing else would be read to its end.
  const auto few = extract({.bytes = 100, .files = 2});
  ASSERT_FALSE(few.ok());
  EXPECT_THAT(few.error().message, HasSubstr("limit packageFiles: 2"));
}

/// "d/d/d/…", of so many.
std::string below(int directories) {
  std::string path;
  for (int level = 0; level < directories; ++level) {
    path += "d/";
  }
  return path;
}

TEST_F(ExtractPackageTest, RefusesWhatLiesVeryDeep) {
  pack({{"package/" + below(127) + "file", "x"}});
  EXPECT_TRUE(extract().ok());
  EXPECT_THAT(refusedBecause({{"package/" + below(128) + "file", "x"}}), HasSubstr("path_escape"));
}

TEST_F(ExtractPackageTest, KeepsLinksThatStayInside) {
  pack({{"package/a/file", "text"},
        {"package/a/link", "", AE_IFLNK, "file"},
        {"package/up", "", AE_IFLNK, "a/../a/file"}});
  ASSERT_TRUE(extract().ok());
  EXPECT_EQ(readFile(target() / "a" / "link"), "text");
  EXPECT_EQ(readFile(target() / "up"), "text");
}

TEST_F(ExtractPackageTest, RefusesPathsThatLeave) {
  for (const auto* name : {"package/../../evil", "/etc/evil", "../evil", "package/a/../../evil"}) {
    EXPECT_THAT(refusedBecause({{name, "x"}}), HasSubstr("path_escape")) << name;
  }
  EXPECT_FALSE(fs::exists(directory_.path() / "evil"));
}

TEST_F(ExtractPackageTest, RefusesLinksThatLeave) {
  EXPECT_THAT(refusedBecause({{"package/link", "", AE_IFLNK, "../outside"}}),
              HasSubstr("path_escape"));
  EXPECT_THAT(refusedBecause({{"package/link", "", AE_IFLNK, "/etc/passwd"}}),
              HasSubstr("path_escape"));
  EXPECT_THAT(refusedBecause({{"package/a", "", AE_IFREG, "/etc/passwd"}}),
              HasSubstr("path_escape"));
}

TEST_F(ExtractPackageTest, WritesNothingThroughALink) {
  pack({{"package/real/file", "x"},
        {"package/door", "", AE_IFLNK, "real"},
        {"package/door/file", "changed"}});
  // The link gives way to what the archive puts in its place; what it pointed to stays.
  ASSERT_TRUE(extract().ok());
  EXPECT_EQ(readFile(target() / "real" / "file"), "x");
  EXPECT_EQ(readFile(target() / "door" / "file"), "changed");
}

TEST_F(ExtractPackageTest, RefusesDevicesAndPipes) {
  EXPECT_THAT(refusedBecause({{"package/pipe", "", AE_IFIFO}}), HasSubstr("path_escape"));
  EXPECT_THAT(refusedBecause({{"package/device", "", AE_IFCHR}}), HasSubstr("path_escape"));
}

TEST_F(ExtractPackageTest, NamesTheLimitThatIsExceeded) {
  pack({{"package/a", std::string(2000, 'x')}, {"package/b", "y"}});
  const auto bytes = extract({.bytes = 1000, .files = 10});
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, errc::kTooLarge);
  EXPECT_THAT(bytes.error().message, HasSubstr("limit package: 1000"));
  const auto files = extract({.bytes = 100'000, .files = 1});
  ASSERT_FALSE(files.ok());
  EXPECT_THAT(files.error().message, HasSubstr("limit packageFiles: 1"));
}

TEST_F(ExtractPackageTest, RefusesWhatIsNoArchive) {
  directory_.write("package.tgz", "this is text");
  EXPECT_FALSE(extract().ok());
  directory_.write("package.tgz", "");
  EXPECT_FALSE(extract().ok());
  fs::remove(file());
  EXPECT_FALSE(extract().ok());
}

TEST_F(ExtractPackageTest, StopsWhenItIsTold) {
  pack({{"package/a", "x"}});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(extractPackage(file(), target(), packageLimits(), stop.get_token()).error().code,
            errc::kAborted);
}

TEST(CheckLinksTest, RefusesALinkThatLeavesTheTree) {
  const TempDir directory;
  directory.write("tree/file", "x");
  directory.write("outside", "secret");
  const auto tree = directory.path() / "tree";
  fs::create_symlink("file", tree / "inside");
  fs::create_symlink("nowhere", tree / "dangling");
  EXPECT_TRUE(checkLinks(tree).ok());
  fs::create_symlink("../outside", tree / "leaves");
  const auto status = checkLinks(tree);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("leaves"));
}

TEST(CheckTreeSizeTest, CountsBytesAndFiles) {
  const TempDir directory;
  directory.write("a", std::string(100, 'x'));
  directory.write("b/c", std::string(100, 'x'));
  EXPECT_TRUE(checkTreeSize(directory.path(), {.bytes = 200, .files = 3}).ok());
  EXPECT_FALSE(checkTreeSize(directory.path(), {.bytes = 199, .files = 3}).ok());
  EXPECT_FALSE(checkTreeSize(directory.path(), {.bytes = 200, .files = 2}).ok());
}

TEST(CheckTreeSizeTest, BoundsTheDepth) {
  const TempDir directory;
  directory.write(below(127) + "file", "x");
  EXPECT_TRUE(checkTreeSize(directory.path(), packageLimits()).ok());
  directory.write(below(128) + "file", "x");
  const auto deep = checkTreeSize(directory.path(), packageLimits());
  ASSERT_FALSE(deep.ok());
  EXPECT_THAT(deep.error().message, HasSubstr("lies more than 128 directories deep"));
}

}  // namespace
}  // namespace svc::installs
