import "./support/dom.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { definePluginApp } from "@get-svc/plugin-sdk/app";
import { loadPluginApp } from "@get-svc/plugin-sdk/testing/app";
import { Component as ClassComponent, createElement, forwardRef, lazy, memo } from "react";

const Component = () => null;
const run = () => undefined;
const kPanel = { id: "todos", title: "Todos", icon: "ListTodo", path: "todos", component: Component };

const load = (setup, options) => loadPluginApp(async () => ({ default: definePluginApp(setup) }), options);

/** One valid registration of each kind: how it is made, and in which list it ends up. */
const kKinds = {
  "slots.navPanel": ["navPanels", kPanel],
  "slots.homepageSection": ["homepageSections", { id: "a", title: "A", component: Component }],
  "slots.settingsSection": ["settingsSections", { id: "a", component: Component }],
  "slots.threadPanelAction": ["threadPanelActions", { id: "a", title: "A", component: Component }],
  "slots.experimental_newThreadPanelAction": ["newThreadPanelActions", { id: "a", title: "A", component: Component }],
  "slots.experimental_threadHeaderAction": ["threadHeaderActions", { id: "a", title: "A", component: Component }],
  "slots.experimental_threadList": ["threadLists", { id: "a", title: "A", component: Component }],
  "slots.pendingInteraction": ["pendingInteractions", { id: "a", component: Component }],
  "slots.messageDirective": ["messageDirectives", { id: "a-b", component: Component }],
  "slots.messageAction": ["messageActions", { id: "a", title: "A", run }],
  "slots.sidebarFooterAction": ["sidebarFooterActions", { id: "a", title: "A", icon: "X", run }],
  "slots.fileOpener": ["fileOpeners", { id: "a", title: "A", extensions: ["md"], component: Component }],
  "slots.experimental_sidebarNavigation": ["sidebarNavigations", { id: "a", title: "A", component: Component }],
  "slots.experimental_sidebarHeader": ["sidebarHeaders", { id: "a", title: "A", component: Component }],
  "slots.experimental_sourceCodeRenderer": ["sourceCodeRenderers", { id: "a", title: "A", component: Component }],
  "slots.experimental_diffRenderer": ["diffRenderers", { id: "a", title: "A", component: Component }],
  "slots.experimental_timelineRenderer": ["timelineRenderers", { kind: "tool", component: Component }],
  "slots.experimental_providerIcon": ["providerIcons", { providerId: "p", icon: Component }],
  "slots.experimental_appOverlay": ["appOverlays", { id: "a", component: Component }],
  "commands.register": ["commands", { id: "a", title: "A", run }],
  "contentScripts.register": ["contentScripts", { id: "a", mount: run }],
  "composer.experimental_registerCommand": ["composerCommands", { id: "a", title: "A", run }],
  "composer.customize": ["composerCustomizations", { id: "a" }],
  "experimental_sidebarFooter.register": ["sidebarFooters", { kind: "action", id: "a", label: "A", icon: "X", onActivate: run }],
  "experimental_icons.register": ["icons", { name: "Mine", component: Component }],
};
const at = (app, path) => path.split(".").reduce((object, key) => object[key], app);
const register =
  (kind, ...registrations) =>
  (app) =>
    registrations.forEach((one) => at(app, kind)(one));

test("every kind of registration is collected in order", async () => {
  for (const [kind, [list, registration]] of Object.entries(kKinds)) {
    const other = { ...registration };
    for (const field of ["id", "path", "name", "providerId"]) {
      if (field in other) {
        other[field] = `${other[field]}2`;
      }
    }
    if ("kind" in other && other.kind === "tool") {
      other.kind = "p/x";
    }
    const loaded = await load(register(kind, registration, other));
    assert.equal(loaded[list].length, 2, kind);
    for (const [key, value] of Object.entries(registration)) {
      assert.deepEqual(loaded[list][0][key], value, `${kind}.${key}`);
    }
    assert.deepEqual(loaded.warnings, [], kind);
  }
});

test("a registration is a frozen copy with its defaults", async () => {
  const loaded = await load((app) => {
    app.slots.threadPanelAction(kKinds["slots.threadPanelAction"][1]);
    app.slots.experimental_providerIcon({ providerId: "p", icon: Component });
  });
  assert.equal(loaded.threadPanelActions[0].layout, "padded");
  assert.equal(loaded.providerIcons[0].providerKind, "agent");
  assert.ok(Object.isFrozen(loaded.threadPanelActions[0]) && Object.isFrozen(loaded.threadPanelActions) && Object.isFrozen(loaded));
});

