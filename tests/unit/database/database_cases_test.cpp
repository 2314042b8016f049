// Runs the cases of the API in an environment. Each file of cases/ also runs against the better-sqlite3 package:
// see cases/compare.mjs.
#include <ostream>

#include "database_fixture.h"

namespace svc::database {
namespace {

class DatabaseCasesTest : public DatabaseFixture,
                          public ::testing::WithParamInterface<const char*> {};

TEST_P(DatabaseCasesTest, Pass) {
  const auto instance = create(kNames + handler("run", R"(
    const { run } = require(text + '/harness.cjs');
    const { count, failures } = await run(text + '/' + meta + '.cjs', Database, )"
                                                       "'" +
                                                           folder.path().string() + R"(');
    if (failures.length > 0) throw new Error(failures.join('\n'));
    return String(count);
  )"));
  const auto result = call(instance, "run", SVC_TEST_CASES, GetParam());
  ASSERT_TRUE(result.ok()) << text(result);
  EXPECT_GT(std::stoi(result.value()), 0);
}

INSTANTIATE_TEST_SUITE_P(Api, DatabaseCasesTest,
                         ::testing::Values("aggregates", "backup", "binding", "connection",
                                           "details", "errors", "functions", "iterators", "pragma",
                                           "rows", "statements", "transactions"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace svc::database
