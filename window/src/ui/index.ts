export { AlertDialog, type AlertDialogProps } from "./alert_dialog";
export { Badge, type BadgeTone } from "./badge";
export { Banner, type BannerProps } from "./banner";
export { Button, type ButtonProps, IconButton, type IconButtonProps } from "./button";
export { Card, Section, type SectionProps } from "./card";
export { Checkbox } from "./checkbox";
export { cn } from "./cn";
export { ConfirmDialog, type ConfirmDialogProps } from "./confirm_dialog";
export { ContextMenu, ContextMenuContent, ContextMenuItem, ContextMenuSeparator, ContextMenuTrigger } from "./context_menu";
export { Dialog, type DialogProps } from "./dialog";
export { Drawer, type DrawerProps } from "./drawer";
export {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "./dropdown_menu";
export { EmptyState, type EmptyStateProps } from "./empty_state";
export { ErrorNotice, type ErrorNoticeProps } from "./error_notice";
export { Input, Textarea } from "./input";
export { Kbd } from "./kbd";
export { NameDialog, type NameDialogProps } from "./name_dialog";
export { PluginIcon, type PluginIconProps } from "./plugin_icon";
export { Select, type SelectOption, type SelectProps } from "./select";
export { Loading, Spinner } from "./spinner";
export { Switch } from "./switch";
export { Tooltip, TooltipProvider, type TooltipProps } from "./tooltip";
