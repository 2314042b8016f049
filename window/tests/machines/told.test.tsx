import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import type { Host } from "@/api/hosts";
import { ToldMachines } from "@/files/told_machines";

import { hostRecord } from "./fixtures";

afterEach(cleanup);

it("says which machine has gone and which is back, and nothing of those that were there from the beginning", () => {
  const host = (status: Host["status"], id = "h", name = "laptop") => hostRecord({ id, name, status });
  const { rerender } = render(<ToldMachines hosts={[host("connected")]} />);
  const said = () => screen.getByRole("status").textContent;
  expect(said()).toBe("");
  rerender(<ToldMachines hosts={[host("disconnected"), host("connected", "new", "new one")]} />);
  expect(said()).toBe("laptop is not connected.");
  rerender(<ToldMachines hosts={[host("connected"), host("connected", "new", "new one")]} />);
  expect(said()).toBe("laptop is connected again.");
});
