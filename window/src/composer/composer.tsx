import type { PluginComposerScope } from "#sdk/app/composer.js";
export interface ComposerProps { scope: PluginComposerScope; initialText?: string }
export function Composer({ scope, initialText }: ComposerProps) {
  return <textarea aria-label="Message" data-scope={scope.kind} defaultValue={initialText} />;
}