test("what a registration needs is refused with its kind and its name when it is missing", async () => {
  for (const [kind, [, registration]] of Object.entries(kKinds)) {
    if (kind === "composer.customize") {
      continue;
    }
    for (const field of Object.keys(registration)) {
      const without = { ...registration, [field]: undefined };
      await assert.rejects(load(register(kind, without)), (error) => {
        assert.equal(error.name, "TypeError");
        assert.ok(error.message.startsWith(`${kind}: `) && error.message.includes(field), `${kind}.${field}: ${error.message}`);
        return true;
      });
    }
    await assert.rejects(load(register(kind, null)), new RegExp(`^TypeError: ${kind}: the registration must be an object, is null`));
  }
});

test("an id stands once per kind", async () => {
  for (const [kind, [, registration]] of Object.entries(kKinds)) {
    if (kind === "composer.customize") {
      continue;
    }
    await assert.rejects(load(register(kind, registration, registration)), new RegExp(`^TypeError: ${kind}: duplicate `), kind);
  }
  await assert.rejects(load(register("slots.navPanel", kPanel, { ...kPanel, path: "other" })), {
    message: 'slots.navPanel: duplicate id "todos"',
  });
  await assert.rejects(load(register("slots.navPanel", kPanel, { ...kPanel, id: "other" })), {
    message: 'slots.navPanel: duplicate path "todos"',
  });
});

test("the two kinds of the sidebar footer share their ids", async () => {
  const setup = (app) => {
    app.slots.sidebarFooterAction({ id: "a", title: "A", icon: "X", run });
    app.experimental_sidebarFooter.register({ kind: "action", id: "a", label: "A", icon: "X", onActivate: run });
  };
  await assert.rejects(load(setup), { message: 'experimental_sidebarFooter.register: duplicate id "a"' });
});

test("one provider may have an icon for each of its kinds", async () => {
  const setup = (second) => (app) => {
    app.slots.experimental_providerIcon({ providerId: "p", icon: Component });
    app.slots.experimental_providerIcon({ providerId: "p", icon: Component, providerKind: second });
  };
  assert.equal((await load(setup("machine"))).providerIcons.length, 2);
  await assert.rejects(load(setup("agent")), /duplicate providerId "p"/);
});

test("values are checked against their grammar", async () => {
  const cases = [
    ["slots.navPanel", { ...kPanel, id: "to dos" }, 'slots.navPanel: id "to dos" must be one or more letters, digits, "-" and "_"'],
    ["slots.navPanel", { ...kPanel, id: "" }, 'slots.navPanel: id "" must be one or more letters, digits, "-" and "_"'],
    [
      "slots.navPanel",
      { ...kPanel, path: "a/b" },
      'slots.navPanel: path "a/b" of "todos" must be one or more letters, digits, "-" and "_"',
    ],
    ["slots.navPanel", { ...kPanel, title: " " }, 'slots.navPanel: title of "todos" must be non-blank text'],
    ["slots.navPanel", { ...kPanel, icon: 5 }, 'slots.navPanel: icon of "todos" must be non-blank text'],
    ["slots.navPanel", { ...kPanel, component: "div" }, 'slots.navPanel: component of "todos" must be a component, is a string'],
    [
      "slots.navPanel",
      { ...kPanel, component: createElement(Component) },
      'slots.navPanel: component of "todos" must be a component, is an object',
    ],
    [
      "slots.messageDirective",
      { id: "A", component: Component },
      'slots.messageDirective: id "A" must be lower-case letters and digits in words joined by "-"',
    ],
    ["slots.messageDirective", { id: "a--b", component: Component }, /must be lower-case/],
    [
      "slots.threadPanelAction",
      { id: "a", title: "A", component: Component, layout: "wide" },
      'slots.threadPanelAction: layout of "a" must be "padded" or "flush", is "wide"',
    ],
    [
      "slots.fileOpener",
      { id: "a", title: "A", component: Component, extensions: [] },
      'slots.fileOpener: extensions of "a" must have at least 1 entry, has 0',
    ],
    [
      "slots.fileOpener",
      { id: "a", title: "A", component: Component, extensions: [".md"] },
      'slots.fileOpener: extensions[0] of "a" must be lower-case letters and digits without a dot, is ".md"',
    ],
    ["slots.settingsSection", { id: "a", component: Component, description: "d" }, "slots.settingsSection: description needs a title"],
    ["slots.experimental_timelineRenderer", { kind: "other", component: Component }, /kind "other" must be "tool", or/],
    [
      "commands.register",
      { id: "a", title: "A", run, isAvailable: true },
      'commands.register: isAvailable of "a" must be a function, is a boolean',
    ],
    [
      "commands.register",
      { id: "a", title: "A", run, defaultShortcut: { mod: true } },
      'commands.register: defaultShortcut.key of "a" must be non-blank text',
    ],
    [
      "experimental_sidebarFooter.register",
      { kind: "action", id: "a", label: "A", icon: "X", component: Component },
      /onActivate must be a function, is undefined/,
    ],
    [
      "experimental_sidebarFooter.register",
      { kind: "disclosure", id: "a", label: "A", icon: "X" },
      /component must be a component, is undefined/,
    ],
  ];
  for (const [kind, registration, message] of cases) {
    await assert.rejects(load(register(kind, registration)), { message });
  }
});

