// @vitest-environment happy-dom
import axe from "axe-core";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import ListTodo from "lucide-react/icons/list-todo";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { Button } from "@/components/ui/button";
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from "@/components/ui/card";
import { BarChart, LineChart } from "@/components/ui/chart";
import { Checkbox } from "@/components/ui/checkbox";
import { EmptyState } from "@/components/ui/empty-state";
import { Field } from "@/components/ui/field";
import { Icon } from "@/components/ui/icon";
import { Input } from "@/components/ui/input";
import { ResponsiveOverlay } from "@/components/ui/responsive-overlay";
import { Select } from "@/components/ui/select";
import { Table, TableBody, TableCaption, TableCell, TableHead, TableHeader, TableRow } from "@/components/ui/table";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { issuesByField } from "@/lib/rpc-issues";

afterEach(cleanup);

/** Colours and sizes need a browser; the rest of the rules are looked at here. */
async function expectAccessible(root = document.body) {
  const { violations } = await axe.run(root, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
}

test("a table has the name of its caption, and its cells say their column where they are cards", async () => {
  render(
    <Table>
      <TableCaption>Expenses</TableCaption>
      <TableHeader>
        <TableRow>
          <TableHead>What</TableHead>
          <TableHead>Amount</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody>
        <TableRow>
          <TableCell label="What">Coffee</TableCell>
          <TableCell label="Amount">3.20</TableCell>
        </TableRow>
      </TableBody>
    </Table>,
  );
  const table = screen.getByRole("table", { name: "Expenses" });
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map(({ textContent }) => textContent),
  ).toEqual(["What", "Amount"]);
  const cell = within(table).getByRole("cell", { name: "3.20" });
  expect(within(cell).getByText("Amount").getAttribute("aria-hidden")).toBe("true");
  await expectAccessible();
});

test("a field gives its control a name, a description and what is wrong", async () => {
  render(
    <>
      <Field label="Amount" description="In euros." error="Too small." required>
        {(control) => <Input {...control} />}
      </Field>
      <Field label="Note">{(control) => <Input {...control} />}</Field>
    </>,
  );
  const amount = screen.getByLabelText("Amount");
  expect(amount.getAttribute("aria-invalid")).toBe("true");
  expect((amount as HTMLInputElement).required).toBe(true);
  const described = (amount.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
  expect(described).toEqual(["In euros.", "Too small."]);
  expect(screen.getByRole("alert").textContent).toBe("Too small.");
  const note = screen.getByLabelText("Note (optional)");
  expect([note.getAttribute("aria-invalid"), note.getAttribute("aria-describedby")]).toEqual([null, null]);
  await expectAccessible();
});

test("a select in a field is chosen from", async () => {
  const chosen = vi.fn();
  render(
    <Field label="Currency" required>
      {(control) => (
        <Select {...control} defaultValue="EUR" onChange={(event) => chosen(event.target.value)}>
          <option value="EUR">Euro</option>
          <option value="CHF">Franc</option>
        </Select>
      )}
    </Field>,
  );
  fireEvent.change(screen.getByRole("combobox", { name: "Currency" }), { target: { value: "CHF" } });
  expect(chosen.mock.calls).toEqual([["CHF"]]);
  await expectAccessible();
});

function Views({ onValueChange }: { onValueChange?(value: string): void }) {
  return (
    <Tabs defaultValue="this month" {...(onValueChange === undefined ? {} : { onValueChange })}>
      <TabsList aria-label="Period">
        <TabsTrigger value="this month">Month</TabsTrigger>
        <TabsTrigger value="week" disabled>
          Week
        </TabsTrigger>
        <TabsTrigger value="year">Year</TabsTrigger>
      </TabsList>
      <TabsContent value="this month">12 expenses</TabsContent>
      <TabsContent value="year">99 expenses</TabsContent>
    </Tabs>
  );
}

test("tabs are one stop, and arrow keys open the next that can be", async () => {
  const opened = vi.fn();
  render(<Views onValueChange={opened} />);
  expect(screen.getByRole("tabpanel", { name: "Month" }).textContent).toBe("12 expenses");
  await expectAccessible();
  const [month, week, year] = screen.getAllByRole("tab");
  expect([month, week, year].map((tab) => tab?.tabIndex)).toEqual([0, -1, -1]);
  month?.focus();
  fireEvent.keyDown(month!, { key: "ArrowRight" });
  expect(document.activeElement).toBe(year);
  expect(screen.getByRole("tabpanel", { name: "Year" }).textContent).toBe("99 expenses");
  fireEvent.keyDown(year!, { key: "ArrowRight" });
  expect(document.activeElement).toBe(month);
  fireEvent.keyDown(month!, { key: "End" });
  fireEvent.keyDown(year!, { key: "Home" });
  fireEvent.keyDown(month!, { key: "x" });
  fireEvent.click(year!);
  expect(opened.mock.calls.map(([value]) => value)).toEqual(["year", "this month", "year", "this month", "year"]);
});

test("tabs may be held by the page, and parts outside of them say so", () => {
  function Page() {
    const [value, setValue] = useState("b");
    return (
      <Tabs defaultValue="a" value={value} onValueChange={setValue}>
        <TabsContent value="a">A</TabsContent>
        <TabsContent value="b">B</TabsContent>
      </Tabs>
    );
  }
  render(<Page />);
  expect(screen.getByText("B")).toBeTruthy();
  vi.spyOn(console, "error").mockReturnValue();
  expect(() => render(<TabsTrigger value="a">A</TabsTrigger>)).toThrow("belong into Tabs");
});

test("bars are a list of labels and values, as wide as their share of the most", async () => {
  const { container } = render(
    <BarChart
      title="By category"
      data={[
        { label: "Food", value: 30 },
        { label: "Rent", value: 60 },
      ]}
      format={(value) => `${value} €`}
    />,
  );
  expect(screen.getByText("By category").tagName).toBe("FIGCAPTION");
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["Food30 €", "Rent60 €"]);
  expect([...container.querySelectorAll<HTMLElement>("[style]")].map(({ style }) => style.width)).toEqual(["50%", "100%"]);
  await expectAccessible();
});

