import ImageIcon from "lucide-react/icons/image";
import { type ComponentProps, use, useState } from "react";

import { isRelativeAddress, TextAddressesContext } from "./text_addresses";

/** What people attached, and previews of files: below the base path, without anything that a server could take for another path. */
const kShownAtOnce = /^api\/v1\/(projects\/[^/]+\/attachments\/content|files\/previews\/[^/]+\/.+)$/;
const kHiddenSeparator = /%(2f|5c)/i;

/** Where an image would be fetched from when that is to be asked first; null for one that is shown at once. */
export function askedBefore(address: string, base: string = document.baseURI): string | null {
  let target: URL;
  try {
    target = new URL(address, base);
  } catch {
    return null; // Nothing can be fetched from it.
  }
  if (target.protocol === "data:" || target.protocol === "blob:") {
    return null;
  }
  const own = new URL("./", base);
  if (target.origin !== own.origin) {
    return target.host;
  }
  const { pathname } = target;
  const isShown =
    pathname.startsWith(own.pathname) && kShownAtOnce.test(pathname.slice(own.pathname.length)) && !kHiddenSeparator.test(pathname);
  return isShown ? null : pathname;
}

/**
 * An image of a text. Texts come from models and other people: the address of an image can carry away what its author has read, as soon
 * as it is fetched, and one of this service can be a route of a plugin that acts with the rights of who looks. So only attachments and
 * previews of files are fetched without being asked for by somebody who sees where the image is from.
 */
export function TextImage({ alt = "", src: written, ...props }: ComponentProps<"img">) {
  const addresses = use(TextAddressesContext);
  const src = addresses !== null && isRelativeAddress(written) ? addresses.imageUrl(written) : written;
  const [wanted, setWanted] = useState<string>();
  const place = src === undefined ? null : askedBefore(src);
  if (place !== null && wanted !== src) {
    const label = `${alt === "" ? "" : `${alt} · `}Load image from ${place}`;
    return (
      <button
        type="button"
        className="inline-flex min-h-8 max-w-full cursor-pointer items-center gap-2 rounded-md border border-border bg-surface-raised-solid px-2.5 py-1 text-left align-middle text-sm text-foreground hover:bg-state-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
        title={src}
        aria-label={label}
        onClick={(event) => {
          // It may stand in a link.
          event.preventDefault();
          setWanted(src);
        }}
      >
        <ImageIcon aria-hidden />
        <span className="min-w-0 wrap-anywhere">{label}</span>
      </button>
    );
  }
  return (
    <img
      {...props}
      {...(src === undefined ? {} : { src })}
      alt={alt}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      className="max-w-full rounded-md"
    />
  );
}
