import GithubSlugger from "github-slugger";
import { type ComponentProps, type ReactNode, use } from "react";
import type { Components, ExtraProps } from "react-markdown";

import { url } from "@/lib/address";
import { cn } from "@/ui/cn";
import { CodeBlock } from "./code_block";
import { Formula } from "./formula";
import { followInWindow, linkKind } from "./links";
import { isRelativeAddress, TextAddressesContext } from "./text_addresses";
import { TextFile } from "./text_file";
import { TextImage } from "./text_image";

type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & ExtraProps;

/** An element with the look of the window; what the parser adds for itself is left out. */
function styled<Tag extends keyof React.JSX.IntrinsicElements>(Element: Tag, look: string) {
  const Plain = Element as "div";
  return ({ node: _node, className, ...props }: Props<Tag>) => <Plain {...(props as object)} className={cn(look, className)} />;
}

const kLink = "text-link underline decoration-link/40 underline-offset-2 hover:decoration-link";
const kFileLink = `${kLink} cursor-pointer text-left`;
const kFile = "cursor-pointer rounded-sm text-left text-link hover:underline";

/** The heading of the same text that links name so: texts are written for places that number equal headings as GitHub does. */
function headingOf(link: Element, name: string): HTMLElement | undefined {
  const slugger = new GithubSlugger();
  const headings = link.closest("[data-svc-message-prose-root]")?.querySelectorAll<HTMLElement>("h2, h3, h4, h5, h6") ?? [];
  return [...headings].find((heading) => slugger.slug(heading.textContent ?? "") === name);
}

