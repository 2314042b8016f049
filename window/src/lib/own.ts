/** A member by a name that others chose. What every object inherits, such as `constructor`, is no member of a table. */
export function ownMember<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
