import type { SVGProps } from "react";
export interface IconProps extends Omit<SVGProps<SVGSVGElement>, "name" | "ref"> { name: string; size?: number | string }
export function Icon({ name, size = 16, ...rest }: IconProps) {
  return <svg aria-hidden data-icon={name} width={size} height={size} {...rest} />;
}
export default Icon;