test("a line has its values in a table", async () => {
  const { container } = render(
    <LineChart
      title="By day"
      data={[
        { label: "Mon", value: 0 },
        { label: "Tue", value: 4 },
        { label: "Wed", value: 2 },
      ]}
    />,
  );
  expect(container.querySelector("polyline")?.getAttribute("points")).toBe("0.0,156.0 300.0,4.0 600.0,80.0");
  expect(screen.getByText("Values").tagName).toBe("SUMMARY");
  const table = container.querySelector("table");
  expect([...(table?.querySelectorAll("tr") ?? [])].map(({ textContent }) => textContent)).toEqual(["Mon0", "Tue4", "Wed2"]);
  await expectAccessible();
});

test("charts of nothing, of zeros and of one value are no broken pictures", () => {
  const { container, rerender } = render(<BarChart title="None" data={[]} />);
  expect(screen.getByText("No values yet.")).toBeTruthy();
  rerender(<LineChart title="None" data={[]} />);
  expect(screen.getByText("No values yet.")).toBeTruthy();
  rerender(<BarChart title="Zeros" data={[{ label: "a", value: 0 }]} />);
  rerender(<LineChart title="Zeros" data={[{ label: "a", value: 0 }]} />);
  expect(container.querySelector("polyline")?.getAttribute("points")).toBe("0,156.0 600,156.0");
  expect(container.innerHTML).not.toContain("NaN");
});

test("an empty state says what is not there and what to do", async () => {
  render(<EmptyState icon={ListTodo} title="No expenses" description="Add the first one." actions={<Button>Add an expense</Button>} />);
  expect(screen.getByText("No expenses")).toBeTruthy();
  expect(screen.getByText("Add the first one.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Add an expense" })).toBeTruthy();
  await expectAccessible();
});

test("what the template brings is accessible, too", async () => {
  render(
    <main>
      <Card>
        <CardHeader>
          <CardTitle>Budget</CardTitle>
          <CardDescription>Of this month</CardDescription>
        </CardHeader>
        <CardContent>
          <Checkbox aria-label="Paid" />
          <Icon icon={ListTodo} label="List" />
          <Button asChild>
            <a href="#more">More</a>
          </Button>
        </CardContent>
      </Card>
    </main>,
  );
  fireEvent.click(screen.getByRole("checkbox", { name: "Paid" }));
  expect(screen.getByRole("checkbox", { name: "Paid" }).getAttribute("aria-checked")).toBe("true");
  expect(screen.getByRole("link", { name: "More" }).className).toContain("bg-primary");
  await expectAccessible();
});

test.each([
  ["a dialog", false],
  ["a drawer in a narrow window", true],
])("an overlay is %s", async (_what, isNarrow) => {
  vi.spyOn(window, "matchMedia").mockReturnValue({
    ...window.matchMedia("all"),
    matches: isNarrow,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  });
  render(<ResponsiveOverlay open onOpenChange={vi.fn()} title="Add an expense" description="What was it?" footer={<Button>Add</Button>} />);
  const dialog = await screen.findByRole("dialog", { name: "Add an expense" });
  expect(screen.queryByRole("button", { name: "Close" }) === null).toBe(isNarrow);
  await expectAccessible(dialog);
});

test("what a schema objects to stands at the fields", () => {
  const refused = Object.assign(new Error("rpc input validation failed"), {
    issues: [
      { message: "Too small.", path: ["amount"] },
      { message: "No number.", path: ["amount"] },
      { message: "Unknown.", path: ["items", 0, "tag"] },
      { message: "Not both." },
    ],
  });
  expect(issuesByField(refused)).toEqual({ amount: "Too small.", "items.0.tag": "Unknown.", "": "Not both." });
  expect(issuesByField(new Error("no answer"))).toEqual({ "": "no answer" });
  expect(issuesByField("text")).toEqual({ "": "text" });
});
