#include "engines.h"

#include <gtest/gtest.h>

#include "svc/plugins/versions.h"

namespace svc::plugins {
namespace {

std::string check(std::string service, std::string sdk,
                  std::string_view running_service = kServiceVersion) {
  Manifest manifest;
  manifest.engine_service = std::move(service);
  manifest.engine_sdk = std::move(sdk);
  return incompatibility(manifest, running_service, kSdkVersion);
}

TEST(EnginesTest, AbsentRangesMatchAnything) { EXPECT_EQ(check("", ""), ""); }

TEST(EnginesTest, TheServiceRangeIsAnNpmRange) {
  EXPECT_EQ(check("^0.43.0", ""), "");
  EXPECT_EQ(check(">=0.40.0 <0.44.0", ""), "");
  EXPECT_EQ(check("^0.42.0", ""), "needs svc ^0.42.0 (engines.svc); this is svc 0.43.0");
}

TEST(EnginesTest, ADevelopmentBuildSkipsTheServiceRange) {
  EXPECT_EQ(check("^9.0.0", "", "0.0.0"), "");
}

TEST(EnginesTest, TheSdkRangeIsAFloorInsideTheMajor) {
  for (const auto* met :
       {"^0.4.0", "^0.4.84", "^0.3.7", "~0.1.2", "0.2.0", ">=0.4.84", "0.x", "*", "<0.2.0"}) {
    EXPECT_EQ(check("", met), "") << met;
  }
  for (const auto* unmet : {"^0.4.85", "^0.5.0", "^1.0.0", ">=1", ">4 <3"}) {
    EXPECT_NE(check("", unmet), "") << unmet;
  }
}

TEST(EnginesTest, NamesTheSdkOfTheService) {
  EXPECT_EQ(check("", "^1.0.0"),
            "needs plugin SDK ^1.0.0 (engines.svcPluginSdk); this service has 0.4.84");
}

}  // namespace
}  // namespace svc::plugins
