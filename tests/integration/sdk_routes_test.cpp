// Every method that `svc.sdk` names leads to a route of the default module set.
#include <fstream>
#include <sstream>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::IsEmpty;

struct SdkRoute {
  std::string method;
  std::string verb;
  std::string target;
};

/// ":x" becomes an id that nothing has; "[…]" and what stands behind "?" and "&" are left out.
std::string targetOf(const std::string& route) {
  if (route.starts_with('=')) {
    return route.substr(1);
  }
  std::string out = "/api/v1";
  bool inside = false;
  bool optional = false;
  for (const char c : route) {
    if (c == '?' || c == '&') {
      break;
    }
    optional = c == '[' || (optional && c != ']');
    if (optional || c == ']') {
      continue;
    }
    inside = c != '/' && (inside || c == ':');
    if (c == ':') {
      out += "nothing";
    } else if (!inside) {
      out += c;
    }
  }
  return out;
}

std::vector<SdkRoute> sdkRoutes() {
  std::ifstream file(SVC_TEST_SOURCE_DIR "/modules/sdkclient/js/methods.ts");
  std::vector<SdkRoute> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "const kTable = `") {
      inside = true;
    } else if (line == "`;") {
      break;
    } else if (inside) {
      SdkRoute route;
      std::istringstream(line) >> route.method >> route.verb >> route.target;
      // "!" sends what is left as a body, whatever the verb.
      if (route.target.ends_with('!')) {
        route.target.pop_back();
      }
      route.target = targetOf(route.target);
      out.push_back(std::move(route));
    }
  }
  return out;
}

TEST(SdkRoutesTest, EveryMethodHasItsRoute) {
  const Server server;
  const auto routes = sdkRoutes();
  ASSERT_GT(routes.size(), 130U);
  std::vector<std::string> missing;
  for (const auto& route : routes) {
    const bool body = route.verb != "GET" && route.verb != "DELETE";
    const auto answer = server.http().send(
        {.method = route.verb,
         .target = route.target,
         .body = body ? "{}" : "",
         .headers = body ? std::map<std::string, std::string>{{"content-type", "application/json"}}
                         : std::map<std::string, std::string>{}});
    if (answer.code() == "unknown_route" ||
        (answer.status >= 500 && answer.code() != "host_unavailable")) {
      missing.push_back(route.method + ": " + route.verb + " " + route.target + " " + answer.body);
    }
  }
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
}  // namespace svc::test
