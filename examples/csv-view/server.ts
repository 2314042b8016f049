/** Everything this plugin does is in the window; a server entry is required all the same. */
export default function csvView(): void {}
