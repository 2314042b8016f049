#include "admission.h"

#include <fstream>

#include "channel_fixture.h"
#include "workers.h"

namespace svc::routes {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Return;

class AdmissionTest : public ChannelTest {
 protected:
  AdmissionTest() {
    ON_CALL(server, check).WillByDefault(Return(Status()));
    load->routes.addRoute("GET", "/local", Auth::kLocal);
    load->routes.addRoute("GET", "/none", Auth::kNone);
    load->routes.addRoute("GET", "/token", Auth::kToken);
    load->routes.addSocket("/live", Auth::kNone);
  }
  /// The outcome, once it is there.
  std::shared_ptr<std::optional<Admission::Outcome>> ask(
      http::Request request, Admission::Kind kind = Admission::Kind::kRequest) {
    auto outcome = std::make_shared<std::optional<Admission::Outcome>>();
    admission->admit(std::make_shared<const http::Request>(std::move(request)), kind,
                     [outcome](Admission::Outcome result) { *outcome = std::move(result); });
    return outcome;
  }
  std::string codeOf(http::Request request) {
    const auto outcome = ask(std::move(request));
    workers.runAll();
    EXPECT_TRUE(outcome->has_value());
    const auto& refusal = outcome->value().refusal;
    return refusal ? std::string(refusal->code.name()) : "ok";
  }
  static http::Request with(http::Request request, std::string name, std::string value) {
    request.headers.push_back({std::move(name), std::move(value)});
    return request;
  }
  std::string issue(Tokens::Rotate rotate = Tokens::Rotate::kNo) {
    std::string token;
    tokens->issue("todo", rotate, [&](Result<std::string> issued) { token = issued.value(); });
    workers.runAll();
    return token;
  }

  Scratch scratch;
  ManualWorkers workers;
  std::shared_ptr<Tokens> tokens = std::make_shared<Tokens>(scratch.path, workers, nullptr);
  std::shared_ptr<Admission> admission = std::make_shared<Admission>(server, loaded, loads, tokens);
};

TEST_F(AdmissionTest, FindsTheRouteAndItsLoad) {
  const auto outcome = ask(request("GET", "none"));
  ASSERT_TRUE(outcome->has_value());
  EXPECT_FALSE((*outcome)->refusal);
  EXPECT_EQ((*outcome)->key, "GET /none");
  EXPECT_EQ((*outcome)->load, load);
}

TEST_F(AdmissionTest, ChecksWhoCallsALocalRouteOnly) {
  EXPECT_CALL(server, check(http::Guard::kLocal, _))
      .WillOnce(Return(Error{errc::kForbiddenOrigin, "no"}));
  EXPECT_EQ(codeOf(request("GET", "local")), "forbidden_origin");
  EXPECT_EQ(codeOf(request("GET", "none")), "ok");
}

TEST_F(AdmissionTest, AnUnknownRouteNamesTheMethodsOfThePath) {
  const auto outcome = ask(request("POST", "local"));
  EXPECT_EQ((*outcome)->refusal->code, errc::kUnknownRoute);
  EXPECT_EQ((*outcome)->allow, "GET, HEAD");
  EXPECT_EQ((*outcome)->refusal->message,
            "plugin \"todo\" has no POST /local; the path takes GET, HEAD");
  EXPECT_THAT((*outcome)->refusal->details, HasSubstr("todo"));
  EXPECT_EQ((*ask(request("GET", "nothing")))->allow, "");
}

TEST_F(AdmissionTest, SocketsAndRoutesDoNotReachEachOther) {
  EXPECT_EQ(codeOf(request("GET", "live")), "unknown_route");
  EXPECT_FALSE((*ask(request("GET", "live"), Admission::Kind::kWebSocket))->refusal);
  EXPECT_EQ((*ask(request("GET", "none"), Admission::Kind::kWebSocket))->refusal->code,
            errc::kUnknownRoute);
}

TEST_F(AdmissionTest, APluginThatIsNotThereKeepsItsDetailsFromStrangers) {
  absent =
      Error{errc::kPluginNotRunning, "stopped: secret path", R"({"statusDetail":"secret path"})"};
  EXPECT_THAT((*ask(request("GET", "none")))->refusal->details, HasSubstr("secret path"));
  ON_CALL(server, check).WillByDefault(Return(Error{errc::kForbiddenOrigin, "no"}));
  const auto outcome = ask(request("GET", "none"));
  EXPECT_EQ((*outcome)->refusal->code, errc::kPluginNotRunning);
  EXPECT_THAT((*outcome)->refusal->details, ::testing::Not(HasSubstr("secret path")));
  EXPECT_EQ((*outcome)->refusal->message, "plugin \"todo\" is not running");
}

TEST_F(AdmissionTest, TakesTheTokenFromItsThreePlaces) {
  const auto token = issue();
  const auto plain = request("GET", "token");
  EXPECT_EQ(codeOf(with(plain, "x-svc-plugin-token", token)), "ok");
  EXPECT_EQ(codeOf(with(plain, "Authorization", "bearer " + token)), "ok");
  auto query = plain;
  query.query = "a=1&token=" + token;
  EXPECT_EQ(codeOf(query), "ok");
  EXPECT_EQ(codeOf(with(query, "X-Svc-Plugin-Token", "other")), "unauthorized");
  EXPECT_EQ(codeOf(with(query, "Authorization", "Basic abc")), "ok") << "that is not a token";
  EXPECT_EQ(codeOf(plain), "unauthorized");
}

TEST_F(AdmissionTest, ATokenRouteIsNotGuardedOtherwise) {
  EXPECT_CALL(server, check).Times(0);
  EXPECT_EQ(codeOf(with(request("GET", "token"), "x-svc-plugin-token", issue())), "ok");
}

TEST_F(AdmissionTest, LooksTheRouteUpAgainAfterTheCheck) {
  const auto authorized = with(request("GET", "token"), "x-svc-plugin-token", issue());
  const auto outcome = ask(authorized);
  EXPECT_FALSE(outcome->has_value());
  load->routes.addRoute("GET", "/token", Auth::kLocal);  // the next load asks for another mode
  workers.runAll();
  EXPECT_EQ((*outcome)->refusal->code, errc::kPluginNotRunning);
  load->routes.addRoute("GET", "/token", Auth::kToken);
  // Another file: one that is known is not read again, and its check takes no time.
  const auto gone =
      ask(with(request("GET", "token"), "x-svc-plugin-token", issue(Tokens::Rotate::kYes)));
  absent = Error{errc::kPluginNotRunning, "disabled meanwhile"};
  workers.runAll();
  EXPECT_EQ((*gone)->refusal->code, errc::kPluginNotRunning);
}

TEST_F(AdmissionTest, HoldsNoLoadWhileTheTokenIsChecked) {
  const auto outcome = ask(with(request("GET", "token"), "x-svc-plugin-token", "x"));
  std::weak_ptr<plugins::IGeneration> weak = generation;
  EXPECT_EQ(weak.use_count(), 1) << "a lease would keep a reload waiting";
  workers.runAll();
}

TEST_F(AdmissionTest, AnswersAlsoWhenTheModuleHasStopped) {
  const auto outcome = ask(with(request("GET", "token"), "x-svc-plugin-token", issue()));
  admission.reset();
  workers.runAll();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ((*outcome)->refusal->code, errc::kUnavailable);
}

}  // namespace
}  // namespace svc::routes
