import { useEffect, useRef, useState } from "react";

import type { Host } from "@/api/hosts";

/** Says to those who do not see it which machine has come or gone while its page is open. */
export function ToldMachines({ hosts }: { hosts: readonly Host[] }) {
  const known = useRef(new Map<string, boolean>());
  const [told, setTold] = useState("");
  useEffect(() => {
    const before = known.current;
    known.current = new Map(hosts.map(({ id, status }) => [id, status === "connected"]));
    const changed = hosts.filter(({ id }) => before.has(id) && before.get(id) !== known.current.get(id));
    if (changed.length > 0) {
      setTold(changed.map(({ name, status }) => `${name} is ${status === "connected" ? "connected again" : "not connected"}.`).join(" "));
    }
  }, [hosts]);
  return (
    <p role="status" className="sr-only">
      {told}
    </p>
  );
}