/** Texts come from anywhere: links open outside of the window, unless they are places in it or in the text. */
function Anchor({ idPrefix, node: _node, href: written, children, ...props }: Props<"a"> & { idPrefix: string }) {
  const addresses = use(TextAddressesContext);
  const href = addresses !== null && isRelativeAddress(written) ? addresses.linkPath(written) : written;
  switch (linkKind(href)) {
    case "web":
      return (
        <a {...props} href={href} target="_blank" rel="noopener noreferrer" className={kLink}>
          {children}
        </a>
      );
    case "window":
      return (
        <TextFile
          text={decoded(href!)}
          className={kFileLink}
          otherwise={
            <a {...props} href={url(href!)} className={kLink} onClick={(event) => followInWindow(event, href!)}>
              {children}
            </a>
          }
        >
          {children}
        </TextFile>
      );
    case "fragment":
      // The page has a <base>: following the address would leave it.
      return (
        <a
          {...props}
          href={href}
          className={kLink}
          onClick={(event) => {
            event.preventDefault();
            const name = decoded(href!.slice(1));
            const target = document.getElementById(`${idPrefix}${name}`) ?? headingOf(event.currentTarget, name);
            target?.scrollIntoView({ block: "nearest" });
            target?.setAttribute("tabindex", "-1");
            target?.focus({ preventScroll: true });
          }}
        >
          {children}
        </a>
      );
    case "other":
      return (
        <a {...props} href={href} rel="noopener noreferrer" className={kLink}>
          {children}
        </a>
      );
    case "none":
      return (
        <TextFile text={decoded(href ?? "")} className={kFileLink} otherwise={<span title={href}>{children}</span>}>
          {children}
        </TextFile>
      );
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function textOf(node: ReactNode): string {
  return Array.isArray(node) ? node.map(textOf).join("") : typeof node === "string" || typeof node === "number" ? String(node) : "";
}

interface HastElement {
  tagName?: string;
  properties?: { className?: unknown };
  children?: HastElement[];
}

function classesOf(element: HastElement | undefined): string[] {
  const { className } = element?.properties ?? {};
  return Array.isArray(className) ? (className as unknown[]).map(String) : [];
}

/** Fenced code, and formulas on lines of their own. */
function Pre({ node, children, ...props }: Props<"pre">) {
  const code = (node as HastElement | undefined)?.children?.[0];
  if (code?.tagName !== "code") {
    return <pre {...props}>{children}</pre>;
  }
  const classes = classesOf(code);
  const content = textOf((children as { props?: { children?: ReactNode } } | undefined)?.props?.children).replace(/\n$/, "");
  if (classes.includes("math-display") || classes.includes("language-math")) {
    return <Formula source={content} isDisplay />;
  }
  const language = classes.find((name) => name.startsWith("language-"))?.slice("language-".length);
  return <CodeBlock content={content} language={language} />;
}

const InlineCode = styled("code", "rounded-sm bg-surface-recessed-solid px-1 py-0.5 font-mono text-[0.875em]");

function Code(props: Props<"code">) {
  return classesOf(props.node as HastElement | undefined).includes("math-inline") ? (
    <Formula source={textOf(props.children)} isDisplay={false} />
  ) : (
    <TextFile text={textOf(props.children)} className={kFile}>
      <InlineCode {...props} />
    </TextFile>
  );
}

/** A wide table scrolls by itself, also from the keyboard: its columns are as wide as their longest words. */
function Table({ node: _node, className, ...props }: Props<"table">) {
  return (
    <div role="region" aria-label="Table" tabIndex={0} className="overflow-x-auto rounded-md border border-border">
      <table {...props} className={cn("w-full border-collapse text-sm wrap-break-word", className)} />
    </div>
  );
}

function Checkbox({ node: _node, type, checked, ...props }: Props<"input">) {
  return type === "checkbox" ? (
    <input
      {...props}
      type="checkbox"
      checked={checked === true}
      readOnly
      disabled
      aria-label={checked === true ? "Done" : "Not done"}
      className="mr-2 align-middle accent-primary"
    />
  ) : null;
}

/** Each paragraph is laid out in the direction of its own language. */
const kOwnDirection = "[unicode-bidi:plaintext]";
const kHeading = `font-semibold text-balance ${kOwnDirection}`;

/** The direction of a list is that of its first words: its marks stand on the side where they begin. */
function list(Element: "ul" | "ol", look: string) {
  const Styled = styled(Element, look);
  return (props: Props<"ul">) => <Styled dir="auto" {...(props as object)} />;
}

/** How each element looks. The page has a heading of its own: those of a text start one level below. */
export function markdownComponents(prefix: string): Components {
  return {
    h1: styled("h2", `${kHeading} mt-2 text-xl`),
    h2: styled("h3", `${kHeading} mt-2 text-lg`),
    h3: styled("h4", `${kHeading} mt-1 text-base`),
    h4: styled("h5", `${kHeading} text-base`),
    h5: styled("h6", `${kHeading} text-sm`),
    h6: styled("h6", `${kHeading} text-sm text-muted-foreground`),
    p: styled("p", kOwnDirection),
    ul: list("ul", "flex list-disc flex-col gap-1 ps-6 [&.contains-task-list]:list-none [&.contains-task-list]:ps-1"),
    ol: list("ol", "flex list-decimal flex-col gap-1 ps-6"),
    li: styled("li", "ps-0.5 [&>p+p]:mt-2"),
    blockquote: styled("blockquote", "flex flex-col gap-2 border-l-2 border-border pl-3 text-muted-foreground"),
    hr: styled("hr", "border-border"),
    th: styled("th", `border-b border-border bg-surface-recessed-solid px-3 py-1.5 text-start font-medium ${kOwnDirection}`),
    td: styled("td", `border-b border-border-hairline px-3 py-1.5 align-top ${kOwnDirection}`),
    code: Code,
    kbd: styled("kbd", "rounded-sm border border-border px-1 font-mono text-[0.8125em]"),
    a: (props) => <Anchor idPrefix={prefix} {...props} />,
    pre: Pre,
    table: Table,
    input: Checkbox,
    img: ({ node: _node, ...props }) => <TextImage {...props} />,
  };
}
