import { type ComponentType, type Context, createContext, type ReactNode, use, useEffect, useMemo } from "react";

import { type ActivePlugin, useRegistrations } from "./registry";
import { SlotMount, type SurfaceContext } from "./slot_mount";

import { notify } from "@/lib/notifications";
import { usePreference } from "@/lib/preferences";

/** Slots that one plugin at a time replaces, by the list their registrations are collected in. */
export const kExclusiveSlots = {
  threadLists: { slot: "experimental_threadList", title: "Thread list" },
  sidebarNavigations: { slot: "experimental_sidebarNavigation", title: "Sidebar navigation" },
  sidebarHeaders: { slot: "experimental_sidebarHeader", title: "Sidebar header" },
  sourceCodeRenderers: { slot: "experimental_sourceCodeRenderer", title: "Source code" },
  diffRenderers: { slot: "experimental_diffRenderer", title: "Differences" },
} as const;
export type ExclusiveKind = keyof typeof kExclusiveSlots;

/** The pin that means: whatever plugins register, the window's own. */
export const kBuiltin = "builtin";
const kNoPins: Record<string, string> = {};

export interface ExclusiveCandidate {
  readonly plugin: ActivePlugin;
  readonly registration: { id: string; title: string; description?: string; component: ComponentType<never> };
}

export function candidateKey({ plugin, registration }: ExclusiveCandidate): string {
  return `${plugin.pluginId}/${registration.id}`;
}

/** Slot order, but what the user pinned comes first; none at all when the window's own is pinned. */
export function orderCandidates(candidates: readonly ExclusiveCandidate[], pin: string | undefined): readonly ExclusiveCandidate[] {
  if (pin === kBuiltin) {
    return [];
  }
  const pinned = candidates.find((candidate) => candidateKey(candidate) === pin);
  return pinned === undefined ? candidates : [pinned, ...candidates.filter((candidate) => candidate !== pinned)];
}

/** The user's pin of a slot, `<pluginId>/<id>` or `builtin`; undefined follows slot order. */
export function useExclusivePin(kind: ExclusiveKind): [string | undefined, (pin: string | undefined) => void] {
  const [pins, setPins] = usePreference("exclusive", kNoPins);
  return [
    pins[kind],
    (pin) => setPins(({ [kind]: _, ...others }) => (pin === undefined ? others : { ...others, [kind]: pin }) as Record<string, string>),
  ];
}

interface Chain {
  readonly kind: ExclusiveKind;
  readonly props: object;
  readonly candidates: readonly ExclusiveCandidate[];
  readonly original: ComponentType<never>;
  readonly surface: SurfaceContext | undefined;
}

const chains = Object.fromEntries(Object.keys(kExclusiveSlots).map((kind) => [kind, createContext<Chain | null>(null)])) as Record<
  ExclusiveKind,
  Context<Chain | null>
>;

// One component for each level, made once: a new identity would mount the built-in UI anew on each render.
const originals = new Map<string, ComponentType>();

function originalAt(kind: ExclusiveKind, level: number): ComponentType {
  const key = `${kind}:${level}`;
  const known = originals.get(key);
  if (known !== undefined) {
    return known;
  }
  const Original = () => <Level kind={kind} level={level} />;
  originals.set(key, Original);
  return Original;
}

function Level({ kind, level }: { kind: ExclusiveKind; level: number }): ReactNode {
  const chain = use(chains[kind]);
  const candidate = chain?.candidates[level];
  const Next = originalAt(kind, level + 1);
  const props = useMemo(() => ({ ...chain?.props, Original: Next, experimental_Original: Next }), [chain?.props, Next]);
  if (chain === null) {
    return null;
  }
  if (candidate === undefined) {
    const BuiltIn = chain.original as ComponentType<object>;
    return <BuiltIn {...chain.props} />;
  }
  const { plugin, registration } = candidate;
  return (
    <SlotMount
      key={candidateKey(candidate)}
      plugin={plugin}
      slot={kExclusiveSlots[kind].slot}
      id={registration.id}
      {...(chain.surface === undefined ? {} : { surface: chain.surface })}
      component={registration.component as ComponentType<object>}
      props={props}
      pending={<Next />}
      fallback={() => (
        <Stopped plugin={plugin} title={kExclusiveSlots[kind].title} next={chain.candidates[level + 1]?.plugin.name}>
          <Next />
        </Stopped>
      )}
    />
  );
}

const told = new Set<string>();

interface StoppedProps {
  plugin: ActivePlugin;
  title: string;
  /** The plugin whose replacement is shown now; undefined: the window's own UI is. */
  next: string | undefined;
  children: ReactNode;
}

/** In place of a replacement that crashed: what it replaced, and one toast. */
function Stopped({ plugin, title, next, children }: StoppedProps) {
  useEffect(() => {
    const key = `${plugin.pluginId}@${plugin.generation}.${plugin.serverGeneration}:${title}`;
    if (!told.has(key)) {
      told.add(key);
      notify({
        kind: "error",
        pluginId: plugin.pluginId,
        title: `${plugin.name} stopped working`,
        description: next === undefined ? `“${title}” is shown as it comes with the window.` : `“${title}” is that of ${next} now.`,
      });
    }
  }, [plugin, title, next]);
  return children;
}

export interface ExclusiveSlotProps<Props extends object> {
  kind: ExclusiveKind;
  /** Given to the replacement, with `Original`, and to `original`. */
  props: Props;
  /** The window's own UI. */
  original: ComponentType<Props>;
  surface?: SurfaceContext;
}

/** The window's own UI, or what a plugin puts in its place. */
export function ExclusiveSlot<Props extends object>({ kind, props, original, surface }: ExclusiveSlotProps<Props>) {
  const registrations = useRegistrations(kind) as readonly unknown[] as readonly ExclusiveCandidate[];
  const [pin] = useExclusivePin(kind);
  const chain = useMemo<Chain>(
    () => ({
      kind,
      props,
      candidates: orderCandidates(registrations, pin),
      original: original as ComponentType<never>,
      surface,
    }),
    [kind, props, registrations, pin, original, surface],
  );
  const Provider = chains[kind];
  return (
    <Provider value={chain}>
      <Level kind={kind} level={0} />
    </Provider>
  );
}
