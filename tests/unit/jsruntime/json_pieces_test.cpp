#include <gtest/gtest.h>

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using JsonPiecesTest = ScriptFixture;

TEST_F(JsonPiecesTest, SaysWhatStringifySays) {
  auto instance = create(R"(
    const texts = [''];
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code);
      // At each place of the eight bytes that are looked at together, and behind the last eight.
      for (let before = 0; before < 9; before++) {
        texts.push('x'.repeat(before) + character, 'x'.repeat(before) + character + 'y'.repeat(20), character.repeat(before + 1));
      }
    }
    const long = texts.join('');
    texts.push(long.repeat(50), long.slice(7, 5000), long + long);
    runtime.handle('differing', () => {
      const wrong = texts.filter((text) => runtime.quoteJson(['{"a":', text, ',"b":', text, '}']) !== JSON.stringify({ a: text, b: text }));
      return `${texts.length} ${JSON.stringify(wrong)}`;
    });)");
  EXPECT_EQ(text(call(instance, "differing")), "3460 []");
}

TEST_F(JsonPiecesTest, RefusesWhatIsNotAscii) {
  auto instance = create(R"(
    const long = 'x'.repeat(5000);
    runtime.handle('refused', () => JSON.stringify(
      ['\u0080', '\u00e9', '\u2013', '\ud800'].map((text) => [
        runtime.quoteJson(['', long + text, '']), runtime.quoteJson([text, long, '']), runtime.quoteJson(['', long, text]),
      ].every((made) => made === undefined))));)");
  EXPECT_EQ(text(call(instance, "refused")), "[true,true,true,true]");
}

}  // namespace
}  // namespace svc::jsruntime
