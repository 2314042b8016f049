export { installTestPluginRuntime, loadPluginApp, mountPluginContentScripts, renderSlot } from "../app_testing/index.js";
export type {
  LoadedPluginApp,
  MountedTestContentScripts,
  Renderable,
  RenderedSlot,
  RenderSlotOptions,
  SlotBehavior,
  SlotInspection,
  ThreadRowStatusCall,
} from "../app_testing/types.js";
