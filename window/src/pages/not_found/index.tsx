import Compass from "lucide-react/icons/compass";
import { Link, useLocation } from "react-router";

import { layers } from "@/shell/layers";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";

/** Any address that is none of the window's. */
export default function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <EmptyState
      as="h1"
      icon={<Compass />}
      title="There is nothing at this address"
      description={
        <>
          <code className="text-xs">{pathname}</code> is no page of this window. A plugin that had it may have been removed.
        </>
      }
      actions={
        <>
          <Button asChild variant="primary">
            <Link to="/">Start page</Link>
          </Button>
          <Button onClick={layers.openPalette}>Search</Button>
        </>
      }
    />
  );
}
