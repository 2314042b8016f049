/** What the argument of a method is in a request, for the server entry and for the window. */
import type { SdkMethod } from "./methods";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { stringify } = JSON;
const { Number, String } = globalThis;

type Members = Record<string, unknown>;

/** Members of bodies that are numbers, and those that are booleans: their text form means the same, as it does in a query. */
const kNumbers = "cols expectedRequestSequence expectedRevision expectedUpdatedAt limit mode rows sendAt sourceSeqEnd ttlMs".split(" ");
const kBooleans = "createParents includeDirectories includeFiles recursive rotate".split(" ");

/** Throws what is wrong; `value` is the one that is refused. */
export type RefuseMember = (what: string, value: unknown) => never;

/** A text as a part of an address. `name` is the member it comes from. Throws for a text that is not well-formed Unicode. */
export type EncodeMember = (name: string, text: string) => string;

/** Members without which the method cannot be called. */
export function neededMembers({ routeMembers, ownPlugin, optional, required }: SdkMethod): string[] {
  return [...routeMembers.filter((name) => !ownPlugin.has(name) && !optional.has(name)), ...required];
}

/** The argument as an object, where a method takes one member of it alone. */
export function wholeArgument({ textMember }: SdkMethod, argument: unknown): unknown {
  return textMember !== undefined && typeof argument === "string" ? { [textMember]: argument } : argument;
}

/** Path and query of a request. What they take up leaves `members`; what is left is the body. */
export function takeTarget(method: SdkMethod, members: Members, pluginId: string, refuse: RefuseMember, encode: EncodeMember): string {
  const path = takePath(method, members, pluginId, refuse, encode);
  const query = takeQuery(method, members, encode);
  for (const [name, inBody] of method.renamedInBody) {
    if (name in members) {
      members[inBody] ??= members[name];
      delete members[name];
    }
  }
  takeTextForms(members);
  return query === "" ? path : `${path}?${query}`;
}

/** What is no text form of a number or a boolean stays as it is, and is for the route to judge. */
export function takeTextForms(members: Members): void {
  for (const name of kNumbers) {
    if (name in members) {
      members[name] = numberOf(members[name]);
    }
  }
  for (const name of kBooleans) {
    if (members[name] === "true" || members[name] === "false") {
      members[name] = members[name] === "true";
    }
  }
}

/** The number that a decimal text stands for; anything else is as it was. */
export function numberOf(value: unknown): unknown {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

function takePath(
  { route, routeMembers, ownPlugin, optional }: SdkMethod,
  members: Members,
  pluginId: string,
  refuse: RefuseMember,
  encode: EncodeMember,
): string {
  let path = route;
  for (const name of routeMembers) {
    const value = members[name] ?? (ownPlugin.has(name) ? pluginId : undefined);
    const isLeftOut = value === undefined && optional.has(name);
    if (!isLeftOut && (typeof value !== "string" || value === "")) {
      refuse(`"${name}" must be non-empty text`, value);
    }
    path = path
      .replace(`[/:${name}]`, () => (isLeftOut ? "" : `/${encode(name, value as string)}`))
      .replace(`:${name}`, () => encode(name, value as string));
    delete members[name];
  }
  return path;
}

/** Arrays repeat their parameter, objects travel as JSON. */
function takeQuery({ isInBody, renamed }: SdkMethod, members: Members, encode: EncodeMember): string {
  const pairs: string[] = [];
  const add = (parameter: string, value: unknown): void => {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item !== undefined && item !== null) {
        const text = typeof item === "object" ? stringify(item) : String(item);
        pairs.push(`${encode(parameter, parameter)}=${encode(parameter, text)}`);
      }
    }
  };
  for (const [name, value] of Object.entries(members)) {
    const parameter = renamed.get(name) ?? (isInBody ? undefined : name);
    if (parameter === undefined) {
      continue;
    }
    delete members[name];
    if (parameter === "*" && typeof value === "object" && value !== null) {
      Object.entries(value).forEach(([each, of]) => add(each, of));
    } else {
      add(parameter === "*" ? name : parameter, value);
    }
  }
  return pairs.join("&");
}
