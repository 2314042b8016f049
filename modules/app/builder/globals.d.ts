declare module "*.css" {
  const text: string;
  export default text;
}
/** host_sdk.ts, bundled. */
declare module "svc-host-sdk.txt" {
  const text: string;
  export default text;
}
/** Versions of the service and of its SDK, put in when the builder is bundled. */
declare const __SVC_VERSION__: string;
declare const __SDK_VERSION__: string;
