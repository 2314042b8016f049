#include "attachments.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "project_limits.h"

namespace svc::projects {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_literals;

const std::string kPng = "\x89PNG\r\n\x1A\n....";

class AttachmentsTest : public ::testing::Test {
 protected:
  ~AttachmentsTest() override { fs::remove_all(root_); }

  std::string stored(const std::string& name = "a.txt", const std::string& bytes = "text") {
    auto made = attachments_.store("proj_a", name, "text/plain", bytes);
    EXPECT_TRUE(made.ok());
    return made ? made.value().path : std::string();
  }
  [[nodiscard]] std::size_t files(const std::string& project_id) const {
    std::error_code none;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_ / project_id / "attachments", none), {}));
  }

  static fs::path newFolder() {
    auto pattern = (fs::temp_directory_path() / "svc-attachments-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    return pattern;
  }

  const fs::path root_ = newFolder();
  Attachments attachments_{root_};
};

TEST_F(AttachmentsTest, AreKeptAsTheyCame) {
  const auto made = attachments_.store("proj_a", "notes.txt", "Text/Plain; charset=utf-8", "a\0b"s);
  ASSERT_TRUE(made.ok());
  const auto& attachment = made.value();
  EXPECT_EQ(attachment.name, "notes.txt");
  EXPECT_EQ(attachment.mime_type, "text/plain");
  EXPECT_EQ(attachment.size, 3U);
  EXPECT_FALSE(attachment.is_image);
  EXPECT_THAT(attachment.path,
              ::testing::MatchesRegex(".*/proj_a/attachments/[0-9a-f-]{36}-notes.txt"));
  EXPECT_EQ(attachments_.read("proj_a", attachment.path).value(), "a\0b"s);
  struct stat facts {};
  ASSERT_EQ(::stat(attachment.path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(AttachmentsTest, TheSameNameTwiceIsTwoFiles) {
  EXPECT_NE(stored(), stored());
  EXPECT_EQ(files("proj_a"), 2U);
}

TEST_F(AttachmentsTest, AnImageIsKnownByItsBytes) {
  const auto png = attachments_.store("proj_a", "a.txt", "text/html", kPng).value();
  EXPECT_TRUE(png.is_image);
  EXPECT_EQ(png.mime_type, "image/png");
  const auto fake = attachments_.store("proj_a", "a.png", "image/png", "<script>").value();
  EXPECT_FALSE(fake.is_image);
}

TEST_F(AttachmentsTest, ATypeThatIsNoneIsNotRepeated) {
  for (const char* odd : {"", "text", "text/pl\r\nain", "a/b/c", "application/octet-stream"}) {
    EXPECT_EQ(attachments_.store("proj_a", "a", odd, "x").value().mime_type, "") << odd;
  }
}

TEST_F(AttachmentsTest, LimitsNameThemselves) {
  EXPECT_TRUE(attachments_.store("proj_a", "a", "", std::string(kAttachment, 'x')).ok());
  const auto large = attachments_.store("proj_a", "a", "", std::string(kAttachment + 1, 'x'));
  EXPECT_EQ(large.error().code, errc::kTooLarge);
  EXPECT_THAT(large.error().message,
              ::testing::AllOf(HasSubstr("limit attachment"), HasSubstr("25000001")));
  const auto image =
      attachments_.store("proj_a", "a", "", kPng + std::string(kAttachmentImage, 'x'));
  EXPECT_EQ(image.error().code, errc::kTooLarge);
  EXPECT_THAT(image.error().message, HasSubstr("limit attachmentImage"));
  EXPECT_EQ(files("proj_a"), 1U);
}

TEST(AttachmentNameTest, IsAFileAndNothingElse) {
  EXPECT_EQ(attachmentName("Größe 1.pdf"), "Größe 1.pdf");
  EXPECT_EQ(attachmentName("../../etc/passwd"), "passwd");
  EXPECT_EQ(attachmentName(R"(C:\temp\a.txt)"), "a.txt");
  EXPECT_EQ(attachmentName("a\0b\nc.txt"s), "a_b_c.txt");
  EXPECT_EQ(attachmentName("..hidden"), "hidden");
  EXPECT_EQ(attachmentName("a<b>|c?.txt"), "a_b__c_.txt");
  for (const auto& none : {""s, ".."s, "a/"s, " . "s, "/"s}) {
    EXPECT_EQ(attachmentName(none), "attachment") << none;
  }
}

TEST(AttachmentNameTest, AHugeOneIsCutBetweenCharacters) {
  std::string huge;
  for (int count = 0; count < 1000; ++count) {
    huge += "ö";
  }
  const auto name = attachmentName(huge + ".tar.gz");
  EXPECT_LE(name.size(), kAttachmentName);
  EXPECT_TRUE(name.ends_with("ö.gz")) << name;
  EXPECT_LE(attachmentName("a." + huge).size(), kAttachmentName);
}

TEST_F(AttachmentsTest, OnlyWhatWasStoredForTheProjectIsRead) {
  const auto path = stored();
  const auto folder = fs::path(path).parent_path().string();
  const auto file = fs::path(path).filename().string();
  std::ofstream(folder + "/secret") << "no attachment";
  fs::create_symlink("/etc/passwd", folder + "/00000000-0000-4000-8000-000000000000-link");
  for (const auto& odd :
       {""s, "/etc/passwd"s, file, folder + "/secret", folder + "/../attachments/" + file,
        folder + "//" + file, folder + "/" + file + "/", folder + "/" + file + "\0x"s,
        folder + "/00000000-0000-4000-8000-000000000000-link",
        folder + "/00000000-0000-4000-8000-000000000001-gone", folder + "/..",
        folder + "/" + std::string(5000, 'a')}) {
    EXPECT_EQ(attachments_.read("proj_a", odd).error().code, errc::kNotFound) << odd;
  }
  EXPECT_EQ(attachments_.read("proj_b", path).error().code, errc::kNotFound);
  EXPECT_TRUE(attachments_.read("proj_a", path).ok());
}

TEST_F(AttachmentsTest, OthersGetTheContentWithTheTypeOfAnImage) {
  const auto image = attachments_.store("proj_a", "cat", "", "\x89PNG\r\n\x1A\nrest");
  const auto text = attachments_.store("proj_a", "cat.png", "image/png", "no image");
  EXPECT_EQ(attachments_.content("proj_a", image.value().path).value().image_type, "image/png");
  EXPECT_EQ(attachments_.content("proj_a", text.value().path).value().image_type, "");
  EXPECT_EQ(attachments_.content("proj_a", text.value().path).value().bytes, "no image");
  EXPECT_EQ(attachments_.content("proj_b", text.value().path).error().code, errc::kNotFound);
}

TEST_F(AttachmentsTest, AreCopiedUnderTheirNames) {
  const auto path = stored("a.txt", "one");
  ASSERT_TRUE(attachments_.copy("proj_a", "proj_b", {path}).ok());
  ASSERT_TRUE(attachments_.copy("proj_a", "proj_b", {path}).ok());
  const auto copy = root_ / "proj_b" / "attachments" / fs::path(path).filename();
  EXPECT_EQ(attachments_.read("proj_b", copy.string()).value(), "one");
  EXPECT_EQ(files("proj_b"), 1U);
  ASSERT_TRUE(attachments_.removeAll("proj_a").ok());
  EXPECT_TRUE(attachments_.read("proj_b", copy.string()).ok());
}

TEST_F(AttachmentsTest, ACopyOfWhatIsNotThereCopiesNothing) {
  const auto path = stored();
  for (const auto& odd : {"/etc/passwd"s, path + "x"}) {
    EXPECT_EQ(attachments_.copy("proj_a", "proj_b", {path, odd}).error().code, errc::kNotFound);
  }
  EXPECT_EQ(files("proj_b"), 0U);
}

TEST_F(AttachmentsTest, WhatAnUnfinishedUploadHasLeftIsSwept) {
  const auto path = stored("a.part");
  const auto folder = fs::path(path).parent_path();
  std::ofstream(folder / "00000000-0000-4000-8000-000000000000.part") << "half";
  std::ofstream(folder / "mine.part") << "of nobody here";
  attachments_.sweep();
  EXPECT_EQ(files("proj_a"), 2U);
  EXPECT_TRUE(attachments_.read("proj_a", path).ok());
  Attachments("/does/not/exist").sweep();
}

TEST_F(AttachmentsTest, RemovingWhatIsNotThereIsNoError) {
  stored();
  EXPECT_TRUE(attachments_.removeAll("proj_a").ok());
  EXPECT_TRUE(attachments_.removeAll("proj_a").ok());
  EXPECT_FALSE(fs::exists(root_ / "proj_a"));
}

TEST_F(AttachmentsTest, AFolderThatCannotBeWrittenIsNamed) {
  std::ofstream(root_ / "proj_a") << "in the way";
  const auto failed = attachments_.store("proj_a", "a", "", "x");
  EXPECT_EQ(failed.error().code, errc::kUnavailable);
  EXPECT_THAT(failed.error().message, HasSubstr("proj_a"));
}

}  // namespace
}  // namespace svc::projects
