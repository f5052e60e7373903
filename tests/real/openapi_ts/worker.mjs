// openapi-typescript: makes types of a service's description, and compiles code that uses them.
import { createInterface } from "node:readline";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const folder = import.meta.dirname;
const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 };

async function answer({ described, code }) {
  const files = new Map([
    [join(folder, "api.ts"), astToString(await openapiTS(described))],
    [join(folder, "use.ts"), code],
  ]);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...more) =>
    files.has(name) ? ts.createSourceFile(name, files.get(name), ...more) : getSourceFile.call(host, name, ...more);
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  const program = ts.createProgram([...files.keys()], options, host);
  const found = ts.getPreEmitDiagnostics(program);
  return { errors: found.map((each) => ts.flattenDiagnosticMessageText(each.messageText, " ")) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let told;
  try {
    told = await answer(JSON.parse(line));
  } catch (error) {
    told = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(told) + "\n");
}
