#include "artifact_step.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_service.h"
#include "dist_directory.h"
#include "fakes/bulk_threads.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"
#include "fakes/inline_workers.h"

namespace svc::app {
namespace {

using common::BuildReport;
using common::BuildRequest;
using common::BuildTarget;
using plugins::BundleTarget;
using plugins::DevProblem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The step over a builder that the test is.
class ArtifactStepTest : public ::testing::Test {
 protected:
  using Problems = std::vector<DevProblem>;

  ~ArtifactStepTest() override { queue_.stop(); }

  [[nodiscard]] plugins::ArtifactRequest request(std::uint64_t load_id = 1) const {
    return {.load_id = load_id,
            .plugin_id = "todo",
            .version = "1.0.0",
            .root_dir = dist_.root().string(),
            .source_kind = "path",
            .digests = "",
            .server_entry = "server.ts",
            .app_entry = "app.tsx",
            .host_entry = ""};
  }
  Result<Problems> run(const plugins::ArtifactRequest& asked) {
    std::optional<Result<Problems>> answer;
    step_.run(asked, [&answer](Result<Problems> result) { answer = std::move(result); });
    // Builds are answered on their own threads, which post to this one.
    while (!answer) {
      if (main_.runAll() == 0) {
        std::this_thread::yield();
      }
    }
    return std::move(*answer);
  }
  /// A whole load: what the record shows of it.
  common::Json load(const plugins::ArtifactRequest& asked) {
    EXPECT_TRUE(run(asked));
    const auto generation = std::make_shared<plugins::FakeGeneration>("todo", asked.load_id);
    step_.prepare(generation);
    step_.commit(generation);
    return generation->registration("app");
  }
  void fails(std::string text) {
    build_ = [text](const BuildRequest& asked) {
      BuildReport report;
      report.targets.push_back({.target = asked.targets.at(0)});
      report.targets.back().errors.push_back(
          {.text = text, .file = "app.tsx", .line = 1, .column = 2});
      return Result<BuildReport>(std::move(report));
    };
  }

