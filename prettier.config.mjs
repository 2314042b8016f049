// The formatter of TypeScript, JavaScript and style sheets (scripts/format). All else is Prettier's default.
/** @type {import("prettier").Config} */
export default {
  printWidth: 140,
};
