// What the service says of the samples that sdk/tests/manifest_schema.test.mjs gives to the schema for editors.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "svc/common/json.h"

#include "manifest.h"

namespace svc::plugins {
namespace {

using common::Json;

Json readSamples() {
  std::ifstream file(SVC_TEST_SAMPLES);
  std::stringstream text;
  text << file.rdbuf();
  auto parsed = Json::parse(text.str());
  EXPECT_TRUE(parsed) << SVC_TEST_SAMPLES;
  return parsed ? std::move(parsed).value() : Json();
}

TEST(ManifestSchemaTest, TheServiceAndTheSchemaJudgeAlike) {
  const auto samples = readSamples();
  EXPECT_GT(samples["samples"].items().size(), 50U);
  for (const auto& sample : samples["samples"].items()) {
    const auto& verdict = sample["verdict"].asString();
    const auto parsed = parseManifest(sample["manifest"].dump());
    const bool accepted = verdict == "ok" || verdict == "warned";
    EXPECT_EQ(parsed.ok(), accepted)
        << sample["what"].asString() << (parsed ? "" : parsed.error().message);
    EXPECT_EQ(parsed && !parsed.value().warnings.empty(), verdict == "warned")
        << sample["what"].asString();
  }
}

}  // namespace
}  // namespace svc::plugins
