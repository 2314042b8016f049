#include "health.h"

#include <gtest/gtest.h>

namespace svc::http {
namespace {

std::function<std::string()> says(std::string json) {
  return [json = std::move(json)] { return json; };
}

TEST(HealthTest, IsReadyWhenEveryModuleIs) {
  Health health;
  const auto a = health.contribute({"modules", says(R"({"name":"a","state":"ready"})")});
  const auto b = health.contribute({"modules", says(R"([{"name":"b","state":"ready"}])")});
  const auto plugins = health.contribute({"plugins", says(R"([{"id":"todo","status":"error"}])")});
  const auto response = health.answer(Health::Serving::kYes);
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body,
            R"({"modules":[{"name":"a","state":"ready"},{"name":"b","state":"ready"}],)"
            R"("plugins":[{"id":"todo","status":"error"}]})");
}

TEST(HealthTest, AModuleThatIsNotReadyMakesItUnavailable) {
  Health health;
  const auto a = health.contribute({"modules", says(R"({"name":"a","state":"failed"})")});
  EXPECT_EQ(health.answer(Health::Serving::kYes).status, 503U);
}

TEST(HealthTest, AServerThatDrainsIsNotReady) {
  EXPECT_EQ(Health().answer(Health::Serving::kNo).status, 503U);
}

TEST(HealthTest, ReleasedContributionsAreGone) {
  Health health;
  auto a = health.contribute({"modules", says(R"({"name":"a","state":"failed"})")});
  a.reset();
  EXPECT_EQ(health.answer(Health::Serving::kYes).body, R"({"modules":[],"plugins":[]})");
}

}  // namespace
}  // namespace svc::http
