// The builder's entry. Kept so plain that every Node.js can say that it is too old.
const oldest = 20;
if (Number(process.versions.node.split(".")[0]) < oldest) {
  const text =
    `bundles are built with Node.js ${oldest} or newer, and ${process.execPath} is ${process.versions.node}; ` +
    "install a newer one or name it with the setting build.node (SVC_BUILD_NODE)";
  console.log(JSON.stringify({ type: "fatal", text }));
  process.exitCode = 3;
} else {
  const { findBuilder } = await import("./toolchain.mjs");
  const words = process.argv.slice(2);
  // Where packages are installed when this directory does not have them.
  const at = words.indexOf("--toolchain");
  const [, elsewhere] = at < 0 ? [] : words.splice(at, 2);
  try {
    const { main } = await import(await findBuilder(elsewhere));
    await main(words);
  } catch (failure) {
    console.log(JSON.stringify({ type: "fatal", text: failure.message }));
    process.exitCode = 3;
  }
}
