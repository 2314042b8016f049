#include "verifier.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "files.h"

namespace svc::installs {
namespace {

using ::testing::HasSubstr;
using Problems = std::vector<plugins::DevProblem>;

class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() {
    root_.write("package.json", "{}");
    root_.write("server.js", "original");
    request_.plugin_id = "todo";
    request_.root_dir = root_.path().string();
    request_.source_kind = "npm";
    request_.digests = toJsonText(computeDigests(root_.path()).value());
  }
  Result<Problems> verify() {
    std::optional<Result<Problems>> out;
    verifier_.verify(request_, [&](Result<Problems> result) { out = std::move(result); });
    main_.runAll();
    return *std::move(out);
  }

  TempDir root_;
  plugins::ArtifactRequest request_;
  svc::test::InlineBulkWorkers threads_;
  test::FakeMainExecutor main_;
  Work work_{threads_, main_, {}};
  Verifier verifier_{work_};
};

TEST_F(VerifierTest, AcceptsWhatWasInstalled) {
  const auto out = verify();
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE(out.value().empty());
}

TEST_F(VerifierTest, RefusesAFlippedByte) {
  root_.write("server.js", "originaL");
  const auto out = verify();
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(out.error().message, HasSubstr("server.js has changed"));
  EXPECT_THAT(out.error().message, HasSubstr("`svc plugin update todo` downloads them again"));
}

TEST_F(VerifierTest, RefusesARowWithoutDigests) {
  request_.digests.clear();
  EXPECT_FALSE(verify().ok());
}

TEST_F(VerifierTest, LeavesDirectoriesOfTheUserAlone) {
  request_.source_kind = "path";
  root_.write("server.js", "edited");
  EXPECT_TRUE(verify().ok());
}

}  // namespace
}  // namespace svc::installs
