import { Component, type ReactNode } from "react";

interface QuestionBoundaryProps {
  /** In place of what fails. */
  fallback: ReactNode;
  children: ReactNode;
}

/** What an agent asks is its own: what fails on it takes nothing around it along. */
export class QuestionBoundary extends Component<QuestionBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
