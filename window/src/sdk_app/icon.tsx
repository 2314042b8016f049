import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type SVGProps, useContext, useEffect } from "react";

import { url } from "@/lib/address";
import { pluginsQuery, queryClient } from "@/api/queries";
import { ownMember } from "@/lib/own";
import { PluginMountContext } from "@/plugins/mount_context";
import { addPluginWarning, useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { requestLucideIcon, useLucideIcon } from "@/ui/lucide";

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, "name" | "ref"> {
  /** Of lucide in any spelling, one that a plugin registered, or `<pluginId>/<declared icon>`. */
  name: string;
  /** Width and height; default 16 px, or what `className` says. */
  size?: number | string;
  /** Who named the icon, when that is not the mount it is rendered in: an unknown name is reported there. */
  pluginId?: string;
}

const kDefaultSize = 16;
const kGeneric = "puzzle";
/** `<pluginId>/<declared icon>` */
const kDeclared = /^([^/]+)\/([^/]+)$/;

/** What an icon without a name of its own says to assistive technology: nothing. */
function accessibleProps(props: SVGProps<SVGSVGElement>): SVGProps<SVGSVGElement> {
  return props["aria-label"] === undefined && props["aria-labelledby"] === undefined
    ? { "aria-hidden": true, ...props }
    : { role: "img", ...props };
}

/**
 * An icon by name, loaded when it is first shown; its place is kept meanwhile. Unknown names show the generic plugin icon and
 * are reported in the plugin's diagnostics.
 */
export function Icon({ name, ...props }: IconProps) {
  const registered = useRegistrations("icons").find(({ registration }) => registration.name === name);
  if (registered !== undefined) {
    const { plugin, registration } = registered;
    const { className = "size-4" } = props;
    return <SlotMount plugin={plugin} slot="icon" id={name} component={registration.component} props={{ className }} fallback="none" />;
  }
  const declared = kDeclared.exec(name);
  return declared === null ? (
    <LucideByName name={name} {...props} />
  ) : (
    <DeclaredIcon name={name} owner={declared[1]!} icon={declared[2]!} {...props} />
  );
}

/** Keeps the place of an icon, with the size it will have. */
function EmptyIcon({ size = kDefaultSize, pluginId: _pluginId, ...props }: Omit<IconProps, "name">) {
  return <svg aria-hidden viewBox="0 0 24 24" width={size} height={size} {...props} />;
}

function LucideByName({ name, ...props }: IconProps) {
  const icon = useLucideIcon(name);
  useEffect(() => requestLucideIcon(name), [name]);
  if (icon === null) {
    return <UnknownIcon name={name} {...props} />;
  }
  const { size = kDefaultSize, pluginId: _pluginId, ...rest } = props;
  return icon === undefined ? <EmptyIcon {...props} /> : <Drawn icon={icon} size={size} {...accessibleProps(rest)} />;
}

function Drawn({ icon: Component, ...props }: SVGProps<SVGSVGElement> & { icon: ComponentType<object>; size: number | string }) {
  return <Component {...props} />;
}

/** A file of the plugin, in the colour of the text. */
function DeclaredIcon({ name, owner, icon, ...props }: IconProps & { owner: string; icon: string }) {
  const { data: records } = useQuery(pluginsQuery, queryClient);
  if (records === undefined) {
    return <EmptyIcon {...props} />;
  }
  const address = ownMember(records.find(({ id }) => id === owner)?.icons ?? {}, icon);
  if (address === undefined) {
    return <UnknownIcon name={name} {...props} />;
  }
  const { size = kDefaultSize, pluginId: _pluginId, style, ...rest } = props;
  const maskImage = `url("${url(address).replace(/["\\]/g, "\\$&")}")`;
  const mask = { maskImage, maskSize: "contain", maskRepeat: "no-repeat", maskPosition: "center" };
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} {...accessibleProps(rest)} style={{ ...style, ...mask }}>
      <rect width="24" height="24" fill="currentColor" />
    </svg>
  );
}

function UnknownIcon({ name, pluginId, ...props }: IconProps) {
  const mount = useContext(PluginMountContext);
  const owner = pluginId ?? mount?.plugin.pluginId;
  const icon = useLucideIcon(kGeneric);
  useEffect(() => {
    requestLucideIcon(kGeneric);
    if (owner !== undefined) {
      addPluginWarning(owner, `icon "${name}" is unknown; the generic plugin icon is shown`);
    }
  }, [owner, name]);
  const { size = kDefaultSize, ...rest } = props;
  return icon == null ? <EmptyIcon {...props} /> : <Drawn icon={icon} size={size} {...accessibleProps(rest)} />;
}

/** @public Bundles import it as the default of the SDK's icon. */
export default Icon;
