import type { ReactNode, SVGProps } from "react";

/**
 * Attributes of the `svg` element besides the name. `size` is width and height; default 16 px, or what `className` says.
 */
export interface IconProps extends Omit<SVGProps<SVGSVGElement>, "name" | "ref"> {
  /** A lucide name (`ListTodo` or `list-todo`) or one that a plugin registered; unknown names show the generic plugin icon. */
  name: string;
  size?: number | string;
}

type IconComponent = (props: IconProps) => ReactNode;

/**
 * The window's icon component. Without an accessible name (`aria-label`) the icon is hidden from assistive technology.
 * Works only inside the app window; the import itself never throws.
 */
export function Icon(props: IconProps): ReactNode {
  const slot = (globalThis as { __svcPluginRuntime?: { sharedUiIcon?: { Icon?: IconComponent } } }).__svcPluginRuntime;
  const component = slot?.sharedUiIcon?.Icon;
  if (component === undefined) {
    throw new Error(
      "Icon of @get-svc/plugin-sdk/icon works only inside the app window; in a test, load the app with loadPluginApp of " +
        "@get-svc/plugin-sdk/testing/app first",
    );
  }
  return component(props);
}

export default Icon;
