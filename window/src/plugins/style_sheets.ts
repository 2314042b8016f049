// Milliseconds.
/** `L:css-release` */
export const kCssReleaseMs = 1500;
/** How long a mount waits for its sheet before it is shown without it. */
export const kCssWaitMs = 1000;
/** `L:import` — also for the sheet of a bundle. */
const kSheetLoadMs = 30_000;

/** Makes a prepared sheet the plugin's own, or forgets it. */
export interface PreparedSheet {
  commit(): void;
  discard(): void;
}

interface Sheet {
  /** Of the bundle in use; null: it has none. */
  url: string | null;
  holders: number;
  /** In the document, for `url`. */
  link: HTMLLinkElement | undefined;
  preload: HTMLLinkElement | undefined;
  isReady: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  waitTimer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Attaches the stylesheet of a plugin only while something holds it, so that authored CSS of one plugin does not weigh on pages
 * of another. The last release waits a moment: moving between two pages of a plugin does not flash.
 */
export class StyleSheets {
  readonly #sheets = new Map<string, Sheet>();
  readonly #listeners = new Set<() => void>();
  /** Told when a sheet that is in use cannot be loaded; the plugin is shown without it. */
  onFailure: (pluginId: string, url: string) => void = () => undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whether a mount can be shown: the sheet is loaded, there is none, or waiting for it took too long. */
  isReady(pluginId: string): boolean {
    const sheet = this.#sheets.get(pluginId);
    return sheet === undefined || sheet.url === null || sheet.isReady;
  }

  /** Keeps the sheet attached until the returned function is called. */
  hold(pluginId: string): () => void {
    const sheet = this.#sheet(pluginId);
    sheet.holders += 1;
    clearTimeout(sheet.timer);
    if (sheet.link === undefined && sheet.url !== null) {
      this.#attach(pluginId, sheet, sheet.url);
    }
    let isHeld = true;
    return () => {
      if (isHeld) {
        isHeld = false;
        this.#release(pluginId, sheet);
      }
    };
  }

  /**
   * Loads the sheet of a candidate beside the one in use, without effect until `commit`. When the plugin's sheet is not in use
   * there is nothing to wait for. Rejects when it cannot be loaded.
   */
  async prepare(pluginId: string, url: string | null, signal: AbortSignal): Promise<PreparedSheet> {
    const sheet = this.#sheet(pluginId);
    const isInUse = sheet.link !== undefined || sheet.holders > 0;
    if (url === null || url === sheet.url || !isInUse) {
      return { commit: () => this.#use(pluginId, sheet, url, undefined), discard: () => undefined };
    }
    // A sheet for no medium is loaded, and touches nothing.
    const link = append(url, "not all");
    try {
      await loaded(link, signal);
    } catch (failure) {
      link.remove();
      throw failure;
    }
    return { commit: () => this.#use(pluginId, sheet, url, link), discard: () => link.remove() };
  }

  /** The plugin's app entry is gone. What is still held, because its slots are just being removed, goes with its holders. */
  clear(pluginId: string): void {
    const sheet = this.#sheets.get(pluginId);
    if (sheet !== undefined) {
      sheet.url = null;
      removePreload(sheet);
      if (sheet.holders === 0) {
        this.#detach(pluginId, sheet);
      }
    }
  }

  #sheet(pluginId: string): Sheet {
    let sheet = this.#sheets.get(pluginId);
    if (sheet === undefined) {
      sheet = {
        url: null,
        holders: 0,
        link: undefined,
        preload: undefined,
        isReady: false,
        timer: undefined,
        waitTimer: undefined,
      };
      this.#sheets.set(pluginId, sheet);
    }
    return sheet;
  }

  #use(pluginId: string, sheet: Sheet, url: string | null, link: HTMLLinkElement | undefined): void {
    if (url === sheet.url) {
      return;
    }
    removePreload(sheet);
    const before = sheet.link;
    sheet.url = url;
    if (link !== undefined) {
      link.media = "all";
      sheet.link = link;
      this.#becomeReady(sheet);
      before?.remove();
    } else if (url === null) {
      sheet.link = undefined;
      before?.remove();
      this.#tell();
    } else if (before !== undefined || sheet.holders > 0) {
      // It came into use while the candidate was on its way: the old one stays until this one is there.
      this.#attach(pluginId, sheet, url, before);
    } else {
      sheet.isReady = false;
      whenIdle(() => this.#preload(sheet, url));
    }
  }

  #attach(pluginId: string, sheet: Sheet, url: string, before?: HTMLLinkElement): void {
    removePreload(sheet);
    const link = append(url, "all");
    sheet.link = link;
    if (before === undefined) {
      sheet.isReady = false;
      sheet.waitTimer = setTimeout(() => this.#becomeReady(sheet), kCssWaitMs);
    }
    loaded(link).then(
      () => {
        before?.remove();
        if (sheet.link === link) {
          this.#becomeReady(sheet);
        }
      },
      () => {
        before?.remove();
        link.remove();
        if (sheet.link === link) {
          // The next holder tries again.
          sheet.link = undefined;
          this.#becomeReady(sheet);
          this.onFailure(pluginId, url);
        }
      },
    );
  }

  #becomeReady(sheet: Sheet): void {
    clearTimeout(sheet.waitTimer);
    sheet.isReady = true;
    this.#tell();
  }

  #release(pluginId: string, sheet: Sheet): void {
    sheet.holders -= 1;
    if (sheet.holders === 0) {
      clearTimeout(sheet.timer);
      sheet.timer = setTimeout(() => this.#detach(pluginId, sheet), kCssReleaseMs);
    }
  }

  #detach(pluginId: string, sheet: Sheet): void {
    clearTimeout(sheet.timer);
    clearTimeout(sheet.waitTimer);
    sheet.link?.remove();
    sheet.link = undefined;
    sheet.isReady = false;
    if (sheet.url === null) {
      this.#sheets.delete(pluginId);
    }
  }

  #preload(sheet: Sheet, url: string): void {
    if (sheet.url === url && sheet.link === undefined && sheet.preload === undefined) {
      sheet.preload = document.createElement("link");
      // Not `preload`: browsers complain on the console when such a sheet is not used within seconds.
      sheet.preload.rel = "prefetch";
      sheet.preload.as = "style";
      sheet.preload.setAttribute("fetchpriority", "low");
      sheet.preload.href = url;
      document.head.append(sheet.preload);
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }
}

function append(url: string, media: string): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.media = media;
  link.href = url;
  document.head.append(link);
  return link;
}

function removePreload(sheet: Sheet): void {
  sheet.preload?.remove();
  sheet.preload = undefined;
}

/** Resolves when the sheet applies; rejects when it cannot be loaded, takes too long or is not wanted any more. */
function loaded(link: HTMLLinkElement, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the stylesheet of the bundle ${why}`));
    const timer = setTimeout(() => fail(`was not loaded within ${kSheetLoadMs / 1000} s`), kSheetLoadMs);
    const settle = (then: () => void) => () => {
      clearTimeout(timer);
      then();
    };
    link.addEventListener("load", settle(resolve), { once: true });
    link.addEventListener(
      "error",
      settle(() => fail("could not be loaded")),
      { once: true },
    );
    signal?.addEventListener(
      "abort",
      settle(() => fail("is not wanted any more")),
      { once: true },
    );
  });
}

/** After the window has loaded, so that nothing that people wait for shares the line with it. */
function whenIdle(run: () => void): void {
  if (document.readyState === "complete") {
    setTimeout(run, 0);
  } else {
    window.addEventListener("load", () => setTimeout(run, 0), { once: true });
  }
}
