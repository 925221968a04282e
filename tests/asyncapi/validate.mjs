// Says what AsyncAPI's own parser finds wrong with a document, and exits with 1 where that is an error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , packages, file] = process.argv;
const { Parser } = createRequire(packages)("@asyncapi/parser");
const { document, diagnostics } = await new Parser().parse(readFileSync(file, "utf8"));
for (const found of diagnostics) {
  console.log(`${["error", "warning", "information", "hint"][found.severity]}: /${found.path.join("/")}: ${found.message}`);
}
const errors = diagnostics.filter((found) => found.severity === 0).length;
if (!document || errors > 0) {
  console.log(`${file}: ${errors} errors`);
  process.exit(1);
}
const messages = document.allMessages().length;
console.log(`${file}: AsyncAPI ${document.version()}, ${document.allChannels().length} channels, ${messages} messages, no errors`);
