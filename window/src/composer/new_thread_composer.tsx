export default function NewThreadComposer() { return null; }
