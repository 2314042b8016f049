import ImageIcon from "lucide-react/icons/image";
import { type ComponentProps, use, useEffect, useState } from "react";

import { isRelativeAddress, TextAddressesContext } from "./text_addresses";
import { type ImageFile, TextFilesContext } from "./text_files";

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

interface AskProps {
  label: string;
  title: string | undefined;
  isBusy?: boolean;
  onLoad(): void;
}

/** In place of an image that nobody has asked for yet. */
function AskedImage({ label, title, isBusy = false, onLoad }: AskProps) {
  return (
    <button
      type="button"
      className="inline-flex min-h-8 max-w-full cursor-pointer items-center gap-2 rounded-md border border-border bg-surface-raised-solid px-2.5 py-1 text-left align-middle text-sm text-foreground hover:bg-state-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
      title={title}
      aria-label={label}
      aria-busy={isBusy}
      onClick={(event) => {
        // It may stand in a link.
        event.preventDefault();
        onLoad();
      }}
    >
      <ImageIcon aria-hidden />
      <span className="min-w-0 wrap-anywhere">{label}</span>
    </button>
  );
}

const labelOf = (alt: string, what: string) => `${alt === "" ? "" : `${alt} · `}${what}`;

function Loaded({ alt, className = "", ...props }: ComponentProps<"img">) {
  return (
    <img
      {...props}
      alt={alt ?? ""}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      className={`max-w-full rounded-md ${className}`}
    />
  );
}

type FileImageProps = ComponentProps<"img"> & {
  alt: string;
  file: ImageFile;
  /** Somebody has asked for it already. */
  isWanted: boolean;
};

/** An image among the files of where the text comes from: it is there when it can be read and drawn. */
export function FileImage({ file, alt, isWanted, ...props }: FileImageProps) {
  const [state, setState] = useState<"asked" | "loading" | "failed" | { url: string }>(isWanted ? "loading" : "asked");
  const isLoading = state === "loading";
  useEffect(() => {
    let isCurrent = isLoading;
    if (isLoading) {
      file.url().then(
        (url) => isCurrent && setState({ url }),
        () => isCurrent && setState("failed"),
      );
    }
    return () => {
      isCurrent = false;
    };
    // Whoever renders the text again has another object for the same file.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isLoading, file.path]);
  if (typeof state === "object") {
    return <Loaded {...props} alt={alt} src={state.url} className="max-h-[70dvh]" onError={() => setState("failed")} />;
  }
  const what = state === "failed" ? `${file.path} could not be shown: try again` : `Load image ${file.path}`;
  return <AskedImage label={labelOf(alt, what)} title={file.path} isBusy={isLoading} onLoad={() => setState("loading")} />;
}

/**
 * An image of a text. Texts come from models and other people: the address of an image can carry away what its author has read, as soon
 * as it is fetched, and one of this service can be a route of a plugin that acts with the rights of who looks. So only attachments,
 * previews of files and pictures that the agent has sent itself are fetched without being asked for by somebody who sees where the image is from.
 */
export function TextImage({ alt = "", src: written, ...props }: ComponentProps<"img">) {
  const addresses = use(TextAddressesContext);
  const files = use(TextFilesContext);
  const src = addresses !== null && isRelativeAddress(written) ? addresses.imageUrl(written) : written;
  const [wanted, setWanted] = useState<string>();
  const place = src === undefined ? null : askedBefore(src);
  const file = place === null || addresses !== null || src === undefined ? null : (files?.image(src) ?? null);
  if (file !== null) {
    return <FileImage key={file.path} {...props} alt={alt} file={file} isWanted={file.isKept} />;
  }
  if (place !== null && wanted !== src) {
    return <AskedImage label={labelOf(alt, `Load image from ${place}`)} title={src} onLoad={() => setWanted(src)} />;
  }
  return src === undefined ? <span className="text-muted-foreground">{alt}</span> : <Loaded {...props} src={src} alt={alt} />;
}
