export { installTestPluginRuntime, loadPluginApp, mountPluginContentScripts, renderSlot } from "../app_testing/index.js";
export type {
  LoadedPluginApp,
  MountedTestContentScripts,
  PluginRpcTestHandlers,
  Renderable,
  RenderedSlot,
  RenderSlotOptions,
  RpcCall,
  SlotBehavior,
  SlotInspection,
  ThreadRowStatusCall,
} from "../app_testing/types.js";
