/** `util.getCallSites`, which Node has since 22.9: who has called, innermost first. */
interface CallSite {
  functionName: string;
  scriptName: string;
  lineNumber: number;
  column: number;
  columnNumber: number;
}

const kFrames = 10;
const kMostFrames = 200;

export function getCallSites(frames?: number | object): CallSite[] {
  const count = typeof frames === "number" ? frames : kFrames;
  if (!(count >= 1 && count <= kMostFrames)) {
    const message = `The value of "frameCount" is out of range. It must be >= 1 && <= ${kMostFrames}. Received ${count}`;
    throw Object.assign(new RangeError(message), { code: "ERR_OUT_OF_RANGE" });
  }
  const { prepareStackTrace, stackTraceLimit } = Error;
  const target: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = count;
    Error.prepareStackTrace = (_error, sites) => sites;
    Error.captureStackTrace(target, getCallSites);
    return (target.stack ?? []).map(describe);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (prepareStackTrace === undefined) {
      Reflect.deleteProperty(Error, "prepareStackTrace");
    } else {
      Error.prepareStackTrace = prepareStackTrace;
    }
  }
}

function describe(site: NodeJS.CallSite): CallSite {
  const column = site.getColumnNumber() ?? 0;
  return {
    functionName: site.getFunctionName() ?? "",
    scriptName: site.getFileName() ?? "",
    lineNumber: site.getLineNumber() ?? 0,
    column,
    columnNumber: column,
  };
}
