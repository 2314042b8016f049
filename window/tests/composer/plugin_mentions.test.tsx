import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { fetchMock, field, found, prepareWindow, resetWindow, show } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

beforeEach(prepareWindow);
afterEach(resetWindow);

describe("mentions", () => {
  const people = [
    {
      pluginId: "todo",
      providerId: "people",
      label: "People",
      items: [
        { itemId: "1", title: "Ada", subtitle: "Countess", icon: null },
        { itemId: "2", title: "Alan", subtitle: null, icon: null },
      ],
    },
  ];

  it("are found while typing, chosen with the keyboard, and sent with where they stand", async () => {
    found.groups = people;
    const submit = vi.fn(async () => undefined);
    show({ submit });
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "hi @");
    expect(await screen.findAllByText("Type to search People")).not.toEqual([]);
    await userEvent.type(field(), "a");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual(["AdaCountess", "Alan"]);
    expect(field().getAttribute("aria-activedescendant")).toBe(options[0]!.id);
    await userEvent.keyboard("{ArrowDown}");
    expect(field().getAttribute("aria-activedescendant")).toBe(options[1]!.id);
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(field().value).toBe("hi @Ada ");
    expect(submit).not.toHaveBeenCalled();
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledWith({
      text: "hi @Ada ",
      mentions: [{ pluginId: "todo", provider: "people", id: "1", label: "Ada", start: 3, end: 7 }],
      attachments: [],
      pluginInput: {},
    });
  });

  it("go away with Escape, and Enter sends again", async () => {
    found.groups = people;
    const submit = vi.fn(async () => undefined);
    show({ submit });
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "@a");
    await screen.findAllByRole("option");
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("option")).toBeNull();
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledOnce();
  });

  it("say when there is nothing", async () => {
    show();
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "@zz");
    expect(await screen.findAllByText("Nothing found")).not.toEqual([]);
  });
});
