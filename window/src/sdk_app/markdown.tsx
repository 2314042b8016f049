export interface MarkdownProps { content: string; className?: string | undefined }
export function Markdown({ content, className }: MarkdownProps) {
  return <div className={className}>{content}</div>;
}
