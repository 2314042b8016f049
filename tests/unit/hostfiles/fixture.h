#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

#include "places.h"
#include "unit/hostworkers/temp_directory.h"

namespace svc::hostfiles {

using common::Json;

/// A directory `in` to be reached, and one beside it that must not be.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::filesystem::create_directories(in());
    directory_.write("out/secret", "secret");
  }

  [[nodiscard]] std::filesystem::path in() const { return directory_.path() / "in"; }
  [[nodiscard]] std::filesystem::path out() const { return directory_.path() / "out"; }
  /// A command about a path with rootPath.
  [[nodiscard]] Json confined(const std::string& path) const {
    return Json::object().set("path", path).set("rootPath", in().string());
  }
  static std::string textOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static Json json(const Result<std::string>& answer) {
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return answer ? Json::parse(answer.value()).value() : Json();
  }
  static std::string code(const Result<std::string>& answer) {
    return answer ? "ok" : std::string(answer.error().code.name());
  }

  svc::test::TempDirectory directory_;
  Bounds bounds_{.home = in().string(), .roots = {}};
};

}  // namespace svc::hostfiles
