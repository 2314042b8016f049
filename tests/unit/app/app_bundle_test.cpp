#include "app_bundle.h"

#include <Poco/SHA2Engine.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"

#include "dist_directory.h"

namespace svc::app {
namespace {

using ::testing::HasSubstr;

std::string sha256(const std::string& text) {
  Poco::SHA2Engine engine;
  engine.update(text);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

class AppBundleTest : public ::testing::Test {
 protected:
  [[nodiscard]] AppBundlePtr read() const {
    auto bundle = readAppBundle(dist_.root(), "todo");
    EXPECT_TRUE(bundle) << bundle.error().message;
    return bundle ? bundle.value() : nullptr;
  }

  DistDirectory dist_;
};

TEST_F(AppBundleTest, TheHashIsOverScriptSheetAndMetadata) {
  dist_.writeApp("js");
  EXPECT_EQ(read()->hash, sha256("js" + DistDirectory::appMeta()).substr(0, 16));
  EXPECT_EQ(read()->css, nullptr);
  dist_.write("dist/app.css", "css");
  EXPECT_EQ(read()->hash, sha256("jscss" + DistDirectory::appMeta()).substr(0, 16));
  EXPECT_EQ(read()->css->bytes(), "css");
}

TEST_F(AppBundleTest, WithoutScriptOrMetadataThereIsNone) {
  EXPECT_EQ(read(), nullptr);
  dist_.write("dist/app.js", "js");
  EXPECT_EQ(read(), nullptr);
}

TEST_F(AppBundleTest, MalformedMetadataIsNoBundle) {
  for (const auto& meta :
       {std::string("{"), std::string("[]"), DistDirectory::appMeta("other"),
        DistDirectory::appMeta("todo", "0.4.84", 1), DistDirectory::appMeta("todo", "x", 0)}) {
    dist_.writeApp("js", meta);
    EXPECT_EQ(read(), nullptr) << meta;
  }
}

TEST_F(AppBundleTest, AnotherMajorOrFormatIsIncompatible) {
  dist_.writeApp("js");
  EXPECT_TRUE(read()->compatible);
  dist_.writeApp("js", DistDirectory::appMeta("todo", "0.1.0"));
  EXPECT_TRUE(read()->compatible);
  dist_.writeApp("js", DistDirectory::appMeta("todo", "1.0.0", 1));
  EXPECT_FALSE(read()->compatible);
  dist_.writeApp("js", DistDirectory::appMeta("todo", "0.4.84", 0, 2));
  EXPECT_FALSE(read()->compatible);
}

TEST_F(AppBundleTest, ALargeScriptNamesTheLimit) {
  dist_.writeApp("js");
  std::filesystem::resize_file(dist_.root() / "dist/app.js", limits::kBundleJs + 1);
  const auto bundle = readAppBundle(dist_.root(), "todo");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, errc::kTooLarge);
  EXPECT_EQ(bundle.error().message, "dist/app.js has 16777217 bytes, limit bundle-js is 16777216");
}

TEST_F(AppBundleTest, TheRecordShowsWhereItIs) {
  dist_.writeApp("js");
  dist_.write("dist/app.css", "css");
  const auto bundle = read();
  EXPECT_EQ(
      describe(*bundle, "todo").dump(),
      R"({"jsUrl":"/api/v1/plugins/todo/assets/app.js?h=)" + bundle->hash +
          R"(","cssUrl":"/api/v1/plugins/todo/assets/app.css?h=)" + bundle->hash + R"(","hash":")" +
          bundle->hash +
          R"(","jsBytes":2,"sdkMajor":0,"sdkVersion":"0.4.84","compatible":true,"runtimeSlots":[]})");
}

TEST_F(AppBundleTest, TheRecordNamesTheSlotsTheMetadataNames) {
  const auto slotsOf = [this](const std::string& list) {
    auto meta = DistDirectory::appMeta();
    meta.replace(meta.find(R"("runtimeSlots":[])"), 17, R"("runtimeSlots":)" + list);
    dist_.writeApp("js", meta);
    return describe(*read(), "todo")["runtimeSlots"].dump();
  };
  EXPECT_EQ(slotsOf(R"(["react","sonner"])"), R"(["react","sonner"])");
  EXPECT_EQ(slotsOf("null"), "null");
  EXPECT_EQ(slotsOf(R"("react")"), "null");
  EXPECT_EQ(slotsOf("[1]"), "null");
}

TEST_F(AppBundleTest, FilesAreCompressedOnce) {
  const ServedFile file(std::string(10'000, 'x'), "text/css");
  for (const auto encoding : {Encoding::kGzip, Encoding::kBrotli}) {
    const auto& bytes = file.encoded(encoding);
    EXPECT_GT(bytes.size(), 0U);
    EXPECT_LT(bytes.size(), 1000U);
    EXPECT_EQ(&file.encoded(encoding), &bytes);
  }
  EXPECT_EQ(file.encoded(Encoding::kIdentity), file.bytes());
}

class HostArtifactTest : public ::testing::Test {
 protected:
  void writeHost(const std::string& js, const std::string& digest,
                 const std::string& sdk = "0.4.84", int major = 0) const {
    auto meta = DistDirectory::appMeta("todo", sdk, major);
    meta.insert(1, R"("artifactDigest":")" + digest + R"(",)");
    dist_.write("dist/host.js", js);
    dist_.write("dist/host.meta.json", meta);
  }
  [[nodiscard]] std::string problem() const {
    const auto status = checkHostArtifact(dist_.root(), "todo");
    return status ? "" : status.error().message;
  }

  DistDirectory dist_;
};

TEST_F(HostArtifactTest, ItsDigestIsCompared) {
  writeHost("js", sha256("js"));
  EXPECT_EQ(problem(), "");
  dist_.write("dist/host.js", "jz");
  EXPECT_THAT(problem(), HasSubstr("dist/host.js does not match host.meta.json"));
  EXPECT_THAT(problem(), HasSubstr("svc plugin build"));
}

TEST_F(HostArtifactTest, SaysWhatIsMissing) {
  EXPECT_THAT(problem(), HasSubstr("no built dist/host.js"));
  writeHost("", sha256(""));
  EXPECT_THAT(problem(), HasSubstr("no built dist/host.js"));
  writeHost("js", sha256("js"), "1.0.0", 1);
  EXPECT_THAT(problem(), HasSubstr("was built for SDK 1.0.0, this service has 0.4.84"));
  dist_.write("dist/host.meta.json", "{}");
  EXPECT_THAT(problem(), HasSubstr("does not describe a host bundle"));
}

}  // namespace
}  // namespace svc::app
