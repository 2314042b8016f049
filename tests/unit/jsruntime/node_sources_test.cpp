#include "node_sources.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace svc::jsruntime {
namespace {

namespace fs = std::filesystem;

class NodeSourcesTest : public testing::Test {
 protected:
  NodeSourcesTest() {
    fs::create_directories(own_ / "svc-none/dist");
    std::ofstream(own_ / "svc-none/dist/lexer.js") << "1";
  }
  ~NodeSourcesTest() override { fs::remove_all(own_); }

  const fs::path own_ = fs::path(testing::TempDir()) / ("sources" + std::to_string(::getpid()));
  const NodeSources sources_{own_};
};

TEST_F(NodeSourcesTest, AScriptThatTheDistributionDoesNotHaveIsThatOfTheInstallation) {
  EXPECT_EQ(sources_.insteadOf("/usr/share/nodejs/svc-none/dist/lexer.js"),
            (own_ / "svc-none/dist/lexer.js").string());
}

TEST_F(NodeSourcesTest, EveryOtherPathStaysWhatItIs) {
  EXPECT_EQ(sources_.insteadOf("/usr/share/nodejs/svc-none/dist/other.js"), "");
  EXPECT_EQ(sources_.insteadOf("/usr/share/svc-none/dist/lexer.js"), "");
  EXPECT_EQ(sources_.insteadOf(nullptr), "");
  fs::create_directories(own_ / "acorn/dist");
  std::ofstream(own_ / "acorn/dist/acorn.js") << "1";
  // Where the distribution's own is there, it is read.
  if (fs::exists("/usr/share/nodejs/acorn/dist/acorn.js")) {
    EXPECT_EQ(sources_.insteadOf("/usr/share/nodejs/acorn/dist/acorn.js"), "");
  }
  EXPECT_EQ(NodeSources({}).insteadOf("/usr/share/nodejs/svc-none/dist/lexer.js"), "");
}

}  // namespace
}  // namespace svc::jsruntime
