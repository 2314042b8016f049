#include "rpc_part.h"

#include <gtest/gtest.h>

namespace svc::rpc {
namespace {

TEST(RpcPartTest, EmbedsItsScript) {
  EXPECT_EQ(rpcPart().name, "rpc");
  EXPECT_NE(rpcPart().script.find("rpc.register"), std::string_view::npos);
}

}  // namespace
}  // namespace svc::rpc
