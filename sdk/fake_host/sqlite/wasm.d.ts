/** As build.mjs bundles it: the bytes in base 64. */
declare module "*.wasm" {
  const base64: string;
  export default base64;
}
