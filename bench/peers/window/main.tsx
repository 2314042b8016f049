// A React page of the same outline: a sidebar whose rows are fetched, a router, a page with a heading.
import "./style.css";

import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, NavLink, Outlet, RouterProvider } from "react-router";

import { Page } from "./page";

interface Row {
  id: string;
  title: string;
}

function Layout() {
  const { data } = useQuery<Row[]>({ queryKey: ["rows"], queryFn: () => fetch("/rows.json").then((answer) => answer.json()) });
  return (
    <div className="flex h-dvh">
      <nav aria-label="Pages" data-sidebar="sidebar" className="flex w-80 flex-col gap-1 border-r p-2">
        {data?.map(({ id, title }) => (
          <NavLink key={id} to={`/plugins/${id}/todos`} className="rounded-md px-2 py-1">
            {title}
          </NavLink>
        ))}
      </nav>
      <main className="flex-1">
        <Outlet />
      </main>
    </div>
  );
}

const router = createBrowserRouter([{ path: "*", Component: Layout, children: [{ path: "*", Component: Page }] }]);

createRoot(document.getElementById("root")!).render(
  <QueryClientProvider client={new QueryClient()}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
