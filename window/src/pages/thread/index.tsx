export default function ThreadPage() {
  return <h1>Thread</h1>;
}
