#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using ConsoleTest = ScriptFixture;

TEST_F(ConsoleTest, PassesLinesOnWithTheLevelOfTheMethod) {
  auto instance = create(R"(
    console.log('a %d', 1, { b: [2] });
    console.info('i'); console.debug('d'); console.warn('w'); console.error(new Error('e'));
    console.group('g'); console.log('inside'); console.groupEnd();
    console.assert(false, 'no');
    console.log('two\nlines');)");
  const auto seen = observer->waitFor([](const auto& all) { return all.lines.size() >= 9; });
  ASSERT_EQ(seen.lines.size(), 9U);
  const auto line = [&](std::size_t at) {
    return seen.lines[at].level + ":" + seen.lines[at].text;
  };
  EXPECT_EQ(line(0), "info:a 1 { b: [ 2 ] }");
  EXPECT_EQ(line(1), "info:i");
  EXPECT_EQ(line(2), "info:d");
  EXPECT_EQ(line(3), "warn:w");
  EXPECT_TRUE(line(4).starts_with("error:Error: e\n    at ")) << line(4);
  EXPECT_EQ(line(5), "info:g");
  EXPECT_EQ(line(6), "info:  inside");
  EXPECT_EQ(line(7), "error:Assertion failed: no");
  EXPECT_EQ(line(8), "info:two\nlines");
}

TEST_F(ConsoleTest, JoinsWritesToTheStreamsToLines) {
  auto instance = create(R"(
    process.stdout.write('one '); process.stdout.write('line\nnext'); process.stdout.write(' line\n');
    process.stderr.write(Buffer.from('error\n')); process.stdout.write('no end');)");
  const auto seen = observer->waitFor([](const auto& all) { return all.lines.size() >= 4; });
  ASSERT_EQ(seen.lines.size(), 4U);
  EXPECT_EQ(seen.lines[0].text, "one line");
  EXPECT_EQ(seen.lines[1].text, "next line");
  EXPECT_EQ(seen.lines[2].text, "error");
  EXPECT_EQ(seen.lines[3].text, "no end");
}

TEST_F(ConsoleTest, TakesWritesToTheStandardDescriptors) {
  auto instance = create(R"(
    const fs = process.getBuiltinModule('fs');
    const counts = [fs.writeSync(1, 'text\n'), fs.writeSync(2, Buffer.from('-part-\n'), 1, 4)];
    fs.writeSync(2, '\n');
    fs.write(1, 'later\n', (error, count) => console.log([error, count, ...counts].join()));)");
  const auto seen = observer->waitFor([](const auto& all) { return all.lines.size() >= 4; });
  ASSERT_EQ(seen.lines.size(), 4U);
  EXPECT_EQ(seen.lines[0].text, "text");
  EXPECT_EQ(seen.lines[1].text, "part");
  EXPECT_EQ(seen.lines[2].text, "later");
  EXPECT_EQ(seen.lines[3].text, ",6,5,4");
}

TEST_F(ConsoleTest, ReportsWarningsOfNode) {
  auto instance = create(
      R"(process.emitWarning('old', 'DeprecationWarning'); process.emitWarning('new', 'ExperimentalWarning');
    process.stdin.on('data', () => {}).on('end', () => console.log('no input'));)");
  const auto seen = observer->waitFor([](const auto& all) { return all.lines.size() >= 2; });
  ASSERT_EQ(seen.lines.size(), 2U);
  EXPECT_EQ(seen.lines[0].level + seen.lines[0].text, "warnDeprecationWarning: old");
  EXPECT_EQ(seen.lines[1].text, "no input");
}

}  // namespace
}  // namespace svc::jsruntime
