#include "backup_archive.h"

#include <fstream>

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"

#include "unit/plugins/temp_directory.h"

namespace svc::updates {
namespace {

constexpr std::size_t kAnySize = 1U << 30U;

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ArchiveTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return directory_.path() / "backup.tar.gz"; }
  [[nodiscard]] fs::path out() const { return directory_.path() / "out"; }

  /// An archive with one entry that the writer would not make.
  void writeEntry(const std::string& path, unsigned type, const std::string& link = {}) const {
    auto* writer = archive_write_new();
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_pax_restricted(writer);
    archive_write_open_filename(writer, file().c_str());
    auto* entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0600);
    if (type == AE_IFLNK) {
      archive_entry_set_symlink(entry, link.c_str());
    } else {
      archive_entry_set_size(entry, 0);
    }
    archive_write_header(writer, entry);
    archive_entry_free(entry);
    archive_write_free(writer);
  }

  svc::test::TempDirectory directory_;
};

TEST_F(ArchiveTest, WhatWasWrittenComesBack) {
  const auto big = std::string(200'000, 'x');
  auto writer = ArchiveWriter::create(file()).value();
  ASSERT_TRUE(writer->addFile("a/big", directory_.write("big", big)).ok());
  ASSERT_TRUE(writer->addFile("empty", directory_.write("empty", "")).ok());
  ASSERT_TRUE(writer->addLink("a/link", "big").ok());
  const auto bytes = writer->finish("{}").value();
  EXPECT_EQ(bytes, fs::file_size(file()));

  const auto unpacked = unpackArchive(file(), out()).value();
  EXPECT_EQ(unpacked.manifest, "{}");
  ASSERT_EQ(unpacked.files.size(), writer->files().size());
  for (std::size_t index = 0; index < unpacked.files.size(); ++index) {
    EXPECT_EQ(unpacked.files[index].path, writer->files()[index].path);
    EXPECT_EQ(unpacked.files[index].sha256, writer->files()[index].sha256);
  }
  EXPECT_EQ(base::readFile(out() / "a/link", kAnySize).value(), big);
  EXPECT_EQ(fs::read_symlink(out() / "a/link"), "big");
  EXPECT_EQ(fs::status(out() / "empty").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ArchiveTest, AnUnfinishedOneLeavesNothing) {
  {
    auto writer = ArchiveWriter::create(file()).value();
    ASSERT_TRUE(writer->addFile("a", directory_.write("a", "x")).ok());
  }
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_FALSE(fs::exists(file().string() + ".partial"));
}

TEST_F(ArchiveTest, AnUnfinishedOneKeepsNoDescriptor) {
  const auto descriptors = [this] {
    std::size_t count = 0;
    for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const auto open = fs::read_symlink(each.path(), gone).string();
      count += open.starts_with(file().string()) ? 1U : 0U;
    }
    return count;
  };
  {
    auto writer = ArchiveWriter::create(file()).value();
    ASSERT_TRUE(writer->addFile("a", directory_.write("a", "x")).ok());
    EXPECT_EQ(descriptors(), 1U);
  }
  EXPECT_EQ(descriptors(), 0U);
  ASSERT_TRUE(ArchiveWriter::create(file()).value()->finish("{}").ok());
  EXPECT_EQ(descriptors(), 0U);
}

TEST_F(ArchiveTest, WhatLiesBesideItIsNotTouched) {
  const auto beside = fs::path(file().string() + ".partial");
  directory_.write(beside.filename().string(), "mine");
  ASSERT_TRUE(ArchiveWriter::create(file()).value()->finish("{}").ok());
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_EQ(base::readFile(beside, kAnySize).value(), "mine");
  EXPECT_FALSE(fs::exists(beside.string() + "-2"));
}

TEST_F(ArchiveTest, ItIsPrivate) {
  ASSERT_TRUE(ArchiveWriter::create(file()).value()->finish("{}").ok());
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ArchiveTest, AFolderThatIsNotThereIsNamed) {
  const auto writer = ArchiveWriter::create(directory_.path() / "none/backup");
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message, HasSubstr("none/backup"));
}

TEST_F(ArchiveTest, AnythingElseIsRefused) {
  directory_.write("backup.tar.gz", "this is no archive");
  EXPECT_EQ(unpackArchive(file(), out()).error().code, errc::kInvalidInput);
}

TEST_F(ArchiveTest, ACutOneIsRefused) {
  auto writer = ArchiveWriter::create(file()).value();
  std::string noise;
  for (unsigned value = 1; noise.size() < 100'000; value = value * 1'103'515'245U + 12'345U) {
    noise.push_back(static_cast<char>(value >> 16U));
  }
  ASSERT_TRUE(writer->addFile("a", directory_.write("a", noise)).ok());
  ASSERT_TRUE(writer->finish("{}").ok());
  fs::resize_file(file(), fs::file_size(file()) / 2);
  EXPECT_EQ(unpackArchive(file(), out()).error().code, errc::kInvalidInput);
}

TEST_F(ArchiveTest, EntriesThatLeaveTheDirectoryAreRefused) {
  for (const auto* path : {"../evil", "/etc/evil", "a/../../evil", "a//b", "./a", ".."}) {
    writeEntry(path, AE_IFREG);
    const auto unpacked = unpackArchive(file(), out());
    ASSERT_FALSE(unpacked.ok()) << path;
    EXPECT_EQ(unpacked.error().code, errc::kInvalidInput) << path;
  }
  EXPECT_FALSE(fs::exists(directory_.path() / "evil"));
}

TEST_F(ArchiveTest, LinksThatLeaveTheDirectoryAreNotUnpacked) {
  for (const auto* target : {"/etc", "../..", "../../x"}) {
    writeEntry("a/link", AE_IFLNK, target);
    const auto unpacked = unpackArchive(file(), out());
    ASSERT_TRUE(unpacked.ok()) << target << ": " << unpacked.error().message;
    ASSERT_EQ(unpacked.value().files.size(), 1U);
    EXPECT_EQ(unpacked.value().files[0].left_out, kLeadsOut) << target;
    EXPECT_FALSE(fs::is_symlink(out() / "a/link")) << target;
  }
}

TEST_F(ArchiveTest, OtherKindsOfEntriesAreRefused) {
  writeEntry("pipe", AE_IFIFO);
  const auto unpacked = unpackArchive(file(), out());
  ASSERT_FALSE(unpacked.ok());
  EXPECT_THAT(unpacked.error().message, HasSubstr("is not a file"));
}

}  // namespace
}  // namespace svc::updates
