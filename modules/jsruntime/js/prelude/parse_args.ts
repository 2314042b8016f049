/** `allowNegative` of `util.parseArgs`, which Node has since 22.4: `--no-color` makes `color` false. */
type ParseArgs = typeof import("node:util").parseArgs;

interface Option {
  type: "boolean" | "string";
  multiple?: boolean;
}
interface Config {
  allowNegative?: boolean;
  strict?: boolean;
  tokens?: boolean;
  options?: Record<string, Option>;
}
interface Token {
  kind: string;
  name: string;
  value?: string;
}
interface Parsed {
  values: Record<string, unknown>;
  tokens?: Token[];
}

const kNo = "no-";

export function withNegatives(original: ParseArgs): ParseArgs {
  const parse = original as unknown as (config?: Config) => Parsed;
  const parseArgs = (config: Config = {}): Parsed => {
    if (config?.allowNegative !== true) {
      return parse(config);
    }
    const { options = {} } = config;
    const negatives: [string, Option][] = Object.entries(options)
      .filter(([name, { type }]) => type === "boolean" && !Object.hasOwn(options, kNo + name))
      .map(([name, { multiple = false }]) => [kNo + name, { type: "boolean", multiple }]);
    const { tokens = [], ...parsed } = parse({ ...config, options: { ...options, ...Object.fromEntries(negatives) }, tokens: true });
    negate(parsed.values, tokens, options, config.strict === false);
    return config.tokens === true ? { ...parsed, tokens } : parsed;
  };
  return parseArgs as unknown as ParseArgs;
}

/** Puts the values of what was negated in the order of the words. */
function negate(values: Record<string, unknown>, tokens: Token[], options: Record<string, Option>, takesAny: boolean): void {
  const positive = ({ kind, name, value }: Token): string | undefined => {
    const stem = kind === "option" && value === undefined && name.startsWith(kNo) ? name.slice(kNo.length) : undefined;
    const isMeant = stem !== undefined && !Object.hasOwn(options, name) && (takesAny || options[stem]?.type === "boolean");
    return isMeant ? stem : undefined;
  };
  for (const stem of new Set(tokens.map(positive))) {
    if (stem !== undefined) {
      const said = tokens.flatMap((token) => (positive(token) === stem ? [false] : token.name === stem ? [token.value ?? true] : []));
      values[stem] = options[stem]?.multiple === true ? said : said.at(-1);
      delete values[kNo + stem];
    }
  }
}
