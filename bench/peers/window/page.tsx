export function Page() {
  return (
    <div className="p-6">
      <h2 className="text-lg font-semibold">Todos</h2>
    </div>
  );
}
