/** Schedule expressions out of good and bad pieces: always the same ones. */
export function randomCrons(count: number): string[] {
  let state = 20_261;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const names = ["jan", "DEC", "mon", "Sun", "fri", "x", "é"];
  const value = (most: number): string =>
    below(12) === 0 ? one([...names, "-1", "007", "99999", ""]) : below(6) === 0 ? one(names) : String(below(most));
  const item = (most: number): string => {
    const range = one([() => "*", () => value(most), () => `${value(most)}-${value(most)}`])();
    return below(4) === 0 ? `${range}/${one(["1", "2", "7", "15", "0", "61", "x"])}` : range;
  };
  const field = (most: number): string => Array.from({ length: below(5) === 0 ? 2 : 1 }, () => item(most)).join(",");
  const cron = (): string => {
    if (below(25) === 0) {
      return one(["@hourly", "@DAILY", "@never", "@", ""]);
    }
    const fields = [61, 24, 32, 13, 8].map((most) => (below(2) === 0 ? "*" : field(most)));
    if (below(20) === 0) {
      fields.pop();
    }
    return fields.join(one([" ", " ", " ", "  ", "\t"]));
  };
  return Array.from({ length: count }, cron);
}
