// What svcd says about itself and its configuration before it serves.
#include <fstream>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

Outcome svcd(std::vector<std::string> flags) {
  const TempDir data;
  flags.insert(flags.begin(), {SVC_TEST_SVCD, "--data-dir", data.path().string()});
  return runCommand({.argv = std::move(flags)});
}

TEST(ProgramTest, CheckPrintsTheModuleGraphAndExits) {
  for (const std::string modules : {kDefaultModules, kMemoryModules}) {
    const auto outcome = svcd({"--check", "--modules", modules});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const std::string name :
         {"http", "jsruntime", "plugins", "rpc", "realtime", "cli", "svc.storage.KeyValueStore"}) {
      EXPECT_THAT(outcome.out, HasSubstr(name));
    }
  }
}

TEST(ProgramTest, CheckFailsWhenARequirementIsMissing) {
  const auto outcome = svcd({"--check", "--modules", "http,plugins"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("plugins"));
}

TEST(ProgramTest, NamesTheNearestKeyOfAnUnknownOne) {
  const auto flag = svcd({"--check", "--listen.prot=1"});
  EXPECT_NE(flag.exit_code, 0);
  EXPECT_THAT(flag.err, HasSubstr("listen.prot"));
  EXPECT_THAT(flag.err, HasSubstr("listen.port"));

  const TempDir config;
  std::ofstream(config.path() / "config.json") << "{ \"log\": { \"levl\": \"info\" }, }";
  const auto file = svcd({"--check", "--config", (config.path() / "config.json").string()});
  EXPECT_NE(file.exit_code, 0);
  EXPECT_THAT(file.err, HasSubstr("log.level"));
}

TEST(ProgramTest, RefusesAnUnknownModule) {
  const auto outcome = svcd({"--check", "--modules", "htpt"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("htpt"));
}

TEST(ProgramTest, PrintsItsVersion) { EXPECT_EQ(svcd({"--version"}).out, "svcd 0.43.0\n"); }

}  // namespace
}  // namespace svc::test
