// The app window as a window of its own: what a browser reads before it offers to install a page.
import { startServer } from "./support/server.js";
import { expect, open, test } from "./support/test.js";

test("the window can be installed from the browser", async ({ page, request }) => {
  const server = await startServer();
  try {
    await open(page, server.url);
    const browser = await page.context().newCDPSession(page);
    const { url, errors, data } = await browser.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    expect(await browser.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
    const manifest = JSON.parse(data ?? "") as {
      name: string;
      scope: string;
      icons: { src: string; type: string }[];
      shortcuts: { name: string; url: string }[];
    };
    expect(manifest.name).toBe("svc");
    expect(new URL(manifest.scope, url).href).toBe(`${server.url}/`);
    for (const { src, type } of manifest.icons) {
      const icon = await request.get(new URL(src, url).href);
      expect([src, icon.status(), icon.headers()["content-type"]]).toEqual([src, 200, type]);
    }
    for (const { name, url: place } of manifest.shortcuts) {
      await page.goto(new URL(place, url).href);
      await expect(page.getByRole("main"), name).toBeVisible();
      await expect(page.getByRole("heading", { name: "Page not found" })).toHaveCount(0);
      await expect(page).toHaveTitle(new RegExp(name === "New thread" ? "svc" : name));
    }
  } finally {
    await server.close();
  }
});
