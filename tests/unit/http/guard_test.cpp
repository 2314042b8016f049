#include "guard.h"

#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"

namespace svc::http {
namespace {

GuardPolicy policy(GuardSettings settings = {.listen_host = "127.0.0.1"}) {
  auto made = GuardPolicy::create(std::move(settings));
  SVC_ASSERT(made.ok());
  made.value().bindTo(4700);
  return std::move(made).value();
}

/// Code of the refusal, or "ok".
std::string check(const GuardPolicy& policy, Guard guard, std::optional<std::string> host,
                  std::optional<std::string> origin = {}, std::string_view method = "GET",
                  std::optional<std::string> content_type = {}, bool has_body = false) {
  const auto pointer = [](const std::optional<std::string>& text) {
    return text ? &*text : nullptr;
  };
  const auto status = policy.check(guard, {.method = method,
                                           .host = pointer(host),
                                           .origin = pointer(origin),
                                           .content_type = pointer(content_type),
                                           .has_body = has_body});
  return status ? "ok" : std::string(status.error().code.name());
}

TEST(GuardPolicyTest, AcceptsLoopbackNamesWithTheBoundPort) {
  const auto guard = policy();
  for (const auto* host : {"127.0.0.1:4700", "localhost:4700", "LOCALHOST:4700", "[::1]:4700"}) {
    EXPECT_EQ(check(guard, Guard::kLocal, host), "ok") << host;
  }
  for (const auto* host : {"127.0.0.1", "127.0.0.1:80", "localhost", "evil.example:4700", "",
                           "127.0.0.1:4700.evil.example", "[::1]", "localhost:47000"}) {
    EXPECT_EQ(check(guard, Guard::kLocal, host), "forbidden_origin") << host;
  }
  EXPECT_EQ(check(guard, Guard::kLocal, std::nullopt), "forbidden_origin");
}

TEST(GuardPolicyTest, ConfiguredNamesMatchWithOrWithoutAPort) {
  const auto guard =
      policy({.listen_host = "0.0.0.0", .allowed_hosts = {"svc.example", "other.example:8080"}});
  EXPECT_EQ(check(guard, Guard::kLocal, "svc.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "SVC.example:4700"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "other.example:8080"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "other.example"), "forbidden_origin");
  EXPECT_EQ(check(guard, Guard::kLocal, "a.svc.example"), "forbidden_origin");
}

TEST(GuardPolicyTest, RequestsWithoutOriginPass) {
  EXPECT_EQ(check(policy(), Guard::kLocal, "127.0.0.1:4700"), "ok");
}

TEST(GuardPolicyTest, OwnOriginsPassAndForeignOnesDoNot) {
  const auto guard = policy();
  EXPECT_EQ(check(guard, Guard::kLocal, "127.0.0.1:4700", "http://127.0.0.1:4700"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "127.0.0.1:4700", "http://localhost:4700"), "ok");
  for (const auto* origin :
       {"null", "", "http://evil.example", "https://127.0.0.1:4700", "http://127.0.0.1",
        "http://127.0.0.1:4700/", "http://127.0.0.1:4700@evil.example", "file://", "127.0.0.1:4700",
        "http://127.0.0.1:4700 http://evil.example"}) {
    EXPECT_EQ(check(guard, Guard::kLocal, "127.0.0.1:4700", origin), "forbidden_origin") << origin;
  }
}

TEST(GuardPolicyTest, ConfiguredOriginsPass) {
  const auto guard = policy({.listen_host = "127.0.0.1",
                             .allowed_origins = {"https://App.example:443"},
                             .app_url = "https://window.example/svc/"});
  EXPECT_EQ(check(guard, Guard::kLocal, "localhost:4700", "https://app.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "localhost:4700", "https://window.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "localhost:4700", "http://app.example"),
            "forbidden_origin");
}

TEST(GuardPolicyTest, ThePublicNameIsANameOfTheServer) {
  const auto guard = policy({.listen_host = "127.0.0.1", .app_url = "https://Window.example/svc/"});
  EXPECT_EQ(check(guard, Guard::kHost, "window.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kLocal, "window.example", "https://window.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kHost, "other.example"), "forbidden_origin");
}

TEST(GuardPolicyTest, TellsOwnOriginsFromCrossOrigins) {
  const auto guard =
      policy({.listen_host = "127.0.0.1", .allowed_origins = {"https://app.example"}});
  EXPECT_EQ(guard.classify("http://localhost:4700", "localhost:4700", false), OriginClass::kOwn);
  EXPECT_EQ(guard.classify("http://127.0.0.1:4700", "localhost:4700", false), OriginClass::kCross);
  EXPECT_EQ(guard.classify("https://app.example", "localhost:4700", false), OriginClass::kCross);
  EXPECT_EQ(guard.classify("http://other.example", "other.example", false), OriginClass::kRefused);
}

TEST(GuardPolicyTest, BehindTlsTheOwnOriginIsHttps) {
  const auto guard = policy({.listen_host = "127.0.0.1", .allowed_hosts = {"svc.example"}});
  EXPECT_EQ(guard.classify("https://svc.example", "svc.example", true), OriginClass::kOwn);
  EXPECT_EQ(guard.classify("https://svc.example", "svc.example", false), OriginClass::kRefused);
}

TEST(GuardPolicyTest, MutationsWithABodyNeedJson) {
  const auto guard = policy();
  const auto post = [&](Guard kind, std::optional<std::string> type, bool body) {
    return check(guard, kind, "127.0.0.1:4700", std::nullopt, "POST", std::move(type), body);
  };
  EXPECT_EQ(post(Guard::kLocal, "application/json", true), "ok");
  EXPECT_EQ(post(Guard::kLocal, "Application/JSON ; charset=utf-8", true), "ok");
  EXPECT_EQ(post(Guard::kLocal, "text/plain", true), "unsupported_media_type");
  EXPECT_EQ(post(Guard::kLocal, "application/jsonx", true), "unsupported_media_type");
  EXPECT_EQ(post(Guard::kLocal, std::nullopt, true), "unsupported_media_type");
  EXPECT_EQ(post(Guard::kLocal, std::nullopt, false), "ok");
  EXPECT_EQ(post(Guard::kUpload, "application/octet-stream", true), "ok");
}

TEST(GuardPolicyTest, EachGuardChecksWhatItSays) {
  const auto guard = policy();
  EXPECT_EQ(check(guard, Guard::kNone, "evil.example", "null"), "ok");
  EXPECT_EQ(check(guard, Guard::kHost, "127.0.0.1:4700", "http://evil.example"), "ok");
  EXPECT_EQ(check(guard, Guard::kHost, "evil.example"), "forbidden_origin");
  EXPECT_EQ(check(guard, Guard::kUpload, "127.0.0.1:4700", "http://evil.example"),
            "forbidden_origin");
}

TEST(GuardPolicyTest, AReachableAddressNeedsNamedHosts) {
  const auto made = GuardPolicy::create({.listen_host = "0.0.0.0"});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("listen.allowedHosts"), std::string::npos);
  EXPECT_TRUE(GuardPolicy::create({.listen_host = "127.0.0.2"}).ok());
  EXPECT_TRUE(GuardPolicy::create({.listen_host = "::1"}).ok());
  EXPECT_FALSE(GuardPolicy::create({.listen_host = "127.0.0.1.evil.example"}).ok());
}

TEST(GuardPolicyTest, MalformedSettingsAreRefused) {
  EXPECT_FALSE(
      GuardPolicy::create({.listen_host = "127.0.0.1", .allowed_hosts = {"http://x"}}).ok());
  EXPECT_FALSE(
      GuardPolicy::create({.listen_host = "127.0.0.1", .allowed_origins = {"app.example"}}).ok());
  EXPECT_FALSE(GuardPolicy::create({.listen_host = "127.0.0.1", .app_url = "nonsense"}).ok());
  EXPECT_FALSE(
      GuardPolicy::create({.listen_host = "127.0.0.1", .trusted_proxies = {"banana"}}).ok());
}

std::string refusalOf(GuardSettings settings) {
  settings.listen_host = "127.0.0.1";
  const auto made = GuardPolicy::create(std::move(settings));
  return made ? "" : made.error().message;
}

TEST(GuardPolicyTest, APortIsANumberUpTo65535) {
  EXPECT_EQ(refusalOf({.allowed_hosts = {"svc.example:65535", "[::1]:1", "[::1]"}}), "");
  EXPECT_EQ(refusalOf({.allowed_hosts = {"svc.example:65536"}}),
            "expected host names, with or without a port, got \"svc.example:65536\"; a port is a "
            "number from 1 to 65535");
  EXPECT_EQ(refusalOf({.app_url = "https://svc.example:70000/base"}),
            "expected an address such as https://svc.example, got "
            "\"https://svc.example:70000/base\"; a port is a number from 1 to 65535");
  EXPECT_NE(refusalOf({.allowed_origins = {"https://svc.example:0"}}), "");
  EXPECT_NE(refusalOf({.allowed_hosts = {"svc.example:"}}), "");
  EXPECT_NE(refusalOf({.allowed_hosts = {"svc.example:http"}}), "");
  EXPECT_NE(refusalOf({.allowed_hosts = {"[::1"}}), "");
  EXPECT_EQ(refusalOf({.allowed_hosts = {"fe80::1"}}),
            "expected host names, with or without a port, got \"fe80::1\"; an IPv6 address is "
            "written in brackets, such as [::1]");
}

TEST(GuardPolicyTest, AnOriginHasNoPath) {
  EXPECT_EQ(refusalOf({.allowed_origins = {"https://svc.example/"}}), "");
  EXPECT_EQ(refusalOf({.allowed_origins = {"https://svc.example/app"}}),
            "expected an origin without a path, such as https://svc.example, got "
            "\"https://svc.example/app\"");
  EXPECT_EQ(refusalOf({.app_url = "https://svc.example/app"}), "");
}

TEST(GuardPolicyTest, ATrustedProxyMayBeWrittenInAnyForm) {
  const auto policy = GuardPolicy::create(
      {.listen_host = "127.0.0.1", .trusted_proxies = {"10.0.0.1", "0:0:0:0:0:0:0:1"}});
  EXPECT_TRUE(policy.value().trustsPeer("10.0.0.1"));
  EXPECT_TRUE(policy.value().trustsPeer("::1"));
  EXPECT_FALSE(policy.value().trustsPeer("10.0.0.2"));
}

/// A request of a browser, as its Sec-Fetch-Site says; code of the refusal, or "ok".
std::string checkSite(Guard guard, const std::string& site, const std::string* origin = nullptr) {
  const std::string host = "localhost:4700";
  const GuardFacts facts{
      .method = "GET", .host = &host, .origin = origin, .origin_headers = 1, .fetch_site = &site};
  const auto status =
      policy({.listen_host = "127.0.0.1", .allowed_origins = {"https://app.example"}})
          .check(guard, facts);
  return status ? "ok" : std::string(status.error().code.name());
}

TEST(GuardPolicyTest, PagesOfOtherSitesAreRefusedUnlessTheirOriginMayCall) {
  for (const auto guard : {Guard::kLocal, Guard::kUpload}) {
    EXPECT_EQ(checkSite(guard, "cross-site"), "forbidden_origin");
    for (const auto* site : {"none", "same-origin", "same-site"}) {
      EXPECT_EQ(checkSite(guard, site), "ok") << site;
    }
  }
  EXPECT_EQ(checkSite(Guard::kHost, "cross-site"), "ok");
  EXPECT_EQ(checkSite(Guard::kNone, "cross-site"), "ok");
  const std::string allowed = "https://app.example";
  EXPECT_EQ(checkSite(Guard::kLocal, "cross-site", &allowed), "ok");
}

TEST(GuardPolicyTest, ARefusedNavigationFromAnotherSiteIsToldWhatRouteItNeeds) {
  const std::string host = "localhost:4700";
  const std::string site = "cross-site";
  const auto status =
      policy().check(Guard::kLocal, {.method = "GET", .host = &host, .fetch_site = &site});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("needs auth \"none\""), std::string::npos);
}

TEST(GuardPolicyTest, UsersAreNamesOrNumbers) {
  const auto guard = policy({.listen_host = "127.0.0.1", .local_users = {"daemon", "65533"}});
  for (const uid_t user : {::geteuid(), uid_t{0}, uid_t{1}, uid_t{65533}}) {
    EXPECT_TRUE(guard.servesUser(user)) << user;
  }
  EXPECT_FALSE(guard.servesUser(65534));
  EXPECT_FALSE(guard.servesEverybody());
  EXPECT_TRUE(policy({.listen_host = "127.0.0.1", .local_users = {"any"}}).servesEverybody());
}

TEST(GuardPolicyTest, AUserThatIsNotThereLetsNobodyInAndKeepsNoServerFromStarting) {
  EXPECT_EQ(policy().missingUser(), "");
  const auto guard = policy({.listen_host = "127.0.0.1", .local_users = {"no such user", "65533"}});
  EXPECT_EQ(guard.missingUser(), "no such user");
  EXPECT_TRUE(guard.servesUser(65533));
  EXPECT_FALSE(guard.servesUser(65534));
}

TEST(GuardPolicyTest, ASecondOriginHeaderIsRefused) {
  const std::string host = "localhost:4700";
  const std::string origin = "http://localhost:4700";
  const GuardFacts facts{.method = "GET", .host = &host, .origin = &origin, .origin_headers = 2};
  EXPECT_EQ(policy().check(Guard::kLocal, facts).error().code, errc::kForbiddenOrigin);
  EXPECT_TRUE(policy().check(Guard::kHost, facts).ok());
}

}  // namespace
}  // namespace svc::http
