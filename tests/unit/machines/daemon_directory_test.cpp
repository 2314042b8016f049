#include "daemon_directory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace svc::machines {
namespace {

namespace fs = std::filesystem;

constexpr auto kOwn = R"({"hostId":"host_own"})";
constexpr auto kMarkedOwn = R"({"hostId":"host_before","ofServer":true})";
constexpr auto kJoinedElsewhere = R"({"hostId":"host_there"})";
constexpr auto kMarkedJoined = R"({"hostId":"host_own","ofServer":false})";

class OwnDaemonsDirectoryTest : public ::testing::Test {
 protected:
  OwnDaemonsDirectoryTest() { fs::create_directories(data_); }
  ~OwnDaemonsDirectoryTest() override { fs::remove_all(data_); }

  void record(const char* directory, const std::string& text) const {
    fs::create_directories(data_ / directory);
    std::ofstream(data_ / directory / "auth.json") << text;
  }
  [[nodiscard]] std::string chosen() const {
    return directoryOfOwnDaemon(data_, "host_own").filename();
  }

  const fs::path data_ =
      fs::path(::testing::TempDir()) / ("own_daemon" + std::to_string(::getpid()));
};

TEST_F(OwnDaemonsDirectoryTest, IsTheUsualOneWhereNobodyElseIs) {
  EXPECT_EQ(chosen(), "hostd");
  record("hostd", "{");
  EXPECT_EQ(chosen(), "hostd");
  for (const auto* own : {kOwn, kMarkedOwn}) {
    record("hostd", own);
    EXPECT_EQ(chosen(), "hostd") << own;
  }
}

TEST_F(OwnDaemonsDirectoryTest, LeavesTheUsualOneToADaemonThatHasJoinedAServer) {
  for (const auto* joined : {kJoinedElsewhere, kMarkedJoined}) {
    record("hostd", joined);
    EXPECT_EQ(chosen(), "machine") << joined;
  }
}

TEST_F(OwnDaemonsDirectoryTest, StaysWhereItIs) {
  record("machine", kMarkedOwn);
  EXPECT_EQ(chosen(), "machine");
  record("hostd", kOwn);
  EXPECT_EQ(chosen(), "machine");
}

}  // namespace
}  // namespace svc::machines
