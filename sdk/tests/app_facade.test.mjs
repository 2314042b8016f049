import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import * as app from "@get-svc/plugin-sdk/app";
import { Icon } from "@get-svc/plugin-sdk/icon";

afterEach(() => delete globalThis.__svcPluginRuntime);

const kUses = Object.entries(app).filter(([name]) => !name.startsWith("define"));

test("an app is a branded definition, made without a window", () => {
  const setup = () => undefined;
  assert.deepEqual(app.definePluginApp(setup), { __svcPluginApp: true, setup });
  assert.throws(() => app.definePluginApp({}), /^TypeError: definePluginApp: setup must be a function/);
});

test("every hook and component is exported", () => {
  assert.deepEqual(kUses.map(([name]) => name).sort(), [
    "Markdown",
    "ThreadChat",
    "ThreadTitle",
    "UrlLink",
    "experimental_BranchPicker",
    "experimental_Dialog",
    "experimental_Diff",
    "experimental_FileLink",
    "experimental_Icon",
    "experimental_Markdown",
    "experimental_NewThreadComposer",
    "experimental_PermissionModePicker",
    "experimental_ProviderIcon",
    "experimental_ProviderModelPicker",
    "experimental_SidebarNavigationIcon",
    "experimental_SourceCode",
    "experimental_ThreadChat",
    "experimental_useAppPanel",
    "experimental_useBranches",
    "experimental_useFixedTabTarget",
    "experimental_usePluginId",
    "experimental_useQuestionFormHost",
    "experimental_useRpcInfiniteQuery",
    "experimental_useRpcQuery",
    "experimental_useSidebarThreadActions",
    "experimental_useSidebarThreadPullRequest",
    "experimental_useSidebarThreadSplit",
    "experimental_useSidebarThreads",
    "useCodeTheme",
    "useComposer",
    "useComposerView",
    "useComposers",
    "useEnvironmentProviders",
    "useProviders",
    "useRealtime",
    "useRealtimeConnectionState",
    "useRpc",
    "useSdk",
    "useSettings",
    "useSvcContext",
    "useSvcNavigate",
  ]);
});

test("outside of a window an export says where it works, once it is used", () => {
  for (const [name, use] of kUses) {
    assert.throws(
      () => use({}),
      (error) => error.message.startsWith(`${name} of @get-svc/plugin-sdk/app works only inside the app window`),
    );
  }
  assert.throws(() => Icon({ name: "x" }), /Icon of @get-svc\/plugin-sdk\/icon works only inside the app window/);
});

test("in a window each export is what the window has under its name", () => {
  const calls = [];
  const pluginSdkApp = Object.fromEntries(kUses.map(([name]) => [name, (...args) => calls.push([name, ...args]) && name]));
  globalThis.__svcPluginRuntime = { pluginSdkApp, sharedUiIcon: { Icon: () => "icon" } };
  for (const [name, use] of kUses) {
    const result = use("argument");
    assert.equal(result, name === "useRealtime" ? undefined : name);
  }
  assert.deepEqual(
    calls.map(([name]) => name),
    kUses.map(([name]) => name),
  );
  assert.deepEqual(
    calls.find(([name]) => name === "experimental_useSidebarThreadSplit"),
    ["experimental_useSidebarThreadSplit", "argument"],
  );
  assert.equal(Icon({ name: "x" }), "icon");
});

test("a window that is older than the plugin is named as such", () => {
  globalThis.__svcPluginRuntime = { pluginSdkApp: {} };
  assert.throws(() => app.useRpc(), /this app window has no useRpc .*: update the service/);
});
