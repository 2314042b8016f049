export { RUNTIME_PACKAGE_VERSIONS, RUNTIME_SLOT_BY_SPECIFIER } from "./runtime_slots.js";
export type { RuntimeSlot, RuntimeSlotSpecifier } from "./runtime_slots.js";
