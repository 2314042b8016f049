import ImageIcon from "lucide-react/icons/image";
import { type ComponentProps, use, useState } from "react";

import { isRelativeAddress, TextAddressesContext } from "./text_addresses";

/** The host that an address would be fetched from; null when it is this service, or no host at all. */
export function remoteHost(address: string, base: string = document.baseURI): string | null {
  try {
    const { origin, host } = new URL(address, base);
    return origin === new URL(base).origin ? null : host;
  } catch {
    return null;
  }
}

/**
 * An image of a text. Texts come from models and other people: the address of an image can carry away what its author has read, as soon
 * as it is fetched. So one of another host is fetched only when somebody who sees the host asks for it.
 */
export function TextImage({ alt = "", src: written, ...props }: ComponentProps<"img">) {
  const addresses = use(TextAddressesContext);
  const src = addresses !== null && isRelativeAddress(written) ? addresses.imageUrl(written) : written;
  const [wanted, setWanted] = useState<string>();
  const host = src === undefined ? null : remoteHost(src);
  if (host !== null && wanted !== src) {
    return (
      <button
        type="button"
        className="inline-flex min-h-8 max-w-full cursor-pointer items-center gap-2 rounded-md border border-border bg-surface-raised-solid px-2.5 py-1 text-left align-middle text-sm text-foreground hover:bg-state-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
        title={src}
        onClick={(event) => {
          // It may stand in a link.
          event.preventDefault();
          setWanted(src);
        }}
      >
        <ImageIcon aria-hidden />
        <span className="min-w-0 wrap-anywhere">
          {alt !== "" && `${alt} · `}Load image from {host}
        </span>
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
