#include "starter.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"

namespace svc::pty {
namespace {

TEST(OpenRequestTest, IsReadWhole) {
  const auto request = parseOpenRequest(
      R"({"type":"terminal.open","terminalId":"t","cwd":null,"cols":80,"rows":24,"start":{"mode":"command","command":"ls -l"},"env":{"SVC_X":"1"}})");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request.value().id, "t");
  EXPECT_EQ(request.value().cwd, "");
  EXPECT_EQ(request.value().size.columns, 80);
  EXPECT_EQ(request.value().size.rows, 24);
  EXPECT_EQ(request.value().command, "ls -l");
  EXPECT_EQ(request.value().environment.at("SVC_X"), "1");
}

TEST(OpenRequestTest, NonsenseIsRefused) {
  const auto refused = [](const std::string& size, const std::string& start) {
    return parseOpenRequest(R"({"terminalId":"t","cwd":"/",)" + size + R"(,"start":)" + start +
                            R"(,"env":{}})")
               .error()
               .code == errc::kInvalidInput;
  };
  const std::string shell = R"({"mode":"shell"})";
  for (const auto* size :
       {R"("cols":0,"rows":24)", R"("cols":1001,"rows":24)", R"("cols":80,"rows":-1)",
        R"("cols":80.5,"rows":24)", R"("cols":"80","rows":24)", R"("rows":24)"}) {
    EXPECT_TRUE(refused(size, shell)) << size;
  }
  for (const auto* start : {"{}", R"({"mode":"command"})", R"({"mode":"command","command":""})",
                            R"({"mode":"other"})", R"({"mode":"command","command":"a\u0000b"})"}) {
    EXPECT_TRUE(refused(R"("cols":80,"rows":24)", start)) << start;
  }
}

}  // namespace
}  // namespace svc::pty
