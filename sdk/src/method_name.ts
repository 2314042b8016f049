/** The name of a method of a contract: dotted segments. */
export const kMethodName = /^[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*$/;
