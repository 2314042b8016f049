#include "entry_sources.h"

#include <gtest/gtest.h>

namespace svc::hosts {
namespace {

const std::string kDigest(64, 'd');
// Column 0 of line 1 -> host.ts 1:1, column 4 -> host.ts 1:3.
constexpr const char* kMap =
    R"({ "version": 3, "sources": ["../host.ts"], "mappings": "AAAA,IAAE" })";

std::string named(const std::string& text) {
  const auto sources = std::make_shared<EntrySources>(kMap, "/p/dist/host.js");
  return nameSources(
      text, [&](std::string_view digest) { return digest == kDigest ? sources : nullptr; });
}

const std::string kEntry =
    "file:///home/me/.local/share/svc-hostd/plugin-host-artifacts/room/" + kDigest + "/host.mjs";

TEST(EntrySourcesTest, StacksNameTheAuthorsFile) {
  EXPECT_EQ(named("Error: no\n    at free (" + kEntry + ":1:5)\n    at async " + kEntry +
                  ":1:1\n    at node:fs:1:5"),
            "Error: no\n    at free (/p/host.ts:1:3)\n    at async /p/host.ts:1:1\n    at "
            "node:fs:1:5");
}

TEST(EntrySourcesTest, APathWithoutASchemeIsOneToo) {
  EXPECT_EQ(named("    at f (/d/" + kDigest + "/host.mjs:1:6)"), "    at f (/p/host.ts:1:3)");
  EXPECT_EQ(named(kDigest + "/host.mjs:1:6"), "/p/host.ts:1:3");
}

TEST(EntrySourcesTest, StringsOfJsonAreNamedAndStayJson) {
  const auto sources = std::make_shared<EntrySources>(kMap, "/p \"q\"/dist/host.js");
  const auto named_in = [&](const std::string& json) {
    return nameSourcesInJson(
        json, [&](std::string_view digest) { return digest == kDigest ? sources : nullptr; });
  };
  EXPECT_EQ(named_in(R"({"at":")" + kEntry + R"(:1:5","n":1})"),
            R"({"at":"/p \"q\"/host.ts:1:3","n":1})");
  EXPECT_EQ(
      named_in(R"(["Error: no\n    at free ()" + kEntry + R"(:1:5)\n)" + kEntry + R"(:1:1"])"),
      R"(["Error: no\n    at free (/p \"q\"/host.ts:1:3)\n/p \"q\"/host.ts:1:1"])");
  EXPECT_EQ(named_in("{}"), "{}");
}

TEST(EntrySourcesTest, WhatIsNotKnownStaysAsItIs) {
  for (const auto& text :
       {"    at " + kEntry + ":9:1", "    at " + kEntry + ":1", "    at " + kEntry + ":x:1",
        "    at " + kEntry + ":1:", "    at " + kEntry + ":99999999999:1",
        "    at /d/" + std::string(64, 'e') + "/host.mjs:1:1", std::string("/host.mjs:1:1"),
        std::string("host.mjs:1:1"), std::string("/host.mjs:"), std::string()}) {
    EXPECT_EQ(named(text), text);
  }
}

TEST(EntrySourcesTest, PositionsWithoutASpaceBetweenThemAreTwo) {
  const auto one = "/" + kDigest + "/host.mjs:1:1";
  EXPECT_EQ(named(one + one + " end"), "/p/host.ts:1:1/p/host.ts:1:1 end");
}

TEST(EntrySourcesTest, AMapThatIsNoneIsNoHarm) {
  EntrySources sources("nonsense", "/p/dist/host.js");
  EXPECT_FALSE(sources.find(1, 1).has_value());
  EXPECT_FALSE(sources.find(1, 1).has_value());
}

}  // namespace
}  // namespace svc::hosts
