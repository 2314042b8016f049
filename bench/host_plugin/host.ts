import { experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";

import { contract, echo } from "./calls.mjs";

export default experimental_defineHostEntry({ contract, handlers: { echo } });
