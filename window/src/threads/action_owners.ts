import type { HandleOwner } from "@/composer/handle";
import { activePluginsNow, subscribeActivePlugins } from "@/plugins/active";
import { Ownership } from "@/plugins/ownership";
import type { ActivePlugin } from "@/plugins/registry";

interface Held {
  readonly generation: number;
  readonly ownership: Ownership;
  readonly owner: HandleOwner;
}

const all = new Map<string, Held>();
let isWatching = false;

function endOfGone(): void {
  for (const [pluginId, { generation, ownership }] of all) {
    if (!activePluginsNow().some((plugin) => plugin.pluginId === pluginId && plugin.generation === generation)) {
      all.delete(pluginId);
      ownership.end();
    }
  }
}

/**
 * Who holds what the actions of a plugin set in composers: all of them are one, so that one takes back what another has set. It ends
 * with the plugin's generation, as what callbacks of the composer hold does.
 */
export function actionOwner({ pluginId, name, generation }: ActivePlugin): HandleOwner {
  const known = all.get(pluginId);
  if (known?.generation === generation) {
    return known.owner;
  }
  if (!isWatching) {
    isWatching = true;
    subscribeActivePlugins(endOfGone);
  }
  known?.ownership.end();
  const ownership = new Ownership();
  const owner = { pluginId, name, own: ownership.own };
  all.set(pluginId, { generation, ownership, owner });
  return owner;
}

/** Ends what they hold now: an action that has failed does not take back what it has set. */
export function endActionOwner({ pluginId, generation }: ActivePlugin): void {
  const known = all.get(pluginId);
  if (known?.generation === generation) {
    all.delete(pluginId);
    known.ownership.end();
  }
}
