#include "rpc_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_generation.h"

namespace svc::rpc {
namespace {

using common::Json;
using ::testing::StrictMock;

TEST(RpcPartTest, KeepsTheMethodNamesAsRegistration) {
  const auto generation = std::make_shared<StrictMock<plugins::MockGeneration>>();
  EXPECT_CALL(*generation, setRegistration("rpc", Json(Json::Array{Json("a"), Json("b")})));
  const auto functions = rpcPart().functions(generation);
  EXPECT_EQ(functions.at(0).name, "rpc.registered");
  EXPECT_TRUE(functions.at(0).sync(R"(["a","b"])").ok());
}

TEST(RpcPartTest, ReportsProblems) {
  const auto generation = std::make_shared<StrictMock<plugins::MockGeneration>>();
  EXPECT_CALL(*generation, addProblem).WillOnce([](const plugins::Problem& problem) {
    EXPECT_EQ(problem.code, "unknown_field");
    EXPECT_EQ(problem.message, "m");
  });
  EXPECT_TRUE(
      rpcPart().functions(generation).at(1).sync(R"({"code":"unknown_field","message":"m"})").ok());
}

TEST(RpcPartTest, IgnoresAGenerationThatIsGone) {
  auto generation = std::make_shared<StrictMock<plugins::MockGeneration>>();
  const auto functions = rpcPart().functions(generation);
  generation.reset();
  EXPECT_TRUE(functions.at(0).sync("[]").ok());
}

TEST(RpcPartTest, EmbedsItsScript) {
  EXPECT_NE(rpcPart().script.find("rpc.register"), std::string_view::npos);
}

}  // namespace
}  // namespace svc::rpc
