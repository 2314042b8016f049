#include "artifact_step.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include <Poco/SHA2Engine.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"

#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"
#include "fakes/inline_workers.h"

namespace svc::hosts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Problems = std::vector<plugins::DevProblem>;

class ArtifactStepTest : public ::testing::Test {
 protected:
  ArtifactStepTest() {
    auto pattern = (fs::temp_directory_path() / "svc-hosts-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "dist");
  }
  ~ArtifactStepTest() override { fs::remove_all(root_); }

  static std::string digestOf(const std::string& bytes) {
    Poco::SHA2Engine engine;
    engine.update(bytes);
    return Poco::DigestEngine::digestToHex(engine.digest());
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / "dist" / name, std::ios::binary) << text;
  }
  void build(const std::string& bytes) const {
    write("host.js", bytes);
    write("host.meta.json", R"({"pluginId":"todo","artifactDigest":")" + digestOf(bytes) + "\"}");
  }
  Result<Problems> run(std::uint64_t load_id, const std::string& host_entry = "host.ts") {
    std::optional<Result<Problems>> answer;
    step_->run({.load_id = load_id,
                .plugin_id = "todo",
                .version = "1.0.0",
                .root_dir = root_.string(),
                .source_kind = "path",
                .digests = "",
                .server_entry = "server.ts",
                .app_entry = "",
                .host_entry = host_entry},
               [&answer](Result<Problems> result) { answer = std::move(result); });
    main_.runAll();
    EXPECT_TRUE(answer.has_value());
    return answer ? *std::move(answer) : Error{errc::kInternal, "no answer"};
  }
  HostArtifactPtr take(std::uint64_t load_id) {
    return step_->take(plugins::FakeGeneration("todo", load_id));
  }

  fs::path root_;
  test::FakeMainExecutor main_;
  test::InlineWorkers workers_;
  std::shared_ptr<ArtifactStep> step_ = std::make_shared<ArtifactStep>(main_, workers_);
};

TEST_F(ArtifactStepTest, ReadsTheHostEntryAsItWasBuilt) {
  build("code");
  ASSERT_TRUE(run(1).ok());
  const auto artifact = take(1);
  ASSERT_NE(artifact, nullptr);
  EXPECT_EQ(*artifact->bytes, "code");
  EXPECT_EQ(artifact->digest, digestOf("code"));
  EXPECT_TRUE(isDigest(artifact->digest));
  EXPECT_THAT(artifact->identity,
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"));
  EXPECT_EQ(take(1), nullptr);
}

TEST_F(ArtifactStepTest, TheMapBesideItNamesItsSources) {
  build("code");
  ASSERT_TRUE(run(1).ok());
  EXPECT_EQ(take(1)->sources, nullptr);
  write("host.js.map", R"({"version":3,"sources":["../host.ts"],"mappings":"AAAA"})");
  ASSERT_TRUE(run(2).ok());
  const auto artifact = take(2);
  ASSERT_NE(artifact->sources, nullptr);
  const auto found = artifact->sources->find(1, 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->source, root_ / "host.ts");
}

TEST_F(ArtifactStepTest, EachLoadHasItsOwnIdentity) {
  build("code");
  ASSERT_TRUE(run(1).ok());
  const auto first = take(1);
  ASSERT_TRUE(run(2).ok());
  const auto second = take(2);
  EXPECT_EQ(first->digest, second->digest);
  EXPECT_NE(first->identity, second->identity);
}

TEST_F(ArtifactStepTest, APluginWithoutHostEntryHasNone) {
  build("code");
  ASSERT_TRUE(run(1, "").ok());
  EXPECT_EQ(take(1), nullptr);
}

TEST_F(ArtifactStepTest, WhatAFailedLoadReadIsNotTheNextOnes) {
  build("code");
  ASSERT_TRUE(run(1).ok());
  EXPECT_EQ(take(2), nullptr);
  ASSERT_TRUE(run(2, "").ok());
  EXPECT_EQ(take(1), nullptr);
}

TEST_F(ArtifactStepTest, AProblemRefusesTheLoad) {
  const auto refused = [this] {
    const auto result = run(1);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(take(1), nullptr);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(refused(),
            "host bundle: there is no dist/host.meta.json; build it again with `svc plugin build`");
  build("code");
  write("host.js", "c0de");
  EXPECT_THAT(refused(),
              HasSubstr("host bundle: dist/host.js does not match host.meta.json: its SHA-256 is " +
                        digestOf("c0de") + ", declared is \"" + digestOf("code") + "\""));
  build("");
  EXPECT_THAT(refused(), HasSubstr("host bundle: dist/host.js is empty"));
  build("code");
  fs::remove(root_ / "dist" / "host.js");
  EXPECT_THAT(refused(), HasSubstr("there is no dist/host.js"));
  build("code");
  for (const auto* meta : {"{", "[]", R"({"pluginId":"other"})"}) {
    write("host.meta.json", meta);
    EXPECT_THAT(refused(), HasSubstr("does not describe a host bundle of plugin \"todo\""));
  }
  fs::resize_file(root_ / "dist" / "host.js", limits::kArtifact + 1);
  EXPECT_THAT(refused(), HasSubstr("has 268435457 bytes, limit artifact is 268435456"));
}

TEST_F(ArtifactStepTest, ForgetsPluginsThatAreGone) {
  build("code");
  ASSERT_TRUE(run(1).ok());
  step_->keepOnly({"todo"});
  step_->keepOnly({"other"});
  EXPECT_EQ(take(1), nullptr);
}

TEST_F(ArtifactStepTest, RefusesWhenTheWorkersAreBusy) {
  build("code");
  workers_.full = true;
  EXPECT_EQ(run(1).error().code, errc::kOverloaded);
}

TEST(IsDigestTest, Takes64LowerCaseHexadecimalDigits) {
  EXPECT_TRUE(isDigest(std::string(64, 'f')));
  EXPECT_FALSE(isDigest(std::string(63, 'f')));
  EXPECT_FALSE(isDigest(std::string(65, 'f')));
  EXPECT_FALSE(isDigest(std::string(64, 'F')));
  EXPECT_FALSE(isDigest(std::string(64, 'g')));
  EXPECT_FALSE(isDigest(""));
}

}  // namespace
}  // namespace svc::hosts