  DistDirectory dist_;
  test::FakeMainExecutor main_;
  test::InlineWorkers workers_;
  BundleShelf shelf_;
  std::vector<BuildRequest> built_;
  std::function<Result<BuildReport>(const BuildRequest&)> build_ = [this](const BuildRequest&) {
    dist_.writeApp("built");
    return Result<BuildReport>(BuildReport{});
  };
  test::BulkThreads bulk_;
  BuildQueue queue_{bulk_,
                    [this]() -> BuildQueue::Build {
                      return [this](const BuildRequest& asked, const std::stop_token&) {
                        built_.push_back(asked);
                        return build_(asked);
                      };
                    },
                    1};
  ArtifactStep step_{main_, workers_, queue_, shelf_};
};

TEST_F(ArtifactStepTest, BuildsWhatIsMissingAndPutsItOnTheGeneration) {
  const auto app = load(request());
  EXPECT_THAT(app["jsUrl"].asString(), HasSubstr("/api/v1/plugins/todo/assets/app.js?h="));
  ASSERT_THAT(built_, SizeIs(1));
  EXPECT_EQ(built_[0].root, dist_.root());
  EXPECT_THAT(built_[0].targets, ElementsAre(BuildTarget::kApp));
  EXPECT_TRUE(built_[0].minify);
  EXPECT_EQ(shelf_.current("todo")->js->bytes(), "built");
}

TEST_F(ArtifactStepTest, ABundleThatIsUpToDateIsTakenAsItIs) {
  dist_.writeApp("there");
  const auto app = load(request());
  EXPECT_EQ(app["hash"].asString(), shelf_.current("todo")->hash);
  EXPECT_THAT(built_, IsEmpty());
}

TEST_F(ArtifactStepTest, WhatComesFromElsewhereIsNotBuilt) {
  auto asked = request();
  asked.source_kind = "npm";
  EXPECT_TRUE(load(asked).isNull());
  EXPECT_THAT(built_, IsEmpty());
}

TEST_F(ArtifactStepTest, WithoutAnAppOrHostEntryThereIsNothingToDo) {
  auto asked = request();
  asked.app_entry = "";
  EXPECT_TRUE(load(asked).isNull());
  EXPECT_THAT(built_, IsEmpty());
}

TEST_F(ArtifactStepTest, AFailedBuildKeepsTheLastGoodBundleOfDist) {
  dist_.writeApp("good", DistDirectory::appMeta("todo", "0.4.83"));
  fails("unexpected token");
  const auto problems = run(request());
  ASSERT_TRUE(problems);
  ASSERT_THAT(problems.value(), SizeIs(1));
  EXPECT_EQ(problems.value()[0].target, BundleTarget::kApp);
  EXPECT_EQ(problems.value()[0].message, "app.tsx:1:2: unexpected token");
  EXPECT_EQ(load(request(2))["sdkVersion"].asString(), "0.4.83");
}

TEST_F(ArtifactStepTest, AFailedBuildWithoutADistKeepsWhatIsServed) {
  load(request());
  const auto served = shelf_.current("todo")->hash;
  std::filesystem::remove_all(dist_.root() / "dist");
  fails("unexpected token");
  EXPECT_EQ(load(request(2))["hash"].asString(), served);
}

TEST_F(ArtifactStepTest, WithoutABuilderAValidDistIsUsed) {
  dist_.writeApp("good", DistDirectory::appMeta("todo", "0.4.83"));
  build_ = [](const BuildRequest&) {
    return Result<BuildReport>(Error{errc::kUnavailable, "Node.js 20 or newer is needed"});
  };
  const auto problems = run(request());
  EXPECT_EQ(problems.value().at(0).message, "Node.js 20 or newer is needed");
  EXPECT_FALSE(load(request(2)).isNull());
}

TEST_F(ArtifactStepTest, AFailedLoadLeavesThePresentBundle) {
  load(request());
  const auto served = shelf_.current("todo")->hash;
  dist_.writeApp("next");
  ASSERT_TRUE(run(request(2)));
  EXPECT_EQ(shelf_.current("todo")->hash, served);
}

TEST_F(ArtifactStepTest, WhatAnEarlierLoadHasReadIsNotUsed) {
  ASSERT_TRUE(run(request(1)));
  const auto generation = std::make_shared<plugins::FakeGeneration>("todo", 2);
  step_.prepare(generation);
  EXPECT_TRUE(generation->registration("app").isNull());
}

TEST_F(ArtifactStepTest, AHostBundleThatCannotBeUsedRefusesTheLoad) {
  auto asked = request();
  asked.app_entry = "";
  asked.host_entry = "host.ts";
  build_ = [](const BuildRequest&) { return Result<BuildReport>(BuildReport{}); };
  const auto missing = run(asked);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no built dist/host.js"));
  fails("bad host");
  EXPECT_EQ(run(asked).error().message, "host bundle build failed: app.tsx:1:2: bad host");
  EXPECT_THAT(built_.back().targets, ElementsAre(BuildTarget::kHost));
}

class BuildServiceTest : public ArtifactStepTest {
 protected:
  BuildServiceTest() {
    dist_.write("package.json", R"({"svc":{"server":"s.ts","app":"a.tsx","host":"h.ts"}})");
    dist_.setTime("package.json", 0);
  }
  Status build() {
    std::optional<Status> answer;
    service_.build(dist_.root(), [&answer](Status status) { answer = std::move(status); });
    while (!answer) {
      if (main_.runAll() == 0) {
        std::this_thread::yield();
      }
    }
    return *answer;
  }

  BuildService service_{main_, workers_, queue_};
};

TEST_F(BuildServiceTest, BuildsWhatIsDeclaredAndNotUpToDate) {
  EXPECT_TRUE(build());
  EXPECT_THAT(built_.back().targets, ElementsAre(BuildTarget::kApp, BuildTarget::kHost));
  EXPECT_TRUE(build());
  EXPECT_THAT(built_.back().targets, ElementsAre(BuildTarget::kHost));
  dist_.write("package.json", R"({"svc":{"server":"s.ts"}})");
  EXPECT_TRUE(build());
  EXPECT_THAT(built_, SizeIs(2));
}

TEST_F(BuildServiceTest, AFailedBuildIsAnErrorThatNamesTheBundle) {
  fails("bad");
  EXPECT_EQ(build().error().message, "frontend bundle build failed: app.tsx:1:2: bad");
}

TEST_F(BuildServiceTest, WithoutABuilderACompleteDistWillDo) {
  dist_.write("package.json", R"({"svc":{"server":"s.ts","app":"a.tsx"}})");
  build_ = [](const BuildRequest&) {
    return Result<BuildReport>(Error{errc::kUnavailable, "Node.js 20 or newer is needed"});
  };
  EXPECT_EQ(build().error().message, "Node.js 20 or newer is needed");
  dist_.writeApp("old", DistDirectory::appMeta("todo", "0.4.83"));
  EXPECT_TRUE(build());
}

TEST_F(BuildServiceTest, WhatIsNoPluginNeedsNothing) {
  dist_.write("package.json", "{");
  EXPECT_TRUE(build());
  EXPECT_THAT(built_, IsEmpty());
}

}  // namespace
}  // namespace svc::app
