import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { useFollowHosts, useHosts } from "@/api/hosts";
import { queryClient } from "@/api/queries";
import { createRealtime } from "@/api/realtime";

import { FakeSurroundings } from "../api/fake_surroundings";
import { FakeService } from "../plugins_pages/fake_service";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("machines on screen are fetched again when one changes, and not watched after that", async () => {
  const service = new FakeService().on("GET /hosts", () => ({ hosts: [] })).install();
  const around = new FakeSurroundings();
  const realtime = createRealtime(around);
  realtime.start();
  around.socket.open();
  function Machines() {
    useHosts();
    useFollowHosts(realtime);
    return null;
  }
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <Machines />
    </QueryClientProvider>,
  );
  const settle = () => act(() => vi.advanceTimersByTimeAsync(2000));
  const changed = () => around.socket.receive({ type: "changed", entity: "host", id: "host_1", changes: ["host-connected"] });
  await settle();
  expect(service.requests).toHaveLength(1);
  changed();
  await settle();
  expect(service.requests).toHaveLength(2);
  unmount();
  changed();
  await settle();
  expect(service.requests).toHaveLength(2);
  realtime.stop();
});
