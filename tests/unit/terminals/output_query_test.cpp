#include "output_query.h"

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/hostprotocol/base64.h"

namespace svc::terminals {
namespace {

using common::Json;

class OutputQueryTest : public ::testing::Test {
 protected:
  OutputQueryTest() {
    for (const auto* text : {"aa", "bb", "cc", "dd"}) {
      ring_.append(text);
    }
  }
  static std::string shown(const hostprotocol::TerminalRing& ring, const OutputQuery& query) {
    const auto json = Json::parse(outputOf(ring, query)).value();
    std::string text;
    for (const auto& chunk : json["chunks"].items()) {
      text += std::to_string(chunk["seq"].asInteger()) +
              hostprotocol::decodeBase64(chunk["dataBase64"].asString()).value() + " ";
    }
    return text + std::to_string(json["nextSeq"].asInteger()) +
           (json["truncated"].asBool() ? " truncated" : "");
  }
  hostprotocol::TerminalRing ring_{1UL << 20U};
};

TEST_F(OutputQueryTest, GivesWhatIsThereFromANumberOn) {
  EXPECT_EQ(shown(ring_, {}), "0aa 1bb 2cc 3dd 4");
  EXPECT_EQ(shown(ring_, {.since = 2}), "2cc 3dd 4");
  EXPECT_EQ(shown(ring_, {.since = 4}), "4");
  EXPECT_EQ(shown(ring_, {.since = 9}), "9") << "a server that was restarted has less for a while";
  EXPECT_EQ(shown(ring_, {.since = 1, .most_chunks = 2}), "1bb 2cc 3");
  EXPECT_EQ(shown(ring_, {.most_chunks = 0}), "0");
}

TEST_F(OutputQueryTest, ATailIsCutInTheMiddleOfAChunk) {
  EXPECT_EQ(shown(ring_, {.tail_bytes = 3}), "2c 3dd 4");
  EXPECT_EQ(shown(ring_, {.tail_bytes = 4}), "2cc 3dd 4");
  EXPECT_EQ(shown(ring_, {.tail_bytes = 0}), "4");
  EXPECT_EQ(shown(ring_, {.tail_bytes = 100}), "0aa 1bb 2cc 3dd 4");
  EXPECT_EQ(shown(ring_, {.since = 3, .tail_bytes = 100}), "3dd 4");
}

TEST_F(OutputQueryTest, SaysWhenTheBeginningIsGone) {
  ring_.put(10, "zz");
  EXPECT_EQ(shown(ring_, {}), "10zz 11 truncated");
  EXPECT_EQ(shown(ring_, {.since = 9}), "10zz 11 truncated");
  EXPECT_EQ(shown(ring_, {.since = 10}), "10zz 11");
  ring_.clear();
  EXPECT_EQ(shown(ring_, {.since = 10}), "11 truncated");
  EXPECT_FALSE(hasOutput(ring_, {.since = 10}));
}

TEST(ReadOutputQueryTest, ReadsNumbersAndNothingElse) {
  http::Request request;
  request.query = "sinceSeq=5&tailBytes=6&limitChunks=7&waitMs=25000";
  const auto query = readOutputQuery(request).value();
  EXPECT_EQ(query.since, 5U);
  EXPECT_EQ(query.tail_bytes, 6U);
  EXPECT_EQ(query.most_chunks, 7U);
  EXPECT_EQ(query.wait.count(), 25000);
  for (const auto* bad : {"sinceSeq=-1", "sinceSeq=", "tailBytes=x", "limitChunks=1.5",
                          "waitMs=25001", "waitMs=99999999999999999999"}) {
    request.query = bad;
    EXPECT_EQ(readOutputQuery(request).error().code, errc::kInvalidInput) << bad;
  }
}

}  // namespace
}  // namespace svc::terminals