test("what React renders as a component is one, in every registration", async () => {
  const made = [
    memo(Component),
    forwardRef(Component),
    lazy(async () => ({ default: Component })),
    memo(forwardRef(Component)),
    class extends ClassComponent {},
  ];
  const kinds = Object.entries(kKinds).flatMap(([kind, [list, registration]]) =>
    Object.keys(registration)
      .filter((field) => registration[field] === Component)
      .map((field) => [kind, list, registration, field]),
  );
  assert.equal(kinds.length > 15, true);
  for (const [kind, list, registration, field] of kinds) {
    for (const component of made) {
      const loaded = await load(register(kind, { ...registration, [field]: component }));
      assert.equal(loaded[list][0][field], component, kind);
    }
  }
});

test("a timeline renderer names its own plugin", async () => {
  const setup = register("slots.experimental_timelineRenderer", { kind: "other/x", component: Component });
  await assert.rejects(load(setup, { pluginId: "mine" }), /kind "other\/x" must start with the plugin's own id, "mine\/"/);
  assert.equal((await load(setup, { pluginId: "other" })).timelineRenderers.length, 1);
});

test("fixed tabs belong to the panel that holds them", async () => {
  const tab = { panelId: "todos", id: "t", title: "T", icon: "X", component: Component };
  const panel = (...fixedTabs) => register("slots.navPanel", { ...kPanel, fixedTabs });
  assert.equal((await load(panel(tab, { ...tab, id: "u" }))).navPanels[0].fixedTabs.length, 2);
  const { panelId: _none, ...older } = tab;
  assert.equal((await load(panel(older))).navPanels[0].fixedTabs[0].id, "t");
  await assert.rejects(load(panel({ ...tab, panelId: "x" })), /panelId of the fixed tab "t" must be "todos"/);
  await assert.rejects(load(panel(tab, tab)), /duplicate fixed tab "t"/);
  await assert.rejects(load(panel({ ...tab, title: "" })), /fixedTabs\[0\].title of "todos" must be non-blank text/);
});

test("what this version does not know is ignored with a warning", async () => {
  const { warnings, navPanels } = await load((app) => {
    app.slots.navPanel({ ...kPanel, colour: "red" });
    assert.equal(app.slots.noSuchSlot, undefined);
  });
  assert.deepEqual(warnings, ['slots.navPanel: the field "colour" of "todos" is unknown and ignored']);
  assert.equal("colour" in navPanels[0], false);
});

test("old names work and say the new one", async () => {
  const { warnings, navPanels, messageActions, commands, contentScripts } = await load((app) => {
    app.slots.navPanel({ ...kPanel, experimental_fixedTabs: [] });
    app.slots.experimental_messageAction({ id: "a", title: "A", run });
    app.slots.commandPaletteAction({ id: "a", title: "A", run });
    app.experimental_contentScripts.register({ id: "a", mount: run });
  });
  assert.deepEqual(warnings, [
    'slots.navPanel: the field "experimental_fixedTabs" of "todos" is now "fixedTabs"',
    "app.slots.experimental_messageAction is now app.slots.messageAction",
    "app.slots.commandPaletteAction is now app.commands.register",
    "app.experimental_contentScripts is now app.contentScripts",
  ]);
  assert.deepEqual(navPanels[0].fixedTabs, []);
  assert.deepEqual(
    [messageActions, commands, contentScripts].map((list) => list.length),
    [1, 1, 1],
  );
});

test("what is known by name only is accepted and listed once", async () => {
  const { unsupported, warnings } = await load((app) => {
    for (const slot of [
      "experimental_browserAction",
      "experimental_browserController",
      "experimental_browserToolbarAction",
      "experimental_executionPickerEntry",
      "experimental_environmentProviderInputs",
      "experimental_machineProviderInputs",
    ]) {
      app.slots[slot]({ id: "a", whatever: 1 });
      app.slots[slot](undefined);
    }
    app.slots.settingsSection({ id: "a", component: Component, experimental_page: true });
    app.composer.customize({ id: "a", scopes: ["side-chat"], sendMenu: [], experimental_popups: [] });
  });
  assert.deepEqual(unsupported, [
    "slots.experimental_browserAction",
    "slots.experimental_browserController",
    "slots.experimental_browserToolbarAction",
    "slots.experimental_executionPickerEntry",
    "slots.experimental_environmentProviderInputs",
    "slots.experimental_machineProviderInputs",
    "settingsSection.experimental_page",
    "composer.sendMenu",
    "composer.experimental_popups",
    "composer.scopes.side-chat",
  ]);
  assert.deepEqual(warnings, []);
});

test("a bad composer customization is dropped, and so is a bad entry of a good one", async () => {
  const action = { id: "x", component: Component };
  const { composerCustomizations, warnings } = await load((app) => {
    app.composer.customize({
      id: "good",
      actions: [action, { id: "y" }, action],
      banners: [{ id: "b", component: Component }],
      plusMenu: "no",
      scopes: ["thread", "nowhere"],
      richText: { effects: [{ id: "e", match: run, className: "x" }, 5], onDraftChange: 1 },
    });
    app.composer.customize({ id: "good" });
    app.composer.customize({ id: "not good" });
    app.composer.customize(null);
    app.composer.customize({ id: "plain" });
  });
  assert.deepEqual(
    composerCustomizations.map(({ id }) => id),
    ["good", "plain"],
  );
  const [good, plain] = composerCustomizations;
  assert.deepEqual(good.actions, [action]);
  assert.deepEqual(good.banners, [{ id: "b", chrome: "card", component: Component }]);
  assert.deepEqual(good.scopes, ["thread"]);
  assert.deepEqual(good.plusMenu, []);
  assert.equal(good.richText.effects.length, 1);
  assert.equal("onDraftChange" in good.richText, false);
  assert.deepEqual(plain.scopes, ["thread", "queued-message", "new-thread"]);
  assert.deepEqual(warnings, [
    'composer.customize: "good" has the unknown scope "nowhere", which is ignored',
    'composer.customize: "good", actions[1]: component must be a component, is undefined; the entry is dropped',
    'composer.customize: "good", actions[2]: duplicate id "x"; the entry is dropped',
    'composer.customize: "good", plusMenu must be an array, is a string; it is dropped',
    'composer.customize: "good", richText.effects[1]: the entry must be an object, is a number; the entry is dropped',
    'composer.customize: richText.onDraftChange of "good" must be a function, is a number; it is dropped',
    'composer.customize: duplicate id "good"; the customization is dropped',
    'composer.customize: id "not good" must be one or more letters, digits, "-" and "_"; the customization is dropped',
    "composer.customize: the customization must be an object, is null; the customization is dropped",
  ]);
});

test("a menu item of the composer is disabled by a value or by a function", async () => {
  const item = (id, disabled) => ({ id, label: id, disabled, run });
  const { composerCustomizations, warnings } = await load((app) => {
    app.composer.customize({ id: "c", plusMenu: [item("flag", true), item("function", run), item("text", "yes")] });
  });
  assert.deepEqual(composerCustomizations[0].plusMenu, [item("flag", true), item("function", run)]);
  assert.deepEqual(warnings, [
    'composer.customize: "c", plusMenu[2]: disabled must be true, false or a function, is a string; the entry is dropped',
  ]);
});

test("a disclosure returns what opens it, an action nothing", async () => {
  await load((app) => {
    const { register: add } = app.experimental_sidebarFooter;
    const disclosure = add({ kind: "disclosure", id: "d", label: "D", icon: "X", component: Component });
    assert.deepEqual(Object.keys(disclosure), ["open", "close", "toggle"]);
    assert.ok(Object.isFrozen(disclosure));
    assert.equal(add({ kind: "action", id: "a", label: "A", icon: "X", onActivate: run }), undefined);
  });
});

test("setup is synchronous, and registering ends with it", async () => {
  await assert.rejects(
    load(async () => undefined),
    { message: "setup must be synchronous, it returned a promise" },
  );
  await assert.rejects(
    load(async () => {
      throw new Error("late");
    }),
    /setup must be synchronous/,
  );
  let late;
  await load((app) => (late = app));
  assert.throws(() => late.slots.navPanel(kPanel), { message: "slots.navPanel: nothing can be registered after setup returned" });
  assert.throws(() => late.slots.experimental_browserAction({}), /nothing can be registered/);
  assert.throws(() => late.composer.customize({ id: "a" }), /composer.customize: nothing can be registered/);
});

test("what setup throws fails the entry", async () => {
  await assert.rejects(
    load(() => {
      throw new Error("no luck");
    }),
    { message: "no luck" },
  );
});

test("only the result of definePluginApp is an app entry, whichever copy of the SDK made it", async () => {
  for (const value of [undefined, {}, () => undefined, { setup: run }, { __svcPluginApp: true }]) {
    await assert.rejects(
      loadPluginApp(async () => ({ default: value })),
      /must be the result of definePluginApp\(setup\)/,
    );
  }
  await loadPluginApp(async () => ({ default: { __svcPluginApp: true, setup: run } }));
});
