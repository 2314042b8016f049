export default function HomePage() {
  return <h1>New thread</h1>;
}
