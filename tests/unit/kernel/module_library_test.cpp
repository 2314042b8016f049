#include "module_library.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

using testing::HasSubstr;

const std::vector<std::filesystem::path> kFixtures{FIXTURE_DIR};

TEST(ModuleLibraryTest, LoadsAModuleThatPassesEveryCheck) {
  const auto library = loadModuleLibrary("alpha", kFixtures);
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_STREQ(library.value().descriptor->name, "alpha");
}

struct Failure {
  const char* module;
  Errc code;
  const char* says;
};

class ModuleLibraryFailureTest : public testing::TestWithParam<Failure> {};

TEST_P(ModuleLibraryFailureTest, IsRefusedWithItsOwnCode) {
  const auto library = loadModuleLibrary(GetParam().module, kFixtures);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, GetParam().code);
  EXPECT_THAT(library.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, ModuleLibraryFailureTest,
    testing::Values(Failure{"wrong_magic", kModuleMagicMismatch, "0x0000000000000007"},
                    Failure{"wrong_abi", kModuleAbiMismatch, "ABI 99, this program has 1"},
                    Failure{"wrong_size", kModuleSizeMismatch, "descriptor of 3 bytes"},
                    Failure{"wrong_tag", kModuleBuildTagMismatch, "\"another-compiler\""},
                    Failure{"wrong_name", kModuleNameMismatch, "\"somebody\""},
                    Failure{"no_symbol", kModuleNoSymbol, "svc_module"},
                    Failure{"alpah", kModuleNotFound, "did you mean \"alpha\"?"}),
    [](const auto& parameter) { return "Case" + std::to_string(parameter.index); });

TEST(ModuleLibraryTest, AFileThatIsNoLibraryIsUnloadable) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "not_a_library";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "junk.so") << "this is text";
  const auto library = loadModuleLibrary("junk", {directory});
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, kModuleUnloadable);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace svc::kernel
