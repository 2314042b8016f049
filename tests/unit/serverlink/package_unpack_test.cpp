#include "package_unpack.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "program_package.h"
#include "unit/plugins/temp_directory.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PackageUnpackTest : public ::testing::Test {
 protected:
  Status unpack(const std::vector<PackedEntry>& entries) {
    pack(file_, entries);
    return unpackProgram(file_, out_, {});
  }

  svc::test::TempDirectory directory_;
  const fs::path file_ = directory_.path() / "package.tar.gz";
  const fs::path out_ = directory_.path() / "out";
};

TEST_F(PackageUnpackTest, FilesAndDirectoriesComeOutAsTheyWere) {
  ASSERT_TRUE(unpack({{"bin", "", AE_IFDIR}, {"bin/svc-hostd", "program"}, {"lib/a/b.so", "b"}}));
  EXPECT_EQ(fileText(out_ / "bin/svc-hostd"), "program");
  EXPECT_EQ(fileText(out_ / "lib/a/b.so"), "b");
  EXPECT_NE(fs::status(out_ / "bin/svc-hostd").permissions() & fs::perms::owner_exec,
            fs::perms::none);
}

TEST_F(PackageUnpackTest, WhatLeavesTheDirectoryIsRefused) {
  const auto outside = directory_.path() / "outside";
  for (const auto& path : {std::string("../outside"), std::string("a/../../outside"),
                           outside.string(), std::string("a/../b")}) {
    const auto status = unpack({{path, "x"}});
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().code, errc::kInvalidInput) << path;
    EXPECT_THAT(status.error().message, HasSubstr(path));
  }
  EXPECT_FALSE(fs::exists(outside));
}

TEST_F(PackageUnpackTest, LinksAndDevicesAreRefused) {
  for (const auto& entry :
       {PackedEntry{"l", "", AE_IFLNK, "bin"}, PackedEntry{"h", "", AE_IFREG, "bin/svc-hostd"},
        PackedEntry{"p", "", AE_IFIFO}}) {
    const auto status = unpack({entry});
    ASSERT_FALSE(status.ok()) << entry.path;
    EXPECT_THAT(status.error().message, HasSubstr("neither a file nor a directory"));
  }
}

TEST_F(PackageUnpackTest, ADamagedArchiveIsRefused) {
  pack(file_, {{"bin/svc-hostd", std::string(100'000, 'x')}});
  fs::resize_file(file_, fs::file_size(file_) / 2);
  EXPECT_EQ(unpackProgram(file_, out_, {}).error().code, errc::kInvalidInput);
  std::ofstream(file_) << "this is no archive";
  EXPECT_EQ(unpackProgram(file_, out_, {}).error().code, errc::kInvalidInput);
}

TEST_F(PackageUnpackTest, ItCanBeStopped) {
  pack(file_, {{"bin/svc-hostd", "program"}});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(unpackProgram(file_, out_, stop.get_token()).error().code, errc::kAborted);
}

}  // namespace
}  // namespace svc::serverlink
