import { cliCommand, defineCli, PluginCliError, type SvcPluginApi } from "@get-svc/plugin-sdk";

// A type, not an interface: stored values are JSON objects.
type Item = { name: string; count: number };

const KEY = "items";

export default function stock(svc: SvcPluginApi): void {
  const read = async (): Promise<Item[]> => (await svc.storage.kv.get<Item[]>(KEY)) ?? [];

  const list = cliCommand({
    summary: "Show what is in stock",
    options: {
      "at-most": { type: "integer", min: 0, description: "Only items with this many or fewer", placeholder: "n" },
      sort: { type: "enum", values: ["name", "count"], description: "Order of the lines" },
    },
    async run({ options }) {
      const items = (await read())
        .filter((item) => item.count <= (options["at-most"] ?? Number.MAX_SAFE_INTEGER))
        .sort((a, b) => (options.sort === "count" ? a.count - b.count : a.name.localeCompare(b.name)));
      return { exitCode: 0, stdout: items.map((item) => `${item.name}\t${item.count}`).join("\n") || "Nothing in stock." };
    },
  });

  const put = cliCommand({
    summary: "Add items",
    aliases: ["add"],
    positionals: [{ name: "item", description: "What to add", required: true }],
    options: { count: { type: "integer", min: 1, max: 1_000, description: "How many", short: "n" } },
    async run({ positionals, options }) {
      const name = positionals.item;
      const items = await read();
      const known = items.find((item) => item.name === name) ?? { name, count: 0 };
      known.count += options.count ?? 1;
      await svc.storage.kv.set(KEY, [...items.filter((item) => item !== known && item.name !== name), { ...known }]);
      return { exitCode: 0, stdout: `${name}: ${known.count}` };
    },
  });

  const take = cliCommand({
    summary: "Take one item out",
    positionals: [{ name: "item", description: "What to take", required: true }],
    async run({ positionals }) {
      const name = positionals.item;
      const items = await read();
      const known = items.find((item) => item.name === name);
      if (!known || known.count === 0) {
        throw new PluginCliError(`there is no ${name} in stock`, { code: "out_of_stock", hint: "svc stock list shows what there is" });
      }
      known.count -= 1;
      await svc.storage.kv.set(
        KEY,
        items.map((item) => ({ ...item })),
      );
      return { exitCode: 0, stdout: `${name}: ${known.count}` };
    },
  });

  svc.cli.register(defineCli({ name: "stock", summary: "Keep an inventory", commands: { list, put, take } }));
}
