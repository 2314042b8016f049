#include "dependency_engines.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "temp_directory.h"

namespace svc::plugins {
namespace {

class DependencyEnginesTest : public ::testing::Test {
 protected:
  void depend(const std::string& names) {
    directory_.write("work/p/package.json", fmt::format(R"({{"dependencies":{{{}}}}})", names));
  }
  void package(const std::string& path, const std::string& version, const std::string& node) {
    directory_.write(path + "/package.json",
                     fmt::format(R"({{"version":"{}","engines":{{"node":"{}"}}}})", version, node));
  }
  std::string unmet(std::string_view node = "18.20.4") {
    return unmetNode(directory_.path() / "work/p", node);
  }

  svc::test::TempDirectory directory_;
};

TEST_F(DependencyEnginesTest, NamesWhatAsksForAnotherNode) {
  depend(R"("yargs":"^18.0.0","@a/old":"1","fine":"1","missing":"1")");
  package("work/p/node_modules/yargs", "18.0.0", "^20.19.0 || ^22.12.0 || >=23");
  package("work/node_modules/@a/old", "1.2.3", "<18");
  package("work/p/node_modules/fine", "1.0.0", ">=14");
  EXPECT_EQ(unmet(),
            "yargs 18.0.0 asks for Node.js ^20.19.0 || ^22.12.0 || >=23, @a/old 1.2.3 asks for "
            "Node.js <18, and plugins run on 18.20.4: an older release may do");
  EXPECT_EQ(
      unmet("22.12.0"),
      "@a/old 1.2.3 asks for Node.js <18, and plugins run on 22.12.0: an older release may do");
}

TEST_F(DependencyEnginesTest, SaysNothingWhereNothingIsKnown) {
  EXPECT_EQ(unmet(), "") << "no package.json";
  depend(R"("a":"1","../../etc":"1")");
  directory_.write("work/p/node_modules/a/package.json", "{");
  EXPECT_EQ(unmet(), "");
  package("work/p/node_modules/a", "1.0.0", "whatever");
  EXPECT_EQ(unmet(), "");
  package("work/p/node_modules/a", "1.0.0", ">=20");
  EXPECT_EQ(unmet(""), "") << "no Node.js";
  EXPECT_NE(unmet(), "");
}

TEST_F(DependencyEnginesTest, NamesAFew) {
  std::string names;
  for (int at = 0; at < 9; ++at) {
    names += fmt::format(R"({}"p{}":"1")", at == 0 ? "" : ",", at);
    package(fmt::format("work/p/node_modules/p{}", at), "1.0.0", ">=20");
  }
  depend(names);
  EXPECT_NE(unmet().find("p2 1.0.0 asks for Node.js >=20, 6 more ask for another one, and"),
            std::string::npos)
      << unmet();
}

}  // namespace
}  // namespace svc::plugins
