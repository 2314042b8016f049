#include "program_check.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "program_package.h"
#include "unit/plugins/temp_directory.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ProgramCheckTest : public ::testing::Test {
 protected:
  Status check(const std::string& text, const std::stop_token& stop = {}) {
    installProgram(root_, text);
    return checkProgram(root_, 2, {"join", "--name", "lab box"}, stop);
  }

  svc::test::TempDirectory directory_;
  const fs::path root_ = directory_.path() / "program";
};

TEST_F(ProgramCheckTest, TheDaemonIsAskedWithItsArgumentsAndItsWorkerToo) {
  const auto journal = directory_.path() / "journal";
  const auto status = check(programText(2, journal));
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(fileText(journal), "--check join --name lab box\nworker --check --data-dir " +
                                   directory_.path().string() + "\n");
}

TEST_F(ProgramCheckTest, AnotherProtocolIsRefused) {
  for (const int protocol : {1, 3, 20}) {
    const auto status = check(programText(protocol));
    ASSERT_FALSE(status.ok()) << protocol;
    EXPECT_EQ(status.error().code, errc::kIncompatible);
    EXPECT_THAT(status.error().message, HasSubstr("does not speak protocol version 2"));
  }
}

TEST_F(ProgramCheckTest, WhatDoesNotRunIsRefusedWithWhatItSaid) {
  EXPECT_THAT(
      check("#!/bin/sh\necho 'libnode.so.115: cannot open shared object file' >&2\nexit 127")
          .error()
          .message,
      AllOf(HasSubstr("does not run on this machine"), HasSubstr("libnode.so.115")));
  EXPECT_THAT(check("#!/bin/sh\nkill -9 $$").error().message, HasSubstr("ended without a word"));
  EXPECT_EQ(check("\x7f"
                  "ELF of another machine")
                .error()
                .code,
            errc::kIncompatible);
}

TEST_F(ProgramCheckTest, ItCanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(check("#!/bin/sh\nexec tail -f /dev/null", stop.get_token()).error().code,
            errc::kAborted);
}

}  // namespace
}  // namespace svc::serverlink
