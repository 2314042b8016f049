import type * as Declared from "../src/testing";
import { createFakePluginHost as create } from "./host";
import { makeThreadResponse as makeThread } from "./thread";

export const createFakePluginHost: typeof Declared.createFakePluginHost = create;
export const makeThreadResponse: typeof Declared.makeThreadResponse = makeThread;
