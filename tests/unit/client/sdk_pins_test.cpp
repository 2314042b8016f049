#include "sdk_pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_tree.h"

namespace svc::client {
namespace {

using common::Json;
using ::testing::HasSubstr;

const CarriedSdk kSdk{"0.4.84", "/sdk/dist", "/sdk.tgz", {{"react", "19.3.1"}, {"vaul", "1.1.2"}}};

std::string changesOf(const std::string& manifest, std::string* after = nullptr) {
  auto json = Json::parse(manifest).value();
  std::string result;
  for (const auto& change : applyPins(json, kSdk)) {
    result += change.name + ":" + change.from + ">" + change.to + " ";
  }
  if (after != nullptr) {
    *after = json.dump();
  }
  return result;
}

TEST(SdkPinsTest, PinsTheSdkAndWhatTheWindowSupplies) {
  std::string after;
  EXPECT_EQ(changesOf(R"({"dependencies":{"vaul":"^1","zod":"^4"},)"
                      R"("devDependencies":{"@get-svc/plugin-sdk":"0.4.80","react":"18.0.0"}})",
                      &after),
            "@get-svc/plugin-sdk:0.4.80>0.4.84 react:18.0.0>19.3.1 vaul:^1>1.1.2 ");
  EXPECT_EQ(
      after,
      R"({"dependencies":{"zod":"^4"},)"
      R"("devDependencies":{"@get-svc/plugin-sdk":"0.4.84","react":"19.3.1","vaul":"1.1.2"}})");
}

TEST(SdkPinsTest, MovesAPackageThatIsRightButInDependencies) {
  std::string after;
  EXPECT_EQ(changesOf(R"({"dependencies":{"@get-svc/plugin-sdk":"0.4.84","react":"19.3.1"},)"
                      R"("devDependencies":{"react":"19.3.1","typescript":"5"}})",
                      &after),
            "@get-svc/plugin-sdk:0.4.84>0.4.84 react:19.3.1>19.3.1 ");
  EXPECT_EQ(after, R"({"dependencies":{},"devDependencies":)"
                   R"({"@get-svc/plugin-sdk":"0.4.84","react":"19.3.1","typescript":"5"}})");
}

TEST(SdkPinsTest, AddsTheSdkButNothingElse) {
  std::string after;
  EXPECT_EQ(changesOf(R"({"name":"x"})", &after), "@get-svc/plugin-sdk:none>0.4.84 ");
  EXPECT_EQ(after, R"({"name":"x","devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})");
}

TEST(SdkPinsTest, LeavesCurrentPinsAlone) {
  const std::string manifest =
      R"({"dependencies":{"zod":"^4"},"devDependencies":{"vaul":"1.1.2","@get-svc/plugin-sdk":"0.4.84"}})";
  std::string after;
  EXPECT_EQ(changesOf(manifest, &after), "");
  EXPECT_EQ(after, manifest);
}

TEST(SdkPinsTest, WarnsOfAnotherPin) {
  const auto warning = [](const char* manifest) {
    return pinWarning(Json::parse(manifest).value(), kSdk);
  };
  EXPECT_EQ(warning(R"({"devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})"), "");
  EXPECT_EQ(
      warning(R"({"devDependencies":{"@get-svc/plugin-sdk":"^0.4.84"}})"),
      "package.json pins @get-svc/plugin-sdk ^0.4.84, this svc has 0.4.84: run `svc plugin types`");
  EXPECT_THAT(warning("{}"), HasSubstr("pins @get-svc/plugin-sdk nowhere, this svc has 0.4.84"));
}

TEST(PackageFileTest, KeepsTheWayItIsWritten) {
  const TempTree tree;
  for (const std::string text :
       {"{\n\t\"name\": \"x\",\n\t\"files\": [\n\t\t\"a\"\n\t]\n}\n",
        "{\n    \"name\": \"x\",\n    \"a\": {\n        \"b  c\": 1\n    }\n}",
        "{\n  \"n\": \"\\n  x\"\n}\n"}) {
    tree.write("package.json", text);
    const auto file = readPackageFile(tree.path());
    ASSERT_TRUE(file);
    ASSERT_TRUE(writePackageFile(file.value()));
    EXPECT_EQ(tree.read("package.json"), text);
  }
  EXPECT_FALSE(tree.has("package.json.svc-new"));
}

TEST(PackageFileTest, WritesThroughALink) {
  const TempTree tree;
  tree.write("real.json", "{}\n");
  std::filesystem::create_symlink("real.json", tree.path() / "package.json");
  auto file = readPackageFile(tree.path()).value();
  file.json.set("name", "x");
  ASSERT_TRUE(writePackageFile(file));
  EXPECT_TRUE(std::filesystem::is_symlink(tree.path() / "package.json"));
  EXPECT_EQ(tree.read("real.json"), "{\n  \"name\": \"x\"\n}\n");
}

TEST(PackageFileTest, SaysWhatIsWrong) {
  const TempTree tree;
  EXPECT_EQ(readPackageFile(tree.path()).error().code, errc::kNotFound);
  EXPECT_THAT(readPackageFile(tree.path()).error().message,
              HasSubstr("package.json cannot be read: No such file"));
  tree.write("package.json", "{");
  EXPECT_THAT(readPackageFile(tree.path()).error().message,
              HasSubstr("package.json is not valid JSON"));
  tree.write("package.json", "[]");
  EXPECT_EQ(readPackageFile(tree.path()).error().message, "package.json must be a JSON object");
}

TEST(CarriedSdkTest, NamesTheMissingFile) {
  const TempTree tree;
  writeShare(tree);
  const auto sdk = readCarriedSdk(tree.path() / "share");
  ASSERT_TRUE(sdk);
  EXPECT_EQ(sdk.value().version, "0.4.84");
  EXPECT_EQ(sdk.value().tarball, tree.path() / "share/sdk/get-svc-plugin-sdk-0.4.84.tgz");
  EXPECT_EQ(sdk.value().runtime_packages.at("vaul"), "1.1.2");
  tree.remove("share/sdk/get-svc-plugin-sdk-0.4.84.tgz");
  EXPECT_THAT(readCarriedSdk(tree.path() / "share").error().message,
              HasSubstr("0.4.84.tgz is missing or damaged: install svc again"));
  tree.remove("share/sdk");
  EXPECT_THAT(readCarriedSdk(tree.path() / "share").error().message,
              HasSubstr("runtime-slots.json is missing"));
}

}  // namespace
}  // namespace svc::client
