// React's types, for declarations of the app entry that the root of the package has, too. Only projects of app entries need
// `@types/react`: without it, or without a document, these are `any` and the declarations compile.

/** @ts-ignore */
export type { ComponentType, ReactNode } from "react";
/** @ts-ignore */
import type { AnchorHTMLAttributes } from "react";
/** @ts-ignore */
export type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement>;
